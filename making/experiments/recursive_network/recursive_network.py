"""Does it help to know how a phrase is built, when its label is to be told?

A recursive network, p = tanh(W [a; b] + bias), composes the vectors of a binary tree's
nodes bottom up, and tells each constituent's label from its vector. It is compared with
a bi-LSTM that reads the words of the same constituents, one after the other.

    python making/experiments/recursive_network/recursive_network.py
"""

import argparse
import json
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import NamedTuple

import spacy
import torch
from torch import Tensor, nn
from torch.nn import functional
from wasabi import row

from spacy_gfl.annotation.storage import get_trees
from spacy_gfl.decoding.batches import length_batches
from spacy_gfl.layers.encoder import RecurrentStack
from spacy_gfl.tools.treebanks.inputs import read_treebank
from spacy_gfl.trees.tree import Tree

HERE = Path(__file__).resolve().parent
LENGTHS = [1, 2, 3, 5, 9, 17, 33]  # The least words of what is scored together.
NEW, NONE = -1, -2  # A label that training does not have; no label.


class Node(NamedTuple):
    """A node of a binary tree: its label if it has one, its words, its children."""

    label: str
    start: int
    end: int
    height: int = 0
    children: tuple[int, ...] = ()


def binary_nodes(tree: Tree, classes: bool = False) -> list[Node]:
    """The nodes of a tree made binary: words, then parents after children.

    A constituent of one word is that word's node, and a unary chain is one node, whose
    label is the chain's (`S+VP`). Words have their tag for a label if `classes`, as in
    the Stanford Sentiment Treebank: `(3 (2 It) (4 (2 's) (4 good)))`.
    """
    nodes = [Node(tag if classes else "", i, i + 1) for i, tag in enumerate(tree.tags)]
    *children, outermost = tree.children()
    labels = [node.label for node in tree.constituents]
    place: dict[int, int] = {}
    # The root, above all constituents, comes last: -1.
    for at in range(len(children) - 1, -2, -1):
        label, below = (labels[at], children[at]) if at >= 0 else ("", outermost)
        inside = [i if is_word else place[i] for is_word, i in below]
        if len(inside) == 1 and label:
            over = "" if below[0].is_word else f"+{nodes[inside[0]].label}"
            nodes[inside[0]] = nodes[inside[0]]._replace(label=label + over)
        while len(inside) > 1:
            pair = (inside[-2], inside[-1])
            left, right = nodes[pair[0]], nodes[pair[1]]
            # What only makes the tree binary has no label.
            name = label if len(inside) == 2 else ""
            height = 1 + max(left.height, right.height)
            inside[-2:] = [len(nodes)]
            nodes.append(Node(name, left.start, right.end, height, pair))
        place[at] = inside[0]
    return nodes


class Batch(NamedTuple):
    """The nodes of several trees, tree by tree, a row each."""

    words: Tensor  # 0 for what is no word
    levels: list[Tensor]  # of each height from 1 on: a node and its two children
    labels: Tensor  # or NEW, or NONE
    spans: Tensor  # its first word, and the one after its last
    roots: Tensor


def make_batch(trees: list[tuple[list[int], list[Node]]], labels: list[str]) -> Batch:
    """Put trees, given with the numbers of their words, into one batch."""
    number = {label: i for i, label in enumerate(labels)} | {"": NONE}
    levels = defaultdict(list)
    words, numbers, spans, roots = [], [], [], []
    for of_tree, nodes in trees:
        first = len(words)
        for at, node in enumerate(nodes, first):
            numbers.append(number.get(node.label, NEW))
            spans.append((first + node.start, first + node.end))
            if node.children:
                levels[node.height].append([at, *(first + i for i in node.children)])
        words += of_tree + [0] * (len(nodes) - len(of_tree))
        roots.append(len(words) - 1)
    by_height = [torch.tensor(levels[height]) for height in sorted(levels)]
    rest = map(torch.tensor, (numbers, spans, roots))
    return Batch(torch.tensor(words), by_height, *rest)


