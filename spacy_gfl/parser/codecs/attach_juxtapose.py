"""Trees as one action a word (Yang and Deng 2020, *Strongly Incremental
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
from typing import Any, NamedTuple

import numpy

from spacy_gfl.neural.constraints import Required, crowded
from spacy_gfl.parser.codecs.base import Decoded, LabelDataError, TreeCodec, is_name
from spacy_gfl.trees.tree import MISSING_TAG, Constituent, Tree


class Actions(NamedTuple):
    """The actions that write a tree, and the chains that they are taken in.

    Labels are numbered from 1; 0 is no label, and the root has the number after
    the last.

    Attributes:
        actions: Target, new label and parent label of every word, `(words, 3)`.
        chain_sizes: Nodes of the chain before every word, `(words,)`.
        chain_starts: Where each of these nodes begins, from the root down, one word
            after the other, `(nodes,)`.
        chain_labels: Their labels, `(nodes,)`.
        tags: The number of each word's tag, -1 for one not known, `(words,)`.
    """

    actions: numpy.ndarray
    chain_sizes: numpy.ndarray
    chain_starts: numpy.ndarray
    chain_labels: numpy.ndarray
    tags: numpy.ndarray


class _Node:
    """A node of the tree that is being taken apart."""

    __slots__ = ("children", "label", "mother", "start")

    def __init__(self, label: int, start: int, mother: "_Node | None") -> None:
        self.label = label
        self.start = start
        self.mother = mother
        #: Nodes, and words as None.
        self.children: list[_Node | None] = []


class AttachJuxtapose(TreeCodec):
    """The vocabulary of actions: joined labels, and tags.

    Args:
        labels: The constituent labels.
        chains: The joined labels, each a tuple of labels.
        tags: The tags that a tagger may learn.

    Raises:
        LabelDataError: If a chain is empty or given twice, or has a label that is
            not among the labels.
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
        known = frozenset(self.labels)
        for chain in self.chains:
            if not chain or not known.issuperset(chain):
                raise LabelDataError(f"{chain!r} is no chain of labels.")
        if len(self._chain_ids) != len(self.chains) or len(known) != len(self.labels):
            raise LabelDataError("A label or a chain of labels is given twice.")

    @classmethod
    def from_trees(cls, trees: Iterable[Tree]) -> "AttachJuxtapose":
        """Collect labels, chains and tags, the most frequent first.

        A label that trees have in chains alone can stand by itself too.
        """
        labels: Counter[str] = Counter()
        chains: Counter[tuple[str, ...]] = Counter()
        tags: Counter[str] = Counter()
        for tree in trees:
            labels.update(node.label for node in tree.constituents)
            chains.update(chain for chain, _, _ in _joined(tree))
            tags.update(tag for tag in tree.tags if tag != MISSING_TAG)
        chains.update({(label,): 0 for label in labels})
        return cls(_ranked(labels), _ranked(chains), _ranked(tags))

    @classmethod
    def _from_data(cls, data: dict[str, Any]) -> "AttachJuxtapose":
        chains, tags = data.get("chains"), data.get("tags", [])
        if not isinstance(chains, list) or not isinstance(tags, list):
            raise LabelDataError('Label data need lists of "chains" and "tags".')
        for chain in chains:
            if not isinstance(chain, list) or not all(map(is_name, chain)):
                raise LabelDataError(f"Label data hold {chain!r}, which is no chain.")
        for tag in tags:
            if not is_name(tag):
                raise LabelDataError(f"Label data hold {tag!r}, which is no tag.")
        return cls(data["labels"], chains, tags)

    def _to_data(self) -> dict[str, Any]:
        return {
            "labels": list(self.labels),
            "chains": [list(chain) for chain in self.chains],
            "tags": list(self.tags),
        }

    def with_labels(self, labels: Iterable[str]) -> "AttachJuxtapose":
        new = [label for label in labels if label not in self.labels]
        chains = [*self.chains, *((label,) for label in new)]
        return AttachJuxtapose([*self.labels, *new], chains, self.tags)

    def network_settings(self) -> dict[str, Any]:
        """The numbers of joined labels and of tags."""
        return {"n_labels": len(self.chains), "n_tags": len(self.tags)}

    def label_id(self, chain: tuple[str, ...]) -> int:
        """The number of a joined label; of its longest known part if it is unknown.

        Of parts of one length the outermost is taken. Returns 0 if no part is known.
        """
        found = self._chain_ids.get(chain)
        if found is not None:
            return found
        for size in range(len(chain) - 1, 0, -1):
            for first in range(len(chain) - size + 1):
                found = self._chain_ids.get(chain[first : first + size])
                if found is not None:
                    return found
        return 0

    def bearing(self, labels: Collection[str]) -> frozenset[int]:
        """The numbers of the joined labels that have all of these."""
        asked = frozenset(labels)
        return frozenset(
            number + 1
            for number, chain in enumerate(self.chains)
            if asked.issubset(chain)
        )

    def crowded(
        self, required: Sequence[Required], n_words: int, max_depth: int
    ) -> list[tuple[int, int]]:
        """Those around the word that most are around, if a chain is too short."""
        return crowded(required, max_depth)

    def unknown(self, tree: Tree) -> list[str]:
        """The labels of the constituents that `encode` leaves out."""
        left_out: list[str] = []
        for chain, _, _ in _joined(tree):
            number = self.label_id(chain)
            if not number or len(self.chains[number - 1]) < len(chain):
                kept = Counter(self.chains[number - 1] if number else ())
                left_out.extend((Counter(chain) - kept).elements())
        return left_out

    def encode(self, tree: Tree) -> Actions:
        """The actions of a tree, found by undoing them from the last word on.

        Constituents are left out whose labels are unknown; of an unknown chain the
        longest known part stays.
        """
        n_words, root_label = len(tree), len(self.chains) + 1
        root, leaves = self._link(tree, root_label)
        actions = numpy.zeros((n_words, 3), dtype="int64")
        chains: list[list[_Node]] = []
        labels: list[list[int]] = []
        for word in range(n_words - 1, -1, -1):
            mother = leaves[word]
            mother.children.pop()
            parent = new = 0
            if not mother.children and mother.mother is not None:
                # Only this word was in it: it came with the word.
                parent, mother = mother.label, mother.mother
                mother.children.pop()
            target = mother
            left = mother.children
            if mother.mother is not None and len(left) == 1 and left[0] is not None:
                # Without the word there is one constituent in it, so it is new.
                new, target = mother.label, left[0]
                mother.mother.children[-1] = target
                target.mother = mother.mother
            chain, depth = self._chain(root, target)
            actions[word] = depth, new, parent
            chains.append(chain)
            labels.append([node.label for node in chain])
        chains.reverse()
        labels.reverse()
        sizes = [len(chain) for chain in chains]
        starts = [node.start for chain in chains for node in chain]
        return Actions(
            actions,
            numpy.array(sizes, dtype="int64"),
            numpy.array(starts, dtype="int64"),
            numpy.array([n for of_word in labels for n in of_word], dtype="int64"),
            numpy.array([self._tag_ids.get(tag, -1) for tag in tree.tags], "int64"),
        )

    def _link(self, tree: Tree, root_label: int) -> tuple[_Node, list[_Node]]:
        """The joined tree as linked nodes, and the mother of every word."""
        root = _Node(root_label, 0, None)
        stack = [(root, len(tree))]
        nodes = [(self.label_id(chain), i, j) for chain, i, j in _joined(tree)]
        following = 0
        leaves: list[_Node] = []
        for word in range(len(tree)):
            while stack[-1][1] <= word and len(stack) > 1:
                stack.pop()
            while following < len(nodes) and nodes[following][1] == word:
                label, start, end = nodes[following]
                following += 1
                if label:
                    node = _Node(label, start, stack[-1][0])
                    stack[-1][0].children.append(node)
                    stack.append((node, end))
            stack[-1][0].children.append(None)
            leaves.append(stack[-1][0])
        return root, leaves

    @staticmethod
    def _chain(root: _Node, target: _Node) -> tuple[list[_Node], int]:
        """The rightmost chain, and where the target stands in it."""
        chain, node = [root], root
        while node.children and node.children[-1] is not None:
            node = node.children[-1]
            chain.append(node)
        return chain, next(i for i, node in enumerate(chain) if node is target)

    def steps(self, tree: Tree) -> list[str]:
        """The words: one action adds one word."""
        return list(tree.words)

    def decode(self, output: Sequence[Any], n_words: int) -> Decoded:
        """The tree that actions write.

        Args:
            output: Target, new label and parent label of every word.
            n_words: How many there are.
        """
        # Start, end and joined label; the chain holds indices, without the root.
        nodes: list[list[int]] = []
        chain: list[int] = []
        for word, (target, new, parent) in enumerate(output):
            kept = target - 1 if new else target
            for closed in chain[kept:]:
                nodes[closed][1] = word
            if new:
                start = nodes[chain[kept]][0]
                chain[kept:] = [len(nodes)]
                nodes.append([start, n_words, new])
            else:
                del chain[kept:]
            if parent:
                chain.append(len(nodes))
                nodes.append([word, n_words, parent])
        # Joined nodes have different extents, so these say what is in what.
        nodes.sort(key=lambda node: (node[0], -node[1]))
        chains = self.chains
        return Decoded(
            [
                Constituent(label, start, end)
                for start, end, number in nodes
                for label in chains[number - 1]
            ]
        )


def _joined(tree: Tree) -> Iterable[tuple[tuple[str, ...], int, int]]:
    """The constituents with unary chains joined, in pre-order."""
    nodes = tree.constituents
    first = 0
    for i, (_, start, end) in enumerate(nodes):
        following = nodes[i + 1] if i + 1 < len(nodes) else None
        if following is None or following[1:] != (start, end):
            yield tuple(node.label for node in nodes[first : i + 1]), start, end
            first = i + 1


def _ranked(counts: Counter[Any]) -> list[Any]:
    return sorted(counts, key=lambda key: (-counts[key], key))
