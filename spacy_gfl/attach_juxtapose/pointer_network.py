"""A network that adds one word per step to a growing tree.

The transitions are those of Yang and Deng (2020); `attach_juxtapose.action_codec`
describes them. Where a word goes is chosen by the attention of Vinyals et al. (2015,
section 2.1), used as a pointer (Vinyals, Fortunato and Jaitly 2015) to the nodes of
the tree's rightmost chain:

    u_i = v' tanh(W1 s_i + W2 d + W3 x + W4 [l_i, l_i-1, l_i+1, depth])

with x the encoder's state at the word, d the decoder's, s_i the words that node i
spans so far, and l the labels of the node, its mother and its child in the chain.
"""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, ClassVar

import torch
from torch import Tensor, nn
from torch.nn import functional

from spacy_gfl.attach_juxtapose.actions import ActionBatch, Actions
from spacy_gfl.attach_juxtapose.config import (
    DEPTH_WIDTH,
    DEPTHS,
    LABEL_WIDTH,
    READ_WIDTH,
    AttachJuxtaposeConfig,
)
from spacy_gfl.attach_juxtapose.constraints import Constrained, Extents
from spacy_gfl.attach_juxtapose.search_steps import (
    EncodedSpans,
    SearchWeights,
    Steps,
    Tables,
)
from spacy_gfl.attach_juxtapose.single import ArrayWeights, SingleSearch
from spacy_gfl.decoding.beam import Path
from spacy_gfl.decoding.decoder import Decoder
from spacy_gfl.decoding.network import Hypothesis, Network
from spacy_gfl.decoding.tasks import SearchTask
from spacy_gfl.layers.encoder import build_encoder
from spacy_gfl.layers.linear import Linear, linear_map, row_map
from spacy_gfl.layers.lstm import lstm, read
from spacy_gfl.layers.padding import drop_features, pad
from spacy_gfl.layers.precision import in_force
from spacy_gfl.layers.process import on_device

#: A batch's step takes as long as so many words of sentences searched one by one.
WORDS_A_STEP = 6


