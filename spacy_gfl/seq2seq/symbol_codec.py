"""Trees as sequences of symbols, and back (Vinyals et al. 2015, section 2.2).

A tree is written by a depth-first traversal with typed closing symbols; every
tag is written XX, and an end symbol follows:

    (S (NP (DT The) (NN dog)) (VP (VBZ barks)))
    (S (NP XX XX )NP (VP XX )VP )S </s>
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from spacy_gfl.decoding.codec import Decoded, LabelDataError, TreeCodec, ranked
from spacy_gfl.seq2seq.grammar import CLOSE, END, OPEN, WORD
from spacy_gfl.trees.tree import MISSING_TAG, Constituent, Tree

END_SYMBOL = "</s>"
WORD_SYMBOL = MISSING_TAG


class Symbols(TreeCodec):
    """The output vocabulary of the paper's model.

    Symbol 0 is the end, symbol 1 a word, then one opening symbol per label and
    one closing symbol per label, both in the order of `labels`.

    Args:
        labels: The constituent labels, each once.
        longest_opening_run: The most opening symbols that may follow each other.
    """

    kind = "symbols"

    def __init__(self, labels: Sequence[str], longest_opening_run: int = 1) -> None:
        self.labels = tuple(labels)
        self.longest_opening_run = longest_opening_run
        self._ids = {label: i for i, label in enumerate(self.labels)}

    def __len__(self) -> int:
        return 2 + 2 * len(self.labels)

    @classmethod
    def from_trees(cls, trees: Iterable[Tree]) -> "Symbols":
        """Collect labels, the most frequent first, and measure opening runs."""
        counts: Counter[str] = Counter()
        longest = 1
        for tree in trees:
            counts.update(node.label for node in tree.constituents)
            starts = Counter(node.start for node in tree.constituents)
            longest = max([longest, *starts.values()])
        return cls(ranked(counts), longest)

    @classmethod
    def _from_data(cls, data: dict[str, Any]) -> "Symbols":
        longest = data.get("longest_opening_run", 1)
        if not isinstance(longest, int) or longest < 1:
            raise LabelDataError(
                '"longest_opening_run" in the label data must be a whole number '
                f"of at least 1, not {longest!r}."
            )
        return cls(data["labels"], longest)

    def _to_data(self) -> dict[str, Any]:
        return {"longest_opening_run": self.longest_opening_run}

    def with_labels(self, labels: Iterable[str]) -> "Symbols":
        new = [label for label in dict.fromkeys(labels) if label not in self._ids]
        return Symbols([*self.labels, *new], self.longest_opening_run)

    def network_settings(self) -> dict[str, Any]:
        """Kinds and labels of the symbols, and how they may follow each other."""
        return {
            "symbol_kinds": self.kinds,
            "symbol_labels": self.label_ids,
            "longest_opening_run": self.longest_opening_run,
        }

    @property
    def kinds(self) -> list[int]:
        """The kind of each symbol: END, WORD, OPEN or CLOSE."""
        return [END, WORD] + [OPEN] * len(self.labels) + [CLOSE] * len(self.labels)

    @property
    def label_ids(self) -> list[int]:
        """The index of each symbol's label, -1 for end and word."""
        return [-1, -1, *range(len(self.labels)), *range(len(self.labels))]

    @property
    def symbols(self) -> list[str]:
        """Every symbol as it is written."""
        opening = [f"({label}" for label in self.labels]
        closing = [f"){label}" for label in self.labels]
        return [END_SYMBOL, WORD_SYMBOL, *opening, *closing]

    def encode(self, tree: Tree) -> list[int]:
        """The symbols of a tree without unknown labels, the end symbol last."""
        tree = tree.keep_labels(self._ids)
        nodes = [self._ids[node.label] for node in tree.constituents]
        first = {"open": 2, "close": 2 + len(self.labels)}
        symbols = (
            1 if kind == "word" else first[kind] + nodes[at]
            for kind, at in tree.events()
        )
        return [*symbols, 0]

    def steps(self, tree: Tree) -> list[str]:
        """The symbols, and the word itself where a word is written."""
        symbols, words = self.symbols, iter(tree.words)
        return [next(words) if i == 1 else symbols[i] for i in self.encode(tree)]

    def decode(self, output: Sequence[int], n_words: int) -> Decoded:
        """Read symbols as a tree over n_words words, repairing what is not one.

        The paper's repair (section 3.2) adds brackets at either end: an opening
        one at the beginning for a closing one without partner, closing ones at
        the end for those still open. Where the paper is silent: a closing symbol
        of another type closes the innermost constituent all the same, words too
        many are dropped, words too few are added at the end, and constituents
        without words are dropped.
        """
        n_labels = len(self.labels)
        nodes: list[Constituent] = []
        added: list[Constituent] = []
        stack: list[int] = []
        word = words_seen = 0
        unbalanced = 0 not in output
        for symbol in output:
            if symbol == 0:
                break
            if symbol == 1:
                words_seen += 1
                word = min(words_seen, n_words)
            elif symbol < 2 + n_labels:
                stack.append(len(nodes))
                nodes.append(Constituent(self.labels[symbol - 2], word, -1))
            else:
                label = self.labels[symbol - 2 - n_labels]
                if not stack:
                    unbalanced = True
                    added.insert(0, Constituent(label, 0, word))
                    continue
                at = stack.pop()
                opened, start, _ = nodes[at]
                unbalanced = unbalanced or opened != label or start == word
                nodes[at] = Constituent(opened, start, word)
        for at in stack:
            nodes[at] = nodes[at]._replace(end=n_words)
        kept = [node for node in [*added, *nodes] if node.start < node.end]
        return Decoded(kept, unbalanced or bool(stack) or words_seen != n_words)
