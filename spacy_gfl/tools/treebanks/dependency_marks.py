"""Punctuation of dependency trees: which words it is, and where it stands in trees."""

from collections.abc import Iterable, Sequence

from spacy_gfl.tools.treebanks.dependency_blocks import Word
from spacy_gfl.trees.tree import Constituent, Tree, in_pre_order

_PAIRS = {
    **{"(": ")", "[": "]", "{": "}", "-LRB-": "-RRB-", "``": "''", "（": "）"},
    **{"「": "」", "『": "』", "《": "》", "【": "】", "〈": "〉", "¿": "?", "¡": "!"},
    **{"“": "”", "„": "“”", "«": "»", "»": "«", "‹": "›", "‘": "’", "‚": "‘’"},
    **{'"': '"', "”": "”", ",,": "''"},
}
_BRACKETS = frozenset({"(", "[", "{", "-LRB-", "（", "【"})


def find_marks(words: Sequence[Word]) -> list[bool]:
    """Which words are punctuation that nothing depends on."""
    heads = {word.head for at, word in enumerate(words) if word.head != at}
    return [
        word.base == "punct" and word.tag != "SYM" and at not in heads
        for at, word in enumerate(words)
    ]


def with_marks(
    words: Sequence[Word],
    marks: Sequence[bool],
    constituents: Sequence[tuple[str, int, int]],
) -> Tree:
    """The tree of all words, with punctuation as high as its neighbours allow.

    The two marks of a pair stand in the same constituents; brackets and what they
    enclose are a parenthetical.
    """
    tags = tuple(word.tag for word in words)
    texts = tuple(word.text for word in words)
    pairs = dict(_pairs(texts, marks))
    openers = {close: opening for opening, close in pairs.items()}
    nodes = []
    *constituents, (root, *whole) = constituents or [("FRAG", 0, len(words))]
    for label, start, end in constituents:
        if label == root and [start, end] == whole:
            continue
        at = end
        while at < len(words) and marks[at]:
            if start <= openers.get(at, -1) < end:
                end = at + 1
            at += 1
        at = start - 1
        while at >= 0 and marks[at]:
            if start < pairs.get(at, -1) < end:
                start = at
            at -= 1
        nodes.append(Constituent(label, start, end))
    nodes.append(Constituent(root, 0, len(words)))
    tree = Tree(texts, tags, in_pre_order(reversed(nodes)))
    above = {
        c.at: n
        for n, children in enumerate(tree.children())
        for c in children
        if c.is_word
    }
    for opening, close in pairs.items():
        is_within = close - opening > 1 and (opening, close + 1) != (0, len(words))
        is_bracket = texts[opening] in _BRACKETS and above[opening] == above[close]
        if is_within and is_bracket:
            nodes.append(Constituent("PRN", opening, close + 1))
    return Tree(texts, tags, in_pre_order(reversed(nodes)))


def _pairs(texts: Sequence[str], marks: Sequence[bool]) -> Iterable[tuple[int, int]]:
    """The pairs of brackets and quotation marks among the marks."""
    opened: list[int] = []
    for at, text in enumerate(texts):
        if not marks[at]:
            continue
        closes = [
            n
            for n in range(max(0, len(opened) - 4), len(opened))
            if text in _PAIRS[texts[opened[n]]]
        ]
        if closes:
            yield opened[closes[-1]], at
            del opened[closes[-1] :]
        elif text in _PAIRS:
            opened.append(at)
