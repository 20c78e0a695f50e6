"""Constituents that a dependency tree asks for.

The words under a head are a constituent for nearly every argument and modifier. So a
treebank of dependencies, or a dependency parser, says most of what is hard to decide
in a constituency tree: attachment, coordination, where a clause ends.
"""

from bisect import bisect_left
from collections.abc import Sequence
from operator import contains

from spacy.tokens import Doc, Span, Token

from spacy_gfl.annotation.sentence_words import is_word, sentences

#: The span group of what must be constituents, which a parser obeys.
REQUIRED_KEY = "constituency_required"
_UNIVERSAL = """nsubj csubj obj iobj obl nmod amod advmod advcl acl ccomp xcomp conj
    appos vocative dislocated"""
_CLEAR = """nsubjpass csubjpass dobj dative prep pobj pcomp relcl npadvmod attr acomp"""
#: Relations whose dependents are constituents, with all subtypes: those of Universal
#: Dependencies, and what spaCy's English pipelines (CLEAR style) have beside them.
RELATIONS = frozenset(f"{_UNIVERSAL} {_CLEAR}".split())
#: Subtypes whose dependents are no constituents (dates, titles before names).
EXCLUDED = frozenset({"nmod:unmarked", "nmod:desc"})
#: Relations and tags of what is no constituent under a number, but a part of its QP:
#: more than ten, at least ten, five to ten.
_OF_NUMBERS = frozenset({"advmod", "nmod"})
_IN_NUMBERS = ("CD", "RB", "JJ", "IN")
_COORDINATION = frozenset({"cc", "conj", "preconj"})
#: What may close an opening mark. Some close it in one language and open in another.
_CLOSING = {
    **{"(": [")"], "[": ["]"], "{": ["}"], "-LRB-": ["-RRB-"], "``": ["''"]},
    **{"（": ["）"], "「": ["」"], "『": ["』"], "《": ["》"], "【": ["】"]},
    **{"“": ["”"], "„": ["“", "”"], "«": ["»"], "»": ["«"], "‹": ["›"], "›": ["‹"]},
    **{'"': ['"'], "”": ["”"]},
}
_BRACKETS = frozenset(_CLOSING).union(*_CLOSING.values())


def spans_from_dependencies(doc: Doc) -> list[Span]:
    """Find the constituents that the dependency tree of a Doc asks for.

    A parser obeys these spans in `doc.spans["constituency_required"]`. Each is the
    subtree of an argument or a modifier (`RELATIONS`) of two words or more that has no
    gap, without punctuation at its ends; of a conjunct it is what belongs to that
    conjunct alone. Words that qualify a number (more than ten) are no such span. A
    span with an opening bracket or quotation mark extends to the closing one if this
    follows, and is left out otherwise.

    Args:
        doc: A Doc with dependencies, in Universal Dependencies or in the labels of
            spaCy's English pipelines.

    Returns:
        Unlabelled spans, in the order of their heads.

    Raises:
        ValueError: If the Doc has no dependencies.
    """
    if not doc.has_annotation("DEP"):
        raise ValueError(
            "This Doc has no dependencies (token.dep_, token.head). Run a dependency "
            "parser first."
        )
    spans = []
    for sent in sentences(doc):
        words = [token for token in sent if is_word(token)]
        spans += [
            doc[words[start].i : words[end - 1].i + 1]
            for start, end in dependency_extents(words)
        ]
    return spans


def dependency_extents(words: Sequence[Token]) -> list[tuple[int, int]]:
    """Find the constituents that the dependency tree of one sentence asks for.

    Args:
        words: The words of the sentence: its tokens but white space. Words whose heads
            go in a circle, as spaCy allows, ask for none.

    Returns:
        For each constituent its first word and the word after its last, from 0.
    """
    place = {token.i: n for n, token in enumerate(words)}
    children: list[list[int]] = [[] for _ in words]
    order: list[int] = []
    for n, token in enumerate(words):
        head = place.get(token.head.i, n)
        (order if head == n else children[head]).append(n)
    for n in order:  # which grows, heads before their dependents
        order += children[n]
    texts = [token.text for token in words]
    relations = [token.dep_.split(":")[0] for token in words]
    # Symbols that belong to their word, as in +/-, are attached as punctuation too.
    is_mark = [token.dep_ == "punct" and token.tag_ != "SYM" for token in words]
    unmarked = [n for n, marked in enumerate(is_mark) if not marked]
    brackets = [n for n, text in enumerate(texts) if text in _BRACKETS]
    # The first word, the one after the last, and the number of words below each word.
    below: list[tuple[int, int, int]] = [(n, n + 1, 1) for n in range(len(words))]
    extents = {}
    for n in reversed(order):
        start, end, size = below[n] = _joined(n, children[n], below)
        token, relation = words[n], relations[n]
        if relation not in RELATIONS or token.dep_ in EXCLUDED:
            continue
        is_of_number = relation in _OF_NUMBERS and token.head.tag_ == "CD"
        if is_of_number and token.tag_.startswith(_IN_NUMBERS):
            continue
        if relation == "conj":
            # What follows or precedes a conjunct under it without belonging to it.
            own = [i for i in children[n] if relations[i] not in _COORDINATION]
            start, end, size = _joined(n, own, below)
        if size < end - start:
            continue
        # Without punctuation at the ends, but for the word itself.
        first, last = bisect_left(unmarked, start), bisect_left(unmarked, end)
        inner = [*unmarked[first : first + 1], *unmarked[max(first, last - 1) : last]]
        start, end = min(n, *inner[:1]), max(n, *inner[-1:]) + 1
        marks = brackets[bisect_left(brackets, start) : bisect_left(brackets, end)]
        missing = _unclosed([texts[i] for i in marks])
        if end - start < 2 or missing is None:
            continue
        after = texts[end : end + len(missing)]
        if len(after) == len(missing) and all(map(contains, missing, after)):
            extents[n] = (start, end + len(missing))
    return [extents[n] for n in sorted(extents)]


def _joined(
    n: int, children: Sequence[int], below: Sequence[tuple[int, int, int]]
) -> tuple[int, int, int]:
    """First word, the one after the last, and number of a word and what is below."""
    parts = [(n, n + 1, 1), *(below[child] for child in children)]
    starts, ends, sizes = zip(*parts, strict=True)
    return min(starts), max(ends), sum(sizes)


def _unclosed(texts: Sequence[str]) -> list[list[str]] | None:
    """What may close each mark left open, the last first; None if one opens nothing."""
    closing: list[list[str]] = []
    for text in texts:
        if closing and text in closing[-1]:
            closing.pop()
        elif text in _CLOSING:
            closing.append(_CLOSING[text])
        else:
            return None
    return closing[::-1]
