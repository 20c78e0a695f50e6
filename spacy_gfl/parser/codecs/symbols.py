"""Trees as sequences of symbols, and back (Vinyals et al. 2015, section 2.2).

A tree is written by a depth-first traversal with typed closing symbols; every
tag is written XX, and an end symbol follows:

    (S (NP (DT The) (NN dog)) (VP (VBZ barks)))
    (S (NP XX XX )NP (VP XX )VP )S </s>
"""

from collections import Counter
from typing import Any, Dict, Iterable, List, NamedTuple, Sequence, Tuple

from spacy_gfl.trees.tree import Constituent, Tree

#: Kinds of symbols, as `SymbolLinearization.kinds` gives them.
END, WORD, OPEN, CLOSE = range(4)
END_SYMBOL = "</s>"
WORD_SYMBOL = "XX"


class Decoded(NamedTuple):
    """A tree read from symbols.

    constituents: In pre-order, over exactly the sentence's words.
    unbalanced: Brackets had to be added, changed or dropped.
    miscounted: The symbols had more or fewer words than the sentence.
    """

    constituents: List[Constituent]
    unbalanced: bool
    miscounted: bool

    @property
    def malformed(self) -> bool:
        """Whether the symbols were not the linearization of a tree."""
        return self.unbalanced or self.miscounted


class SymbolLinearization:
    """The output vocabulary of the paper's model.

    Symbol 0 is the end, symbol 1 a word, then one opening symbol a label and one
    closing symbol a label, both in the order of `labels`.

    labels: The constituent labels.
    longest_opening_run: The most opening symbols that may follow each other.

    Raises ValueError if a label occurs twice.
    """

    def __init__(self, labels: Sequence[str], longest_opening_run: int = 1) -> None:
        if len(set(labels)) != len(labels):
            twice = [label for label, n in Counter(labels).items() if n > 1]
            raise ValueError(f"labels occur more than once: {', '.join(twice)}")
        self.labels = tuple(labels)
        self.longest_opening_run = longest_opening_run
        self._ids = {label: i for i, label in enumerate(self.labels)}

    def __len__(self) -> int:
        return 2 + 2 * len(self.labels)

    @classmethod
    def from_trees(cls, trees: Iterable[Tree]) -> "SymbolLinearization":
        """Collect labels, the most frequent first, and measure opening runs."""
        counts: Counter[str] = Counter()
        longest = 1
        for tree in trees:
            counts.update(node.label for node in tree.constituents)
            starts = Counter(node.start for node in tree.constituents)
            longest = max(longest, *starts.values()) if starts else longest
        ranked = sorted(counts, key=lambda label: (-counts[label], label))
        return cls(ranked, longest)

    def to_json(self) -> Dict[str, Any]:
        """What `from_json` builds the same vocabulary from."""
        return {
            "labels": list(self.labels),
            "longest_opening_run": self.longest_opening_run,
        }

    @classmethod
    def from_json(cls, data: Dict[str, Any]) -> "SymbolLinearization":
        """The inverse of `to_json`. Raises ValueError for anything else."""
        labels = data.get("labels") if isinstance(data, dict) else None
        if not isinstance(labels, (list, tuple)):
            raise ValueError(
                'Label data must be a dictionary with a list of "labels", as '
                f"`spacy init labels` writes it, not {type(data).__name__}."
            )
        for label in labels:
            if not isinstance(label, str) or not label:
                raise ValueError(f"Label data holds {label!r}, which is no label.")
        longest = data.get("longest_opening_run", 1)
        if not isinstance(longest, int) or longest < 1:
            raise ValueError(
                'The "longest_opening_run" in label data must be a whole number '
                f"from 1, not {longest!r}."
            )
        return cls(labels, longest)

    @property
    def kinds(self) -> List[int]:
        """Of each symbol whether it is END, WORD, OPEN or CLOSE."""
        return [END, WORD] + [OPEN] * len(self.labels) + [CLOSE] * len(self.labels)

    @property
    def label_ids(self) -> List[int]:
        """Of each symbol the index of its label, -1 for end and word."""
        return [-1, -1, *range(len(self.labels)), *range(len(self.labels))]

    @property
    def symbols(self) -> List[str]:
        """Every symbol as it is written."""
        opening = [f"({label}" for label in self.labels]
        closing = [f"){label}" for label in self.labels]
        return [END_SYMBOL, WORD_SYMBOL, *opening, *closing]

    def encode(self, tree: Tree) -> List[int]:
        """The symbols of a tree, the end symbol last.

        Raises KeyError for a label that is not in the vocabulary.
        """
        nodes = [self._ids[node.label] for node in tree.constituents]
        closing = 2 + len(self.labels)
        ids = []
        for kind, at in tree.events():
            if kind == "word":
                ids.append(1)
            else:
                ids.append(nodes[at] + (2 if kind == "open" else closing))
        ids.append(0)
        return ids

    def decode(self, ids: Sequence[int], n_words: int) -> Decoded:
        """Read symbols as a tree over n_words words, repairing what is not one.

        The paper's repair (section 3.2) adds brackets at either end: an opening
        one at the beginning for a closing one without partner, closing ones at
        the end for those still open. Where the paper is silent: a closing symbol
        of another type closes the innermost constituent all the same, words too
        many are dropped, words too few are added at the end, and constituents
        without words are dropped.
        """
        n_labels = len(self.labels)
        nodes: List[Tuple[str, int, int]] = []
        added: List[Constituent] = []
        stack: List[int] = []
        word = words_seen = 0
        unbalanced = ended = False
        for symbol in ids:
            if symbol == 0:
                ended = True
                break
            if symbol == 1:
                words_seen += 1
                word = min(words_seen, n_words)
            elif symbol < 2 + n_labels:
                stack.append(len(nodes))
                nodes.append((self.labels[symbol - 2], word, -1))
            else:
                label = self.labels[symbol - 2 - n_labels]
                if not stack:
                    unbalanced = True
                    added.insert(0, Constituent(label, 0, word))
                    continue
                opened, start, _ = nodes[stack[-1]]
                unbalanced = unbalanced or opened != label or start == word
                nodes[stack.pop()] = (opened, start, word)
        unbalanced = unbalanced or bool(stack) or not ended
        for i in stack:
            nodes[i] = (nodes[i][0], nodes[i][1], n_words)
        tree = [*added, *(Constituent(*node) for node in nodes)]
        kept = [node for node in tree if node.start < node.end]
        return Decoded(kept, unbalanced, words_seen != n_words)
