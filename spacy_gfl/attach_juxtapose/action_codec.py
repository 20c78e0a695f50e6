"""Trees as one action per word (Yang and Deng 2020, *Strongly Incremental
Constituency Parsing*, section 3).

Before word w there is a partial tree over the words before it. Its rightmost
chain is c_0, the root (TOP), then always the last child, as long as that is a
constituent. An action (target i, new label, parent label) adds the word:

- without a new label it *attaches* the word, which becomes the last child of c_i;
- with one it *juxtaposes* it: a node of that label takes c_i's place, with c_i as
  its first child and the word as its second;
- with a parent label the word goes in wrapped in a node of that label.

Every tree is one sequence of actions, and any sequence is a tree:

    (S (NP (DT The) (NN dog)) (VP (VBZ barks)))
    The: (0, -, NP)    dog: (1, -, -)    barks: (1, S, VP)

Unary chains are joined to one label (`S+VP`).
"""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy

from spacy_gfl.attach_juxtapose.actions import Actions
from spacy_gfl.decoding.codec import (
    ConstrainableCodec,
    Decoded,
    LabelDataError,
    is_name,
    ranked,
)
from spacy_gfl.trees.tree import MISSING_TAG, Constituent, Tree, unary_chains


class AttachJuxtapose(ConstrainableCodec):
    """The vocabulary of actions: joined labels, and tags.

    Args:
        labels: The constituent labels, each once.
        chains: The joined labels, each once: a tuple of some of the labels.
        tags: The tags that a tagger may learn.
    """

    kind = "attach_juxtapose"

    def __init__(
        self,
        labels: Sequence[str],
        chains: Sequence[Sequence[str]],
        tags: Sequence[str] = (),
    ) -> None:
        self.labels = tuple(labels)
        self.chains = tuple(tuple(chain) for chain in chains)
        self.tags = tuple(tags)
        self._chain_ids = {chain: i + 1 for i, chain in enumerate(self.chains)}
        self._tag_ids = {tag: i for i, tag in enumerate(self.tags)}

    @classmethod
    def from_trees(cls, trees: Iterable[Tree]) -> "AttachJuxtapose":
        """Collect labels, chains and tags, the most frequent first.

        A label that trees have in chains alone can stand by itself too.
        """
        labels: Counter[str] = Counter()
        joined: Counter[tuple[str, ...]] = Counter()
        tags: Counter[str] = Counter()
        for tree in trees:
            labels.update(node.label for node in tree.constituents)
            joined.update(unary_chains(tree.constituents).values())
            tags.update(tag for tag in tree.tags if tag != MISSING_TAG)
        joined.update({(label,): 0 for label in labels})
        return cls(ranked(labels), ranked(joined), ranked(tags))

    @classmethod
    def _from_data(cls, data: dict[str, Any]) -> "AttachJuxtapose":
        chains, tags = data.get("chains"), data.get("tags", [])
        if not isinstance(chains, list) or not isinstance(tags, list):
            raise LabelDataError('Label data need lists of "chains" and "tags".')
        known = frozenset(data["labels"])
        for chain in chains:
            are_names = isinstance(chain, list) and all(map(is_name, chain))
            if not (are_names and chain and known.issuperset(chain)):
                raise LabelDataError(
                    f"The label data have {chain!r}, which is not a unary chain of "
                    "known labels."
                )
        if len(set(map(tuple, chains))) < len(chains):
            raise LabelDataError("The label data have a unary chain twice.")
        for tag in tags:
            if not is_name(tag):
                raise LabelDataError(
                    f"The label data have {tag!r}, which is not a tag."
                )
        return cls(data["labels"], chains, tags)

    def _to_data(self) -> dict[str, Any]:
        chains = [list(chain) for chain in self.chains]
        return {"chains": chains, "tags": list(self.tags)}

    def with_labels(self, labels: Iterable[str]) -> "AttachJuxtapose":
        new = [label for label in dict.fromkeys(labels) if label not in self.labels]
        chains = [*self.chains, *((label,) for label in new)]
        return AttachJuxtapose([*self.labels, *new], chains, self.tags)

    def network_settings(self) -> dict[str, Any]:
        """The numbers of joined labels and of tags."""
        return {"n_labels": len(self.chains), "n_tags": len(self.tags)}

    def label_id(self, chain: tuple[str, ...]) -> int:
        """The number of a joined label; of its longest known part if it is unknown.

        Among parts of one length, it is the outermost. Returns 0 if no part is known.
        """
        for size in range(len(chain), 0, -1):
            for first in range(len(chain) - size + 1):
                number = self._chain_ids.get(chain[first : first + size])
                if number is not None:
                    return number
        return 0

    def bearing(self, labels: Collection[str]) -> frozenset[int]:
        """The numbers of the joined labels that have all of these."""
        asked, ids = frozenset(labels), self._chain_ids.items()
        return frozenset(i for chain, i in ids if asked.issubset(chain))

    def unknown(self, tree: Tree) -> list[str]:
        """The labels of the constituents that `encode` leaves out."""
        left_out: list[str] = []
        for chain in unary_chains(tree.constituents).values():
            number = self.label_id(chain)
            if not number or len(self.chains[number - 1]) < len(chain):
                kept = Counter(self.chains[number - 1] if number else ())
                left_out.extend((Counter(chain) - kept).elements())
        return left_out

    def encode(self, tree: Tree) -> Actions:
        """The actions of a tree, and the chain before each.

        Constituents are left out whose labels are unknown; of an unknown chain the
        longest known part stays.
        """
        n_words = len(tree)
        labels, starts, ends = self._nodes(tree)
        # A node is there from its second child on, which begins with this word, if its
        # first child is a constituent, and else from its first word on.
        births = starts.copy()
        has_child = starts[1:] == starts[:-1]
        births[:-1][has_child] = ends[1:][has_child]
        births[0] = -1
        # It is in the chains before the words after that, up to its end.
        n_chains = numpy.minimum(ends, n_words - 1) - births
        nodes = numpy.arange(len(births)).repeat(n_chains)
        words = numpy.arange(len(nodes)) - (n_chains.cumsum() - n_chains)[nodes]
        words += births[nodes] + 1
        # From the root down, as in pre-order.
        chains = nodes[words.argsort(kind="stable")]
        sizes = numpy.bincount(words, minlength=n_words)
        new, parent = numpy.zeros((2, n_words), dtype="int64")
        new[births[births > starts]] = labels[births > starts]
        parent[starts[births == starts]] = labels[births == starts]
        # A new node takes the place of one of those that end here.
        closed = numpy.bincount(ends[ends < n_words], minlength=n_words)
        target = sizes - closed - 1 + (new > 0)
        return Actions(
            numpy.stack([target, new, parent], axis=1),
            sizes,
            starts[chains],
            labels[chains],
            numpy.array([self._tag_ids.get(tag, -1) for tag in tree.tags], "int64"),
        )

    def _nodes(self, tree: Tree) -> numpy.ndarray:
        """The root, and the joined constituents whose labels are known, in pre-order.

        Three rows: labels, starts and ends.
        """
        nodes = [(len(self.chains) + 1, 0, len(tree) + 1)]
        for extent, chain in unary_chains(tree.constituents).items():
            if label := self._chain_ids.get(chain) or self.label_id(chain):
                nodes.append((label, *extent))
        return numpy.array(nodes, dtype="int64").T

    def steps(self, tree: Tree) -> list[str]:
        """The words: one action adds one word."""
        return list(tree.words)

    def decode(self, output: Sequence[Any], n_words: int) -> Decoded:
        """The tree that actions write.

        Args:
            output: Target, new label and parent label of every word.
            n_words: How many there are.
        """
        # Start, end below zero and joined label: sorting puts a node before all nodes
        # inside of it. The chain holds indices, without the root.
        nodes: list[list[int]] = []
        chain: list[int] = []
        for word, (target, new, parent) in enumerate(output):
            kept = target - 1 if new else target
            for closed in chain[kept:]:
                nodes[closed][1] = -word
            if new:
                start = nodes[chain[kept]][0]
                chain[kept:] = [len(nodes)]
                nodes.append([start, -n_words, new])
            else:
                del chain[kept:]
            if parent:
                chain.append(len(nodes))
                nodes.append([word, -n_words, parent])
        return Decoded(
            [
                Constituent(label, start, -end)
                for start, end, number in sorted(nodes)
                for label in self.chains[number - 1]
            ]
        )