class AttachJuxtaposeNetwork(Network[EncodedSpans]):
    """A BiLSTM that reads, an LSTM that remembers the tree, and three choices per word.

    Args:
        input_width: Width of the word vectors.
        n_labels: How many joined labels there are.
        n_tags: How many tags there are.
        **settings: Those of `AttachJuxtaposeConfig`.
    """

    common_settings: ClassVar[tuple[str, ...]] = ("max_depth",)
    choices_per_word: ClassVar[int] = 3
    config_type: ClassVar[type[AttachJuxtaposeConfig]] = AttachJuxtaposeConfig
    #: What a word and the tree are summed up for: the pointer, the new label and the
    #: parent label.
    n_parts: ClassVar[int] = 3

    def __init__(
        self, *, input_width: int, n_labels: int, n_tags: int, **settings: Any
    ) -> None:
        super().__init__()
        self.config = config = self.config_type(**settings)
        sizes = {"input_width": input_width, "n_labels": n_labels, "n_tags": n_tags}
        self.settings = sizes | asdict(config)
        self.n_labels = n_labels
        self.encoder = build_encoder(
            config.cell,
            input_width * (1 + config.look_ahead),
            config.width,
            config.depth,
            config.bidirectional,
        )
        hidden_width, decoder_width = config.hidden_width, config.decoder_width
        sums = self.n_parts * hidden_width
        both = self.encoder.output_width
        # 0 is no label, and the root has the number after the last.
        self.label = nn.Embedding(n_labels + 2, LABEL_WIDTH)
        self.depth = nn.Embedding(DEPTHS, DEPTH_WIDTH)
        self.decoder = lstm(both + READ_WIDTH, decoder_width)
        self.of_fence = _linear(both, sums, bias=False)
        self.of_word = _linear(both, sums)
        self.of_decoder = _linear(decoder_width, sums, bias=False)
        self.of_depth = _linear(DEPTH_WIDTH, 3 * hidden_width, bias=False)
        # The node's label, its mother's and its child's.
        self.pointer_labels = _linear(LABEL_WIDTH, 3 * hidden_width, bias=False)
        self.score = nn.Parameter(torch.empty(hidden_width))
        nn.init.uniform_(self.score, -(hidden_width**-0.5), hidden_width**-0.5)
        # The target's label and its mother's, to both choices.
        self.choice_labels = _linear(LABEL_WIDTH, 4 * hidden_width, bias=False)
        self.new_to_parent = _linear(LABEL_WIDTH, hidden_width, bias=False)
        # What is compared stays in single precision.
        self.new_label = _linear(hidden_width, n_labels + 1, kind=nn.Linear)
        self.parent_label = _linear(hidden_width, n_labels + 1, kind=nn.Linear)
        has_tagger = config.tag_loss > 0 and n_tags > 0
        self.tagger = _linear(both, n_tags) if has_tagger else None

    def encode(
        self, sentences: Sequence[Tensor], lengths: Sequence[int], dropout: float
    ) -> EncodedSpans:
        # Words first in memory, as the encoder wants them.
        padded = pad(sentences).transpose(0, 1)
        if self.config.look_ahead:
            # Each word beside those that it looks ahead at; zeros beyond the end.
            ahead = range(1, self.config.look_ahead + 1)
            further = (functional.pad(padded, (0, 0, 0, k))[:, k:] for k in ahead)
            padded = torch.cat([padded, *further], dim=2)
        [sizes] = on_device(padded.device, torch.tensor(lengths, device="cpu"))
        words = self.encoder(padded, sizes, dropout)
        left, right = words.tensor_split([self.config.width], dim=2)
        # At fencepost k: the forward state after k words, zero at first, and the
        # backward one before word k. A span has the differences of two fenceposts.
        before = functional.pad(left[:, :-1], (0, 0, 1, 0))
        fences = self.of_fence(torch.cat([before, right.neg()], dim=2))
        return EncodedSpans(words, fences)

    def loss(
        self, encoded: EncodedSpans, targets: Sequence[Actions], dropout: float
    ) -> Tensor:
        batch = ActionBatch.of(targets, encoded.words)
        sums = self._sums(encoded, batch, dropout)
        loss = self._action_losses(encoded, sums, batch, dropout).sum()
        return loss + self._tag_loss(encoded, batch)

    def action_log_probs(
        self, encoded: EncodedSpans, targets: Sequence[Actions]
    ) -> list[Tensor]:
        batch = ActionBatch.of(targets, encoded.words)
        sums = self._sums(encoded, batch, 0.0)
        log_probs = -self._action_losses(encoded, sums, batch, 0.0)
        return list(log_probs.split([len(one.actions) for one in targets]))

    def _sums(
        self, encoded: EncodedSpans, batch: ActionBatch, dropout: float
    ) -> Tensor:
        """What words and the decoder give all choices, `(batch, words, sums)`."""
        states = self._decode(encoded, batch, dropout)
        return encoded.fences + self.of_word(encoded.words) + self.of_decoder(states)

    def _action_losses(
        self, encoded: EncodedSpans, sums: Tensor, batch: ActionBatch, dropout: float
    ) -> Tensor:
        """The cross-entropy of each word's action, `(words,)`."""
        sums = sums.flatten(0, 1).index_select(0, batch.words)
        hidden = self.config.hidden_width
        fences, tables = encoded.fences.flatten(0, 1), self.tables()
        # One row per node of a chain: padding the chains would be ten times as many.
        of_nodes = (
            sums[:, :hidden].index_select(0, batch.owners)
            - fences[:, :hidden].index_select(0, batch.node_fences)
            + functional.embedding(batch.node_labels, tables.own)
            + functional.embedding(batch.mothers, tables.mother)
            + functional.embedding(batch.children, tables.child)
            + functional.embedding(batch.node_depths, tables.depth)
        ).tanh()
        of_nodes = functional.dropout(of_nodes, dropout, self.training)
        scores = sums.new_full((len(sums), batch.deepest), float("-inf"))
        scores = scores.index_put(
            (batch.owners, batch.node_places), of_nodes @ self.score
        )
        target, new, parent = batch.actions.unbind(1)
        losses = functional.cross_entropy(scores, target, reduction="none")
        at = batch.target_nodes
        read = [batch.node_labels[at], batch.mothers[at], batch.node_depths[at]]
        tables_of = torch.arange(3, device=target.device)
        rows = torch.stack(read, dim=1) + (self.n_labels + 2) * tables_of
        of_target = (
            sums[:, hidden : 3 * hidden]
            - fences[:, hidden : 3 * hidden].index_select(0, batch.node_fences[at])
            + functional.embedding_bag(rows, tables.choices, mode="sum")
        )
        for_new, for_parent = of_target.split(hidden, dim=1)
        for_parent = for_parent + functional.embedding(new, tables.new)
        new_scores = self._choose(self.new_label, for_new, dropout)
        parent_scores = self._choose(self.parent_label, for_parent, dropout)
        # No new node stands over the root, and no chain is longer than its bound.
        is_root, is_deepest = target == 0, target + 1 >= self.config.max_depth
        new_scores[:, 1:].masked_fill_(is_root.unsqueeze(1), float("-inf"))
        parent_scores[:, 1:].masked_fill_(is_deepest.unsqueeze(1), float("-inf"))
        losses = losses + functional.cross_entropy(new_scores, new, reduction="none")
        parent_loss = functional.cross_entropy(parent_scores, parent, reduction="none")
        # A gold chain longer than its bound cannot be written: nothing to learn.
        too_deep = is_deepest & (parent > 0)
        return losses + parent_loss.masked_fill(too_deep, 0.0)

    def _tag_loss(self, encoded: EncodedSpans, batch: ActionBatch) -> Tensor | float:
        if self.tagger is None:
            return 0.0
        words = encoded.words.flatten(0, 1).index_select(0, batch.words)
        return self.config.tag_loss * functional.cross_entropy(
            self.tagger(words), batch.tags, ignore_index=-1, reduction="sum"
        )

    def _decode(
        self, encoded: EncodedSpans, batch: ActionBatch, dropout: float
    ) -> Tensor:
        """The decoder's states at all words, `(batch, words, decoder_width)`."""
        labels = self.label(batch.labels_read).flatten(2)
        depths = self.depth(batch.depths_read)
        inputs = torch.cat([encoded.words, labels, depths], dim=2)
        inputs = drop_features(inputs, dropout, self.training)
        [states] = read([self.decoder], [inputs], of_states=True)
        return drop_features(states, dropout, self.training)

    def _choose(self, output: nn.Linear, sums: Tensor, dropout: float) -> Tensor:
        hidden = functional.dropout(sums.relu(), dropout, self.training)
        return output(hidden)

    def decoder_of(self, encoded: EncodedSpans) -> Steps:
        return Steps(self.cached(("search", in_force()), self.search_weights), encoded)

    def most_choices(self, n_words: int) -> int:
        return self.choices_per_word * n_words

    @property
    def most_nested(self) -> int:
        """One node fewer than the longest chain, whose root stays."""
        return self.config.max_depth - 1

    def constrain(
        self, decoder: Decoder[Any], lengths: Sequence[int], task: SearchTask
    ) -> Decoder[Any]:
        if task.constraints is None:
            return decoder
        device = self.score.device
        extents = Extents.of(task.constraints, lengths, self.n_labels, device)
        return Constrained(decoder, extents, self.config.max_depth)

    def hypothesis(self, path: Path) -> Hypothesis:
        choices, log_prob = path
        actions = zip(choices[::3], choices[1::3], choices[2::3], strict=True)
        return Hypothesis(list(actions), log_prob)

    def tag_scores(self, encoded: EncodedSpans) -> Tensor | None:
        return None if self.tagger is None else self.tagger(encoded.words)

    def find(
        self, encoded: EncodedSpans, lengths: Sequence[int], task: SearchTask
    ) -> list[list[Hypothesis]]:
        if not self._one_by_one(encoded, lengths, task):
            return super().find(encoded, lengths, task)
        # Looking for changed weights takes a share of a short sentence's time: once.
        weights, arrays = self.cached(("arrays", in_force()), self.search_arrays)
        steps = Steps(weights, encoded)
        return [
            [self.hypothesis(SingleSearch(arrays, steps, i, n).run())]
            for i, n in enumerate(lengths)
        ]

    def search_arrays(self) -> tuple[SearchWeights, ArrayWeights]:
        """The weights that a search takes, for batches and as arrays for one row."""
        weights = self.search_weights()
        return weights, ArrayWeights.of(weights, row_map(self._of_decoder()))

    def _of_decoder(self) -> Tensor:
        weights = [self.decoder.weight_hh_l0, self.of_decoder.weight]
        return torch.cat(weights) * self._factors()[:, None]

    def _factors(self) -> Tensor:
        """Factors for the sums of a word and the decoder: 2 for g, 1 for all others.

        Doubling is exact, and changes no step of int8 either.
        """
        width = self.config.decoder_width
        factors = self.score.new_ones(4 * width + self.n_parts * len(self.score))
        factors[2 * width : 3 * width] = 2.0
        return factors

    def _one_by_one(
        self, encoded: EncodedSpans, lengths: Sequence[int], task: SearchTask
    ) -> bool:
        """Whether sentences are searched one by one, which is faster for a few."""
        return (
            sum(lengths) <= WORDS_A_STEP * max(lengths)
            and encoded.words.device.type == "cpu"
            and task.beam_width == 1
            and task.n_best > 0
            and not task.n_samples
            and task.constraints is None
        )

    def attend(
        self, encoded: EncodedSpans, lengths: Sequence[int], targets: Sequence[Actions]
    ) -> list[Tensor]:
        raise ValueError(
            "AttachJuxtapose.v1 has no attention to words: its attention is a "
            "pointer into the tree. Use a parser with Seq2Seq.v1."
        )

    def tables(self) -> Tables:
        """The shares of labels and depths in all sums."""
        label, depth = self.label.weight, self.depth.weight
        hidden = self.config.hidden_width
        depths = depth @ self.of_depth.weight.t()
        own, mother, child = (label @ self.pointer_labels.weight.t()).split(hidden, 1)
        choices = (label @ self.choice_labels.weight.t()).split(2 * hidden, 1)
        weight = self.decoder.weight_ih_l0[:, -READ_WIDTH:]
        parts = weight[:, :-DEPTH_WIDTH].split(LABEL_WIDTH, dim=1)
        read = [label @ part.t() for part in parts]
        return Tables(
            torch.cat([*read, depth @ weight[:, -DEPTH_WIDTH:].t()]),
            own,
            mother,
            child,
            depths[:, :hidden],
            torch.cat([*choices, depths[:, hidden:]]),
            label @ self.new_to_parent.weight.t(),
        )

    def search_weights(self) -> SearchWeights:
        """The weights that a search takes, multiplied out."""
        gates, tables = self.decoder, self.tables()
        words = torch.cat([gates.weight_ih_l0[:, :-READ_WIDTH], self.of_word.weight])
        biases = [gates.bias_ih_l0 + gates.bias_hh_l0, self.of_word.bias]
        factors = self._factors()
        return SearchWeights(
            tables._replace(decoder=tables.decoder * factors[: len(biases[0])]),
            linear_map(words * factors[:, None], torch.cat(biases) * factors),
            linear_map(self._of_decoder(), bounded=True),
            self.score,
            self.new_label,
            self.parent_label,
            self.config.max_depth,
        )


def _linear(
    n_in: int, n_out: int, bias: bool = True, kind: type[nn.Linear] = Linear
) -> nn.Linear:
    layer = kind(n_in, n_out, bias=bias)
    nn.init.xavier_uniform_(layer.weight)
    if bias:
        nn.init.zeros_(layer.bias)
    return layer
