"""Random trees for property tests, with everything in them that could go wrong."""

from typing import Any, List, Tuple

from hypothesis import strategies as st
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_gfl import Tree, set_trees
from spacy_gfl.trees.labels import CONSTITUENTS

# What escaping turns on, so that random concatenations come near its edges.
PIECES = [
    *("-", "(", ")", "L", "LRB", "RRB", "RB-", "-LRB-", "-RRB-", "-LCB-", "-LSB-"),
    *("U", "+", "U+", "0028", "-U+0028-", "-U+", "-U+110000-", "10FFFF-"),
    *("[", "}", "/", "=", "|", "#", "a", "1", "*", "'", "``", "''", '"', "\\"),
    *("-NONE-", "TOP", "XX", "NP-SBJ-1", "\u201c", "\U0001f600", "e\u0301"),
    *(" ", "\t", "\n", "\r", "\x85", "\u00a0", "\u2003", "\u2028", "\u200b", "\ufeff"),
    *("\u05e9\u05dc\u05d5\u05dd", "\u202e"),
]
PLAIN_LABELS = ["S", "NP", "VP", "PP", "NP-SBJ-1", "NP=2", "NP|NX", "TOP", "ROOT"]
PLAIN_TAGS = ["NN", "DT", "-LRB-", "PRP$", ",", "``", "XX", "TOP", "-NONE-"]

_characters = st.characters(exclude_categories=["Cs"])


def texts() -> st.SearchStrategy[str]:
    """Anything that may be a word, a tag or a label: any text but the empty one."""
    pieces = st.lists(st.sampled_from(PIECES), min_size=1, max_size=5).map("".join)
    return pieces | st.text(_characters, min_size=1, max_size=6)


def labels() -> st.SearchStrategy[str]:
    """Labels, half of them such as treebanks have."""
    return st.sampled_from(PLAIN_LABELS) | texts()


#: Words and tags, half of them such as treebanks have.
_WORDS = st.sampled_from(["dog", "the", "Xpd", "42", "."]) | texts()
#: nltk.Tree does not tell a tag from a constituent without tags below it.
_TAGS = st.sampled_from(PLAIN_TAGS) | texts().filter(lambda t: t not in CONSTITUENTS)


def token_words() -> st.SearchStrategy[str]:
    """Words that are no white space, which on a Doc is not a word."""
    return _WORDS.filter(lambda word: not word.isspace())


@st.composite
def extents(draw: Any, n_words: int, max_size: int = 12) -> List[Tuple[int, int]]:
    """Nested extents in pre-order, equal ones (unary chains) among them."""
    pairs = st.tuples(st.integers(0, n_words - 1), st.integers(1, n_words))
    kept: List[Tuple[int, int]] = []
    for start, end in draw(st.lists(pairs, max_size=max_size)):
        crosses = any(
            start < other_start < end < other_end
            or other_start < start < other_end < end
            for other_start, other_end in kept
        )
        if start < end and not crosses:
            kept.append((start, end))
            # Chains would be rare otherwise.
            kept.extend([(start, end)] * draw(st.sampled_from([0, 0, 0, 1, 3])))
    return sorted(kept, key=lambda extent: (extent[0], -extent[1]))


@st.composite
def trees(
    draw: Any,
    *,
    words: st.SearchStrategy[str] = _WORDS,
    tags: st.SearchStrategy[str] = _TAGS,
    labels: st.SearchStrategy[str] = labels(),  # noqa: B008
    max_words: int = 8,
) -> Tree:
    """Trees and forests of 1 to `max_words` words, some words in no constituent."""
    sentence = draw(st.lists(words, min_size=1, max_size=max_words))
    n_words = len(sentence)
    return Tree(
        tuple(sentence),
        tuple(draw(st.lists(tags, min_size=n_words, max_size=n_words))),
        tuple((draw(labels), *extent) for extent in draw(extents(n_words))),
    )


def plain_trees(max_words: int = 8) -> st.SearchStrategy[Tree]:
    """Trees that cleaning leaves as they are and no escape is needed for."""
    return trees(
        words=st.sampled_from(["dog", "the", "-", "'s", "\U0001f600"]),
        tags=st.sampled_from(["NN", "DT", "-LRB-", "PRP$", ","]),
        labels=st.sampled_from(["S", "NP", "VP", "NP|NX", "-LRB-"]),
        max_words=max_words,
    )


@st.composite
def docs(
    draw: Any,
    *,
    labels: st.SearchStrategy[str] = labels(),  # noqa: B008
    max_sents: int = 3,
    max_words: int = 6,
) -> Doc:
    """Docs with trees over up to `max_sents` sentences, white space between words."""
    sentences = trees(words=token_words(), labels=labels, max_words=max_words)
    drawn = draw(st.lists(sentences, min_size=1, max_size=max_sents))
    words: List[str] = []
    tags: List[str] = []
    starts: List[bool] = []
    for tree in drawn:
        begin = len(words)
        for word, tag in zip(tree.words, tree.tags, strict=True):
            space = [" "] * draw(st.sampled_from([0, 0, 0, 1, 2]))
            words += [*space, word]
            tags += [*["_SP"] * len(space), tag]
        space = ["\n"] * draw(st.sampled_from([0, 0, 1]))
        words, tags = words + space, tags + ["_SP"] * len(space)
        starts += [i == begin for i in range(begin, len(words))]
    doc = Doc(Vocab(), words=words, tags=tags, sent_starts=starts)
    set_trees(doc, [tree.constituents for tree in drawn])
    return doc


def deep_tree(depth: int, n_words: int = 3) -> Tree:
    """A chain of `depth` constituents, half over all words, half over the last."""
    half = depth // 2
    nodes = [(f"L{i}", 0, n_words) for i in range(half)]
    nodes += [(f"R{i}", n_words - 1, n_words) for i in range(depth - half)]
    sentence = tuple(f"w{i}" for i in range(n_words))
    return Tree(sentence, ("NN",) * n_words, tuple(nodes))
