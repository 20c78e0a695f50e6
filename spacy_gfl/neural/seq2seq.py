"""The paper's parser: an LSTM reads words, an LSTM with attention writes symbols."""

from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

import torch
from torch import Tensor, nn

from spacy_gfl.neural.attention import Memory
from spacy_gfl.neural.batching import length_batches
from spacy_gfl.neural.cell import State
from spacy_gfl.neural.decoder import DecoderState, LSTMDecoder
from spacy_gfl.neural.encoder import LSTMEncoder
from spacy_gfl.neural.search import Found, Grammar, beam_search

#: Padding in target symbols; no loss is counted there.
IGNORED = -100


class Encoded(NamedTuple):
    """A batch of sentences that the encoder has read."""

    memory: Optional[Memory]
    finals: List[State]

    def select(self, rows: Tensor) -> "Encoded":
        """Some of the sentences; `rows` holds their indices."""
        finals = [
            (h.index_select(0, rows), m.index_select(0, rows)) for h, m in self.finals
        ]
        return Encoded(
            None if self.memory is None else self.memory.select(rows), finals
        )


class Seq2SeqParser(nn.Module):
    """LSTM+A of Vinyals et al. (2015), section 2, with its losses and searches.

    input_width: Width of the word vectors.
    symbol_kinds, symbol_labels, longest_opening_run: The output vocabulary, as
        `search.Grammar` describes it.
    width: Units a layer. depth: Layers of encoder and decoder each.
    cell: "paper" or "standard". bias: Whether the cells have biases.
    attention: Without it, the paper's baseline LSTM.
    input_feeding: Whether `[d; d']` is fed to the next step.
    reverse_input: Whether sentences are read from their last word to the first.
    """

    def __init__(
        self,
        *,
        input_width: int,
        symbol_kinds: Sequence[int],
        symbol_labels: Sequence[int],
        longest_opening_run: int,
        width: int = 256,
        depth: int = 3,
        cell: str = "paper",
        bias: bool = False,
        attention: bool = True,
        input_feeding: bool = True,
        reverse_input: bool = True,
    ) -> None:
        super().__init__()
        self.settings: Dict[str, Any] = {
            "input_width": input_width,
            "symbol_kinds": list(symbol_kinds),
            "symbol_labels": list(symbol_labels),
            "longest_opening_run": longest_opening_run,
            "width": width,
            "depth": depth,
            "cell": cell,
            "bias": bias,
            "attention": attention,
            "input_feeding": input_feeding,
            "reverse_input": reverse_input,
        }
        self.reverse_input = reverse_input
        self.longest_opening_run = longest_opening_run
        self.encoder = LSTMEncoder(input_width, width, depth, cell, bias)
        self.decoder = LSTMDecoder(
            len(symbol_kinds), width, depth, cell, bias, attention, input_feeding
        )
        kinds, labels = torch.tensor(symbol_kinds), torch.tensor(symbol_labels)
        self.register_buffer("symbol_kinds", kinds, persistent=False)
        self.register_buffer("symbol_labels", labels, persistent=False)

    @property
    def grammar(self) -> Grammar:
        """The output vocabulary, on the module's device."""
        return Grammar(
            self.get_buffer("symbol_kinds"),
            self.get_buffer("symbol_labels"),
            self.longest_opening_run,
        )

    def forward(
        self,
        vectors: Tensor,
        lengths: Sequence[int],
        targets: Optional[Sequence[Sequence[int]]] = None,
        *,
        dropout: float = 0.0,
        batch_words: int = 4096,
        beam_width: int = 1,
        constrained: bool = True,
        with_attention: bool = False,
    ) -> Any:
        """The loss of a batch if `targets` are given, else its parses.

        vectors: Word vectors of all sentences, `(words, input_width)`.
        lengths: Words of each sentence, none 0.
        targets: The symbols of each sentence, the end symbol last.
        dropout: Between layers, in training.
        batch_words: Work on at most so many (padded) words at a time.
        beam_width, constrained: As in `search.beam_search`.
        with_attention: Return attention weights instead of parses: for each
            sentence an array `(symbols, words)` over its `targets`.

        Returns the summed cross-entropy in nats, 0-d; or one `search.Found` a
        sentence.
        """
        starts = torch.tensor([0, *lengths]).cumsum(0).tolist()
        results: List[Any] = [None] * len(lengths)
        losses: List[Tensor] = []
        for group in length_batches(lengths, batch_words):
            sizes = [lengths[i] for i in group]
            sentences = [vectors[starts[i] : starts[i + 1]] for i in group]
            encoded = self.encode(sentences, sizes, dropout)
            found: Sequence[Any]
            if targets is None:
                found = self.search(encoded, sizes, beam_width, constrained)
            else:
                gold = [targets[i] for i in group]
                if not with_attention:
                    losses.append(self.loss(encoded, gold, dropout))
                    continue
                found = self.attend(encoded, sizes, gold)
            for i, result in zip(group, found, strict=True):
                results[i] = result
        if targets is not None and not with_attention:
            return torch.stack(losses).sum() if losses else vectors.sum() * 0.0
        return results

    def encode(
        self, sentences: Sequence[Tensor], lengths: Sequence[int], dropout: float
    ) -> Encoded:
        """Read sentences, each `(words, input_width)`."""
        if self.reverse_input:
            sentences = [sentence.flip(0) for sentence in sentences]
        padded = nn.utils.rnn.pad_sequence(list(sentences), batch_first=True)
        sizes = torch.tensor(lengths, device=padded.device)
        vectors, finals = self.encoder(padded, sizes, dropout)
        if self.decoder.attention is None:
            return Encoded(None, finals)
        mask = torch.arange(padded.shape[1], device=padded.device) < sizes.unsqueeze(1)
        return Encoded(self.decoder.attention.memory(vectors, mask), finals)

    def _teach(
        self, encoded: Encoded, targets: Sequence[Sequence[int]], dropout: float
    ) -> Tuple[Tensor, Tensor, Optional[Tensor]]:
        """Padded targets, their logits and attention weights, in one order.

        Sentences stand in the order of their targets' lengths, the longest first,
        so that those that are over can leave the decoder's batch.
        """
        lengths = [len(symbols) for symbols in targets]
        order = torch.tensor(_longest_first(lengths))
        gold = nn.utils.rnn.pad_sequence(
            [torch.as_tensor(targets[i]) for i in order.tolist()],
            batch_first=True,
            padding_value=IGNORED,
        ).to(self.decoder.output.weight.device)
        # The end symbol, 0, starts; padding is read as anything.
        read = nn.functional.pad(gold[:, :-1], (1, 0)).clamp(min=0)
        encoded = encoded.select(order.to(gold.device))
        logits, weights = self.decoder(
            read,
            self.decoder.start(encoded.finals),
            encoded.memory,
            dropout,
            sorted(lengths, reverse=True),
        )
        return gold, logits, weights

    def loss(
        self, encoded: Encoded, targets: Sequence[Sequence[int]], dropout: float
    ) -> Tensor:
        """Summed cross-entropy of the target symbols in nats, 0-d."""
        gold, logits, _ = self._teach(encoded, targets, dropout)
        return nn.functional.cross_entropy(
            logits.flatten(0, 1), gold.flatten(), ignore_index=IGNORED, reduction="sum"
        )

    def attend(
        self, encoded: Encoded, lengths: Sequence[int], targets: Sequence[Sequence[int]]
    ) -> List[Tensor]:
        """The weights with which each symbol looked at the words.

        Returns for each sentence `(symbols, words)`, words from left to right.
        Raises ValueError if the model has no attention.
        """
        _, _, weights = self._teach(encoded, targets, dropout=0.0)
        if weights is None:
            raise ValueError("This model was built with attention = false.")
        matrices: List[Tensor] = [weights[0]] * len(targets)
        order = _longest_first([len(symbols) for symbols in targets])
        for matrix, i in zip(weights, order, strict=True):
            matrix = matrix[: len(targets[i]), : lengths[i]]
            matrices[i] = matrix.flip(1) if self.reverse_input else matrix
        return matrices

    def search(
        self,
        encoded: Encoded,
        lengths: Sequence[int],
        beam_width: int,
        constrained: bool,
    ) -> List[Found]:
        """Search the most probable symbols of each sentence."""
        table = self.decoder.symbol_table()
        memory = encoded.memory

        def step(
            symbols: Tensor, state: DecoderState, active: Tensor
        ) -> Tuple[Tensor, DecoderState]:
            nonlocal memory
            # Sentences only ever leave, so that as many are the same ones.
            if memory is not None and len(active) < len(memory.mask):
                memory = encoded.memory.select(active) if encoded.memory else None
            logits, state = self.decoder.step(symbols, state, memory, table)
            return logits.log_softmax(dim=1), state

        return beam_search(
            step,
            self.decoder.start(encoded.finals),
            lengths,
            self.grammar,
            beam_width=beam_width,
            constrained=constrained,
        )


def _longest_first(lengths: Sequence[int]) -> List[int]:
    """The indices of sentences in the order of their lengths."""
    return sorted(range(len(lengths)), key=lambda i: -lengths[i])
