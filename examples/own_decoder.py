"""A decoder of your own: it gives each word its parse bit, as CoNLL-2005's column has.

    python examples/own_decoder.py tests/data/train.ptb tests/data/dev.ptb

A bit says which constituents begin before a word, and how many end after it. The page
"Write your own" (docs/how-to/extend.md) explains the parts.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import spacy
import torch
import typer
from spacy.util import fix_random_seed, minibatch
from thinc.api import Model
from torch import Tensor, nn

from spacy_gfl import Constituent, Tree
from spacy_gfl.data.corpus import TreebankCorpus
from spacy_gfl.decoding.codec import Decoded, TreeCodec, ranked
from spacy_gfl.decoding.network import Network
from spacy_gfl.layers.encoder import build_encoder
from spacy_gfl.layers.linear import Linear
from spacy_gfl.layers.padding import pad
from spacy_gfl.model.model import build_model
from spacy_gfl.model.shim import NetworkShim

#: What the loss ignores: padding, and bits that training does not have.
IGNORED = -100
#: The labels that begin before a word, outermost first, and how many end after it.
Bit = tuple[tuple[str, ...], int]


class ParseBits(TreeCodec):
    """Turns a tree into the number of each word's bit, and back."""

    kind = "parse_bits"

    def __init__(self, labels: Iterable[str], bits: Iterable[Bit]) -> None:
        self.labels, self.bits = tuple(labels), tuple(bits)
        self._ids = {bit: i for i, bit in enumerate(self.bits)}

    @classmethod
    def from_trees(cls, trees: Iterable[Tree]) -> "ParseBits":
        labels: Counter[str] = Counter()
        bits: Counter[Bit] = Counter()
        for tree in trees:
            labels.update(node.label for node in tree.constituents)
            bits.update(bits_of(tree))
        return cls(ranked(labels), ranked(bits))

    @classmethod
    def _from_data(cls, data: dict[str, Any]) -> "ParseBits":
        return cls(data["labels"], ((tuple(names), n) for names, n in data["bits"]))

    def _to_data(self) -> dict[str, Any]:
        return {"bits": [[list(names), n] for names, n in self.bits]}

    def with_labels(self, labels: Iterable[str]) -> "ParseBits":
        return ParseBits(dict.fromkeys([*self.labels, *labels]), self.bits)

    def network_settings(self) -> dict[str, Any]:
        return {"n_bits": len(self.bits)}

    def encode(self, tree: Tree) -> list[int]:
        return [self._ids.get(bit, IGNORED) for bit in bits_of(tree)]

    def decode(self, output: Sequence[int], n_words: int) -> Decoded:
        nodes: list[Constituent] = []
        still_open: list[int] = []
        malformed = False
        for word, choice in enumerate(output):
            names, n_ends = self.bits[choice]
            for name in names:
                still_open.append(len(nodes))
                nodes.append(Constituent(name, word, n_words))
            malformed |= n_ends > len(still_open)
            for _ in range(min(n_ends, len(still_open))):
                node = still_open.pop()
                nodes[node] = nodes[node]._replace(end=word + 1)
        return Decoded(nodes, malformed or bool(still_open))

    def steps(self, tree: Tree) -> list[str]:
        return [
            "".join(f"({name}" for name in names) + "*" + ")" * n
            for names, n in bits_of(tree)
        ]


def bits_of(tree: Tree) -> list[Bit]:
    """The bit of each word."""
    names: list[list[str]] = [[] for _ in tree.words]
    n_ends = [0] * len(tree.words)
    for label, start, end in tree.constituents:
        names[start].append(label)
        n_ends[end - 1] += 1
    return [(tuple(before), n) for before, n in zip(names, n_ends, strict=True)]


class ParseBitNetwork(Network[Tensor]):
    """An LSTM in both directions, and a score of each bit for each word."""

    def __init__(self, *, input_width: int, n_bits: int, width: int) -> None:
        super().__init__()
        self.settings = {"input_width": input_width, "n_bits": n_bits, "width": width}
        self.encoder = build_encoder("lstm", input_width, width, 1, bidirectional=True)
        self.scores = Linear(self.encoder.output_width, n_bits)

    def encode(
        self, sentences: Sequence[Tensor], lengths: Sequence[int], dropout: float
    ) -> Tensor:
        """Scores, `(batch, words, bits)`."""
        words = pad(sentences).transpose(0, 1).contiguous()
        sizes = torch.tensor(lengths, device=words.device)
        return self.scores(self.encoder(words, sizes, dropout))

    def loss(
        self, encoded: Tensor, targets: Sequence[Sequence[int]], dropout: float
    ) -> Tensor:
        gold = nn.utils.rnn.pad_sequence(
            [torch.tensor(target, device=encoded.device) for target in targets],
            batch_first=True,
            padding_value=IGNORED,
        )
        return nn.functional.cross_entropy(
            encoded.flatten(0, 1), gold.flatten(), reduction="sum"
        )

    def decoder_of(self, encoded: Tensor) -> "ParseBitDecoder":
        return ParseBitDecoder(encoded)

    def most_choices(self, n_words: int) -> int:
        return n_words

    def attend(self, encoded: Any, lengths: Any, targets: Any) -> list[Tensor]:
        raise ValueError("This parser has no attention.")


class State(NamedTuple):
    """Log-probabilities `(rows, words, bits)`, and the word whose bit is next."""

    log_probs: Tensor
    word: int


class ParseBitDecoder:
    """One choice per word: a `spacy_gfl.decoding.decoder.Decoder`."""

    end = None

    def __init__(self, scores: Tensor) -> None:
        self.log_probs = scores.float().log_softmax(dim=2)

    def start(self) -> State:
        return State(self.log_probs, 0)

    def score(self, state: State) -> tuple[Tensor, State]:
        return state.log_probs[:, state.word], state

    def extend(self, state: State, choices: Tensor) -> State:
        return state._replace(word=state.word + 1)


@spacy.registry.architectures("own.ParseBits.v1")
def build_parse_bits(tok2vec: Model, width: int = 128) -> Model:
    """A parser that gives each word a bit."""
    shim = NetworkShim(build=ParseBitNetwork, max_gradient_norm=5.0)
    return build_model(
        tok2vec,
        shim,
        {"width": width},
        codec=ParseBits,
        dropout=None,
        train_batch_words=8192,
    )


def main(train: Path, dev: Path, epochs: int = 8) -> None:
    """Train on a treebank, and print F1 on another one and a tree."""
    fix_random_seed(0)
    tok2vec = {
        "@architectures": "spacy.HashEmbedCNN.v2",
        **{"pretrained_vectors": None, "width": 96, "depth": 2, "embed_size": 2000},
        **{"window_size": 1, "maxout_pieces": 3, "subword_features": True},
    }
    model = {"@architectures": "own.ParseBits.v1", "tok2vec": tok2vec}
    nlp = spacy.blank("en")
    nlp.add_pipe("constituency_parser", config={"model": model})
    examples = list(TreebankCorpus(train, gold_sents=True)(nlp))
    nlp.initialize(lambda: examples)
    for _ in range(epochs):
        for batch in minibatch(examples, 8):
            nlp.update(batch)
    scores = nlp.evaluate(list(TreebankCorpus(dev, gold_sents=True)(nlp)))
    print(f"F1 {scores['con_f']:.3f}")
    print(nlp(examples[0].predicted.copy())._.parse_strings[0])


if __name__ == "__main__":
    typer.run(main)
