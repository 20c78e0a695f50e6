"""Small models to search with, and searches written as plainly as can be."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from operator import itemgetter
from typing import Any, NamedTuple, TypeVar

import torch
from torch import Tensor

from spacy_gfl import Constituent, Tree, TreeError
from spacy_gfl.decoding.beam import Path, beam_search
from spacy_gfl.decoding.decoder import OfSentences
from spacy_gfl.seq2seq.grammar import END, Grammar, TreePrefix, most_symbols
from spacy_gfl.seq2seq.lstm_network import Seq2SeqNetwork
from spacy_gfl.seq2seq.symbol_codec import Symbols
from spacy_gfl.trees.tree import check_constituents

ParserT = TypeVar("ParserT", bound=torch.nn.Module)
#: Of tiny parsers.
SETTINGS = {
    "width": 6,
    "depth": 2,
    "cell": "paper",
    "attention": True,
    "input_feeding": True,
    "reverse_input": True,
}


def vocabulary(n_labels: int, run: int = 1) -> Symbols:
    return Symbols([f"L{i}" for i in range(n_labels)], run)


def grammar(symbols: Symbols) -> Grammar:
    return Grammar(
        torch.tensor(symbols.kinds),
        torch.tensor(symbols.label_ids),
        symbols.longest_opening_run,
    )


class Rows(NamedTuple):
    """The state of a table.

    sentences: Which sentence each row is of; in_play: those that are not over.
    time, before: Steps taken, and the last choice of each row.
    prefix: What the grammar knows; None if anything may be written.
    """

    sentences: Tensor
    in_play: OfSentences
    time: int
    before: Tensor
    prefix: TreePrefix | None


@dataclass
class TableDecoder:
    """A table as the decoder of sentences: a `decoding.decoder.Decoder`."""

    table: "Table"
    end: int | None
    n_sents: int
    prefix: TreePrefix | None
    grammar: Grammar | None = None

    def start(self) -> Rows:
        sentences = torch.arange(self.n_sents)
        before = torch.zeros_like(sentences)
        return Rows(sentences, OfSentences(sentences), 0, before, self.prefix)

    def score(self, state: Rows) -> tuple[Tensor, Rows]:
        active = state.in_play.part
        self.table.sizes.append(len(active))
        width = len(state.sentences) // len(active)
        if state.sentences.tolist() != active.repeat_interleave(width).tolist():
            raise AssertionError("rows are not those of the sentences in play")
        time = torch.tensor(state.time)
        log_probs = self.table.scores(state.sentences, time, state.before).float()
        if state.prefix is not None:
            allowed = state.prefix.allowed(self.grammar)
            log_probs = log_probs.masked_fill(~allowed, float("-inf"))
        return log_probs, state

    def extend(self, state: Rows, choices: Tensor) -> Rows:
        prefix = state.prefix
        if prefix is not None:
            prefix = prefix.extend(choices, self.grammar)
        return state._replace(time=state.time + 1, before=choices, prefix=prefix)


class Table:
    """A model whose log-probabilities stand in `(sentences, times, before, next)`.

    Sentence and time count modulo the table's size. Notes in `sizes` how many
    sentences each step has had, and refuses a batch that has lost its order.
    """

    def __init__(self, log_probs: Tensor) -> None:
        self.log_probs = log_probs
        self.sizes: list[int] = []

    @classmethod
    def random(
        cls, seed: int, n_symbols: int, sentences: int = 8, times: int = 40
    ) -> "Table":
        generator = torch.Generator().manual_seed(seed)
        shape = (sentences, times, n_symbols, n_symbols)
        logits = torch.randn(shape, generator=generator, dtype=torch.double) * 3
        return cls(logits.log_softmax(3))

    def scores(self, sentence: Tensor, time: Tensor, before: Tensor) -> Tensor:
        sentences, times, _, _ = self.log_probs.shape
        return self.log_probs[sentence % sentences, time % times, before]

    def decoder(
        self,
        lengths: Sequence[int],
        symbols: Symbols,
        constrained: bool = True,
        deepest: int = 200,
    ) -> TableDecoder:
        """A decoder that writes linearized trees, or anything."""
        self.sizes = []
        words = torch.tensor(lengths)
        prefix = TreePrefix.empty(words, deepest) if constrained else None
        return TableDecoder(self, END, len(lengths), prefix, grammar(symbols))

    def search(
        self,
        lengths: Sequence[int],
        symbols: Symbols,
        beam_width: int = 1,
        constrained: bool = True,
        **settings: int,
    ) -> list[Path]:
        """The best linearization of each sentence."""
        settings["constrained"] = constrained
        found = self.best(lengths, symbols, beam_width, **settings)
        return [best for [best] in found]

    def best(
        self,
        lengths: Sequence[int],
        symbols: Symbols,
        beam_width: int = 1,
        n_best: int = 1,
        **settings: int,
    ) -> list[list[Path]]:
        """The best linearizations of each sentence."""
        return beam_search(
            self.decoder(lengths, symbols, **settings),
            [most_symbols(n) for n in lengths],
            beam_width=beam_width,
            n_best=n_best,
        )

    def fixed(
        self, limits: Sequence[int], beam_width: int = 1, n_best: int = 1
    ) -> list[list[Path]]:
        """The best choices where no choice ends a hypothesis."""
        self.sizes = []
        return beam_search(
            TableDecoder(self, None, len(limits), None),
            limits,
            beam_width=beam_width,
            n_best=n_best,
        )

    def part(self, sentence: int) -> "Table":
        """The table of one sentence alone."""
        return Table(self.log_probs[sentence : sentence + 1])

    def log_prob(self, sentence: int, symbols: Sequence[int]) -> float:
        total, before = 0.0, 0
        for time, symbol in enumerate(symbols):
            place = map(torch.tensor, (sentence, time, before))
            total += float(self.scores(*place)[symbol])
            before = symbol
        return total


def every_tree(
    n_words: int, n_labels: int, most: int, run: int, deepest: int
) -> list[Tree]:
    """Every tree of at most `most` constituents, by trying every list of them.

    run: The most constituents that may begin at a word. deepest: The most that
        may be around a word.
    """
    words, tags = ("w",) * n_words, ("NN",) * n_words
    nodes = [
        Constituent(f"L{label}", start, end)
        for label in range(n_labels)
        for start in range(n_words)
        for end in range(start + 1, n_words + 1)
    ]
    found = []
    for size in range(most + 1):
        for constituents in product(nodes, repeat=size):
            try:
                check_constituents(constituents, n_words)
            except TreeError:
                continue
            begun = Counter(start for _, start, _ in constituents)
            around = Counter(i for _, *extent in constituents for i in range(*extent))
            if max(begun.values(), default=0) <= run and (
                max(around.values(), default=0) <= deepest
            ):
                found.append(Tree(words, tags, constituents))
    return found


def beam_by_hand(
    table: Table,
    sentence: int,
    n_words: int,
    symbols: Symbols,
    width: int,
    constrained: bool,
) -> list[int]:
    """Keep the `width` best continuations of one sentence, again and again."""
    decoder = table.part(sentence).decoder([n_words], symbols, constrained)
    running: list[tuple[float, list[int], Rows]] = [(0.0, [], decoder.start())]
    finished: list[tuple[float, list[int]]] = []
    for _ in range(most_symbols(n_words)):
        longer = []
        for total, written, before in running:
            log_probs, state = decoder.score(before)
            longer += [
                (total + log_prob, [*written, symbol], state)
                for symbol, log_prob in enumerate(log_probs[0].tolist())
                if log_prob > float("-inf")
            ]
        kept = sorted(longer, key=itemgetter(0), reverse=True)[:width]
        finished += [(total, ids) for total, ids, _ in kept if ids[-1] == END]
        running = [
            (total, ids, decoder.extend(state, torch.tensor(ids[-1:])))
            for total, ids, state in kept
            if ids[-1] != END
        ]
        if not running or (finished and max(finished)[0] >= running[0][0]):
            break
    return max(finished or running, key=itemgetter(0))[1]


def untrained(seed: int, build: Callable[..., ParserT], **settings: Any) -> ParserT:
    """A model in double precision, with random weights large enough to matter."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        parser = build(**settings)
        for parameter in parser.parameters():
            torch.nn.init.normal_(parameter)
    return parser.double().eval()


def tiny_parser(
    symbols: Symbols, input_width: int = 5, seed: int = 0, **settings: Any
) -> Seq2SeqNetwork:
    """An untrained parser that writes symbols."""
    options = {**SETTINGS, **symbols.network_settings(), **settings}
    return untrained(seed, Seq2SeqNetwork, input_width=input_width, **options)


def random_vectors(n_words: int, input_width: int = 5, seed: int = 0) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(n_words, input_width, generator=generator, dtype=torch.double)
