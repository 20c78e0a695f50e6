"""Sequences of actions that add words to a tree, drawn and counted by hand."""

from collections.abc import Iterator
from itertools import cycle, islice
from random import Random
from typing import Any

from helpers.searching import untrained
from spacy_gfl import Tree
from spacy_gfl.attach_juxtapose.action_codec import AttachJuxtapose
from spacy_gfl.attach_juxtapose.pointer_network import AttachJuxtaposeNetwork

#: Settings as shipped, at sizes that can be checked number by number.
SETTINGS = {
    "width": 4,
    "depth": 2,
    "cell": "lstm",
    "bidirectional": True,
    "decoder_width": 5,
    "hidden_width": 6,
    "tag_loss": 0.5,
    "max_depth": 64,
}
Action = tuple[int, int, int]


def codec(n_labels: int, n_tags: int = 0) -> AttachJuxtapose:
    """A vocabulary without unary chains."""
    labels = [f"L{i}" for i in range(n_labels)]
    tags = [f"T{i}" for i in range(n_tags)]
    return AttachJuxtapose(labels, [(label,) for label in labels], tags)


def transition_parser(
    n_labels: int, n_tags: int = 0, seed: int = 0, **settings: Any
) -> AttachJuxtaposeNetwork:
    """An untrained parser that writes actions."""
    options = {**SETTINGS, "n_labels": n_labels, "n_tags": n_tags, **settings}
    return untrained(seed, AttachJuxtaposeNetwork, input_width=5, **options)


def legal(size: int, n_labels: int) -> Iterator[Action]:
    """The actions where the chain has so many nodes."""
    for target in range(size):
        for new in range(n_labels + 1 if target else 1):
            for parent in range(n_labels + 1):
                yield target, new, parent


def size_after(action: Action) -> int:
    """The nodes of the chain after an action: section 3 of Yang and Deng (2020)."""
    target, _, parent = action
    return target + 1 + (parent > 0)


def deepest(actions: list[Action]) -> int:
    """The most nodes that a chain has had."""
    return max([1, *map(size_after, actions)])


def every_sequence(n_words: int, n_labels: int, size: int = 1) -> list[list[Action]]:
    """Every sequence of actions over so many words."""
    if n_words == 0:
        return [[]]
    return [
        [action, *others]
        for action in legal(size, n_labels)
        for others in every_sequence(n_words - 1, n_labels, size_after(action))
    ]


def random_sequence(n_words: int, n_labels: int, seed: int) -> list[Action]:
    random, size, found = Random(seed), 1, []
    for _ in range(n_words):
        found.append(random.choice(list(legal(size, n_labels))))
        size = size_after(found[-1])
    return found


def tree_of(vocabulary: AttachJuxtapose, actions: list[Action]) -> Tree:
    n_words = len(actions)
    tags = islice(cycle(vocabulary.tags or ["XX"]), n_words)
    constituents = vocabulary.decode(actions, n_words).constituents
    return Tree(("w",) * n_words, tuple(tags), tuple(constituents))


def log_prob_of(parser: AttachJuxtaposeNetwork, encoded: Any, target: Any) -> float:
    """The log-probability of one sentence's actions, teacher-forced, without tags."""
    tagger, parser.tagger = parser.tagger, None
    loss = parser.loss(encoded, [target], 0.0)
    parser.tagger = tagger
    return -loss.item()
