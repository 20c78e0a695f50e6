"""Sentences changed in several ways, and what is left of their trees."""

import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import accumulate, chain, compress
from typing import Any, NamedTuple

from spacy_gfl.evaluation.parameters import COLLINS
from spacy_gfl.trees.tree import Constituent, Tree


class Case(NamedTuple):
    """A sentence that was changed, and the words whose constituents are compared.

    Attributes:
        words: What is parsed.
        tags: Its gold tags.
        kept: Which words of the sentence that it is made of were not dropped.
        start: Of those, the first whose constituents are compared.
        end: The one after the last.
        place: Where the first stands among the words that are parsed.
    """

    words: tuple[str, ...]
    tags: tuple[str, ...]
    kept: list[bool]
    start: int
    end: int
    place: int = 0


Change = Callable[[Tree, random.Random], Case]
#: Ways to write all words.
CASES = {
    "small letters": str.lower,
    "capitals": str.upper,
    "a capital at each word": str.title,
}


def same(tree: Tree, rng: random.Random | None = None) -> Case:
    """A sentence as it is."""
    return Case(tree.words, tree.tags, [True] * len(tree), 0, len(tree))


def prune(nodes: Iterable[Constituent], kept: Sequence[bool]) -> list[Constituent]:
    """Constituents without the words that are dropped; those without words go too.

    Where this leaves two of one label over the same words, mother and child, one of
    them goes: `(VP (TO to) (VP (VB go)))` without `to` is `(VP (VB go))`.
    """
    at = list(accumulate(kept, initial=0))
    found: list[Constituent] = []
    mother: tuple[int, int] | None = None
    for label, start, end in nodes:
        pruned = Constituent(label, at[start], at[end])
        is_double = found[-1:] == [pruned] and mother != (start, end)
        if pruned.start < pruned.end and not is_double:
            found.append(pruned)
            mother = (start, end)
    return found


def inside(
    nodes: Iterable[Constituent], tags: Sequence[str], start: int, end: int
) -> list[Constituent]:
    """The brackets inside of some words that EVALB counts, in its words from there."""
    at = list(accumulate((tag not in COLLINS.delete for tag in tags), initial=0))
    counted = COLLINS.counted((label, at[i], at[j]) for label, i, j in nodes)
    return [
        Constituent(label, i - at[start], j - at[start])
        for label, i, j in counted
        if at[start] <= i and j <= at[end]
    ]


def shuffle(tree: Tree, rng: random.Random, size: int, margin: int, least: int) -> Case:
    """Shuffle all but some words, which are compared, and `margin` on their sides.

    Sentences of fewer than `least` words stay as they are.
    """
    if len(tree) < max(size, least):
        return same(tree)
    start, order = rng.randrange(len(tree) - size + 1), [*range(len(tree))]
    far = [i for i in order if not start - margin <= i < start + size + margin]
    for i, j in zip(far, rng.sample(far, len(far)), strict=True):
        order[i] = j
    words, tags = (tuple(row[i] for i in order) for row in (tree.words, tree.tags))
    return Case(words, tags, [True] * len(tree), start, start + size, start)


def replace(
    tree: Tree,
    rng: random.Random,
    pool: dict[str, list[str]],
    tags: Sequence[str],
    spared: Sequence[str],
) -> Case:
    """Replace words of some tags, but those spared, by others of the tag's pool."""
    words = list(tree.words)
    for i, (word, tag) in enumerate(zip(tree.words, tree.tags, strict=True)):
        if tag in tags and pool[tag] and word.lower() not in spared:
            other = next((w for w in rng.choices(pool[tag], k=9) if w != word), word)
            is_first = i == 0 and word[:1].isupper()
            words[i] = other[:1].upper() + other[1:] if is_first else other
    return same(tree)._replace(words=tuple(words))


def drop(tree: Tree, rng: random.Random, tags: Sequence[str]) -> Case:
    """Drop the words of some tags."""
    kept = [tag not in tags for tag in tree.tags]
    words, left = (tuple(compress(row, kept)) for row in (tree.words, tree.tags))
    return Case(words, left, kept, 0, len(words))


def rewrite(tree: Tree, rng: random.Random, spell: Callable[[str], str]) -> Case:
    """Spell all words otherwise."""
    return same(tree)._replace(words=tuple(map(spell, tree.words)))


def mistype(tree: Tree, rng: random.Random, share: float) -> Case:
    """Swap two inner letters of a share of the words that have four letters or more."""
    words = list(tree.words)
    for i, word in enumerate(words):
        if len(word) > 3 and word.isalpha() and rng.random() < share:
            at = rng.randrange(1, len(word) - 2)
            words[i] = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    return same(tree)._replace(words=tuple(words))


def join(tree: Tree, rng: random.Random, trees: Sequence[Tree], how: str) -> Case:
    """Put another sentence beside one that ends in a full stop or its like.

    Args:
        tree: The sentence whose constituents are compared.
        rng: Chooses the other.
        trees: What the other is chosen from.
        how: "before" it, "after" it, or after it "without stop": whatever
            punctuation is at the end is dropped.
    """
    other, size = rng.choice(trees), len(tree)
    if tree.tags[-1] != "." or other is tree:
        return same(tree)
    while how == "without stop" and size > 1 and tree.tags[size - 1] in COLLINS.delete:
        size -= 1
    kept = [i < size for i in range(len(tree))]
    words, tags = tree.words[:size], tree.tags[:size]
    if how == "before":
        beside = (other.words + words, other.tags + tags)
        return Case(*beside, kept, 0, size, len(other))
    return Case(words + other.words, tags + other.tags, kept, 0, size)


def all_changes(trees: Sequence[Tree], config: dict[str, Any]) -> dict[str, Change]:
    """The changes of sentences, by name; words that are put in are the trees'."""
    least, core, found = config["least"], config["core"], {}
    windows = [(size, 0) for size in config["windows"]]
    for size, margin in [*windows, *((core, margin) for margin in config["margins"])]:
        change = partial(shuffle, size=size, margin=margin, least=least)
        found[shuffled(size, margin)] = change
    pool, spared = defaultdict(list), config["spared"]
    for tree in trees:
        # Not a sentence's first word: it has a capital.
        for word, tag in zip(tree.words[1:], tree.tags[1:], strict=True):
            if word.lower() not in spared:
                pool[tag].append(word)
    for name, tags in with_all(config["replaced"]):
        change = partial(replace, pool=pool, tags=tags, spared=spared)
        found[f"replaced: {name}"] = change
    dropped = [*with_all(config["dropped"]), ("punctuation", config["punctuation"])]
    for name, tags in dropped:
        found[f"dropped: {name}"] = partial(drop, tags=tags)
    for name, how in CASES.items():
        found[f"case: {name}"] = partial(rewrite, spell=how)
    for share in config["mistyped"]:
        found[f"mistyped: {share:.0%} of words"] = partial(mistype, share=share)
    for name, how in config["joined"].items():
        found[name] = partial(join, trees=trees, how=how)
    return found


def shuffled(size: int, margin: int) -> str:
    """The name of a shuffle."""
    around = f" and {margin} on each side" if margin else ""
    return f"shuffled but for {size}{around}"


def with_all(groups: dict[str, list[str]]) -> list[tuple[str, list[str]]]:
    """Groups of tags by name, and all of them together."""
    return [*groups.items(), ("all of these", [*chain(*groups.values())])]