class Labeller(nn.Module):
    """Vectors of words, of the nodes above them, and the scores of their labels."""

    def __init__(self, kind: str, vectors: Tensor, n_labels: int, width: int) -> None:
        super().__init__()
        self.nodes = getattr(self, kind)
        self.words = nn.Embedding.from_pretrained(vectors.clone(), freeze=False)
        if kind == "bilstm":
            n_in = vectors.shape[1]
            self.encoder = RecurrentStack(n_in, width // 2, 1, "lstm", True)
        else:
            self.leaf = nn.Linear(vectors.shape[1], width)
            self.compose = nn.Linear(2 * width, width) if kind == "recursive" else None
        self.output = nn.Linear(width, n_labels)

    def forward(self, batch: Batch, nodes: Tensor) -> Tensor:
        """Scores of some nodes, `(nodes, labels)`."""
        return self.output(self.nodes(self.words(batch.words), batch, nodes))

    def recursive(self, words: Tensor, batch: Batch, nodes: Tensor) -> Tensor:
        """Compose, p = tanh(W [a; b] + bias), level by level over all trees."""
        states = self.leaf(words).tanh()
        for level in batch.levels:
            children = states[level[:, 1:]].flatten(1)
            states = states.index_copy(0, level[:, 0], self.compose(children).tanh())
        return states[nodes]

    def bilstm(self, words: Tensor, batch: Batch, nodes: Tensor) -> Tensor:
        """The last states, in both directions, over the words of each node alone."""
        spans = batch.spans[nodes]
        sizes, found, order = spans[:, 1] - spans[:, 0], [], []
        for group in length_batches(sizes.tolist(), 2000):
            lengths = sizes[group]
            inside = torch.arange(int(lengths.max()))
            places = spans[group, :1] + inside.clamp(max=lengths.unsqueeze(1) - 1)
            left, right = self.encoder(words[places], lengths).chunk(2, dim=2)
            last = left[torch.arange(len(group)), lengths - 1]
            found.append(torch.cat([last, right[:, 0]], dim=1))
            order += group
        return torch.cat(found)[torch.tensor(order).argsort()]

    def bag(self, words: Tensor, batch: Batch, nodes: Tensor) -> Tensor:
        """The mean of a node's words, in any order, then tanh(W x + bias)."""
        sums = functional.pad(words.cumsum(0), (0, 0, 1, 0))
        start, end = batch.spans[nodes].unbind(1)
        return self.leaf((sums[end] - sums[start]) / (end - start).unsqueeze(1)).tanh()


def learn(model: Labeller, batches: list[Batch], at_root: bool, config: dict) -> float:
    """Train; gives the processor's seconds per epoch."""
    start = time.process_time()
    optimizer = torch.optim.Adam(model.parameters(), lr=config["learn_rate"])
    for _ in range(config["epochs"]):
        for batch in (batches[i] for i in torch.randperm(len(batches))):
            nodes = batch.roots if at_root else torch.arange(len(batch.labels))
            nodes = nodes[batch.labels[nodes] >= 0]
            if len(nodes):
                optimizer.zero_grad()
                gold, scores = batch.labels[nodes], model(batch, nodes)
                functional.cross_entropy(scores, gold).backward()
                optimizer.step()
    return (time.process_time() - start) / config["epochs"]


@torch.no_grad()
def score(guess, batches: list[Batch]) -> dict[str, float]:
    """Right labels in percent, of all nodes, of roots and by length; NaN of none."""
    found = []
    for batch in batches:
        nodes = torch.arange(len(batch.labels))[batch.labels != NONE]
        right = guess(batch, nodes) == batch.labels[nodes]
        sizes = batch.spans[nodes].diff().squeeze(1)
        found.append(torch.stack([right, sizes, torch.isin(nodes, batch.roots)]))
    right, sizes, is_root = torch.cat(found, dim=1)
    parts = {"all": sizes > 0, "root": is_root > 0}
    for least, beyond in zip(LENGTHS, [*LENGTHS[1:], 10**9], strict=True):
        parts[f"{least}+"] = (sizes >= least) & (sizes < beyond)
    return {name: 100 * right[of].float().mean().item() for name, of in parts.items()}


def prepare(args: argparse.Namespace, config: dict) -> tuple[Tensor, list[str], list]:
    """Word vectors, labels, and the batches of train and dev."""
    vocab = spacy.load(args.vectors).vocab if args.vectors else spacy.blank("en").vocab
    parts: list[list] = [[], []]
    for part, path in zip(parts, (args.train, args.dev), strict=True):
        for tree in (t for doc in read_treebank(path, vocab) for t in get_trees(doc)):
            words = [word.lower() for word in tree.words]
            part.append((words, binary_nodes(tree, args.classes)))
    counts = Counter(word for words, _ in parts[0] for word in words)
    # A word that training does not have is known by its vector alone.
    counts.update({w: 2 for words, _ in parts[1] for w in words if vocab.has_vector(w)})
    known = [word for word, n in counts.items() if n > 1]
    vectors = torch.randn(len(known) + 1, config["vectors"]) * 0.3
    if args.vectors:
        rows = [torch.tensor(vocab.get_vector(word)).float() for word in known]
        vectors = torch.stack([torch.zeros_like(rows[0]), *rows])
    seen = Counter(node.label for _, nodes in parts[0] for node in nodes if node.label)
    labels = [label for label, n in seen.most_common() if n >= config["least"]]
    place, size, batches = {w: i for i, w in enumerate(known, 1)}, config["batch"], []
    for part in parts:
        trees = [([place.get(w, 0) for w in words], nodes) for words, nodes in part]
        trees.sort(key=lambda tree: len(tree[1]))
        cuts = range(0, len(trees), size)
        batches.append([make_batch(trees[i : i + size], labels) for i in cuts])
    return vectors, labels, batches


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--train", type=Path, default="corpus/sm/train-gum.spacy")
    parser.add_argument("--dev", type=Path, default="corpus/sm/dev-gum.spacy")
    parser.add_argument("--vectors", help="A pipeline with word vectors to begin with.")
    parser.add_argument("--classes", action="store_true", help="As in SST.")
    parser.add_argument("--small", action="store_true", help="Tiny, for a test.")
    args = parser.parse_args()
    config = json.loads((HERE / "config.json").read_text(encoding="utf-8"))
    config |= config["small"] if args.small else {}
    torch.manual_seed(0)
    vectors, labels, (train, dev) = prepare(args, config)
    at_roots = torch.cat([batch.labels[batch.roots] for batch in train])
    often = torch.tensor([0, int(at_roots[at_roots >= 0].mode()[0])])
    found = score(lambda of, nodes: often[torch.isin(nodes, of.roots).long()], dev)
    header = ["network, taught at", "weights", "seconds per epoch", *found]
    widths = [20, 7, 16, *[5] * len(found)]
    print(f"{len(labels)} labels", row(header, widths=widths), sep="\n")
    line = ["most frequent label", "", ""]
    for kind, at_root in [(None, None), *config["networks"]]:
        if kind is not None:
            model = Labeller(kind, vectors, len(labels), config["width"])
            n_weights = sum(p.numel() for p in model.parameters()) - vectors.numel()
            line = [f"{kind}, {'roots' if at_root else 'all nodes'}", f"{n_weights:,}"]
            line.append(f"{learn(model, train, at_root, config):.1f}")
            found = score(lambda *nodes, of=model: of(*nodes).argmax(1), dev)
        shown = [*line, *(f"{value:.1f}" for value in found.values())]
        print(row(shown, widths=widths), flush=True)


if __name__ == "__main__":
    main()
