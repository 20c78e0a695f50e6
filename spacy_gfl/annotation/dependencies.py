"""Constituents that a dependency tree asks for.

The words under a head are a constituent for nearly every argument and modifier. So a
treebank of dependencies, or a dependency parser, says most of what is hard to decide
in a constituency tree: attachment, coordination, where a clause ends.
"""

from collections.abc import Sequence

from spacy.tokens import Doc, Span, Token

from spacy_gfl.annotation.storage import is_word, sentences

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
_CLOSING = {"(": ")", "[": "]", "{": "}", "-LRB-": "-RRB-", "“": "”", "``": "''"}
_QUOTE = '"'


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
        raise ValueError("This Doc has no dependencies (token.dep_, token.head).")
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
        words: The words of the sentence: its tokens but white space.

    Returns:
        For each constituent its first word and the word after its last, from 0.
    """
    place = {token.i: n for n, token in enumerate(words)}
    children: list[list[int]] = [[] for _ in words]
    for n, token in enumerate(words):
        head = place.get(token.head.i, n)
        if head != n:
            children[head].append(n)
    texts = [token.text for token in words]
    # Symbols that belong to their word, as in +/-, are attached as punctuation too.
    is_punctuation = [token.dep_ == "punct" and token.tag_ != "SYM" for token in words]
    extents = []
    relations = [token.dep_.split(":")[0] for token in words]
    for n, (token, relation) in enumerate(zip(words, relations, strict=True)):
        if relation not in RELATIONS or token.dep_ in EXCLUDED:
            continue
        is_of_number = relation in _OF_NUMBERS and token.head.tag_ == "CD"
        if is_of_number and token.tag_.startswith(_IN_NUMBERS):
            continue
        members, pending = {n}, children[n]
        if relation == "conj":
            # What follows or precedes a conjunct under it without belonging to it.
            pending = [i for i in pending if relations[i] not in _COORDINATION]
        while pending:
            members.update(pending)
            below = (child for member in pending for child in children[member])
            # spaCy takes heads that go in a circle, too.
            pending = [child for child in below if child not in members]
        start, end = min(members), max(members) + 1
        if len(members) < end - start:
            continue
        while start < n and is_punctuation[start]:
            start += 1
        while end > n + 1 and is_punctuation[end - 1]:
            end -= 1
        missing = _unclosed(texts[start:end])
        if end - start < 2 or missing is None:
            continue
        if texts[end : end + len(missing)] == missing:
            extents.append((start, end + len(missing)))
    return extents


def _unclosed(texts: Sequence[str]) -> list[str] | None:
    """The marks that close what words open; None if one closes what is not open."""
    closing: list[str] = []
    for text in texts:
        if text in _CLOSING:
            closing.append(_CLOSING[text])
        elif text == _QUOTE and _QUOTE not in closing:
            closing.append(_QUOTE)
        elif text == _QUOTE or text in _CLOSING.values():
            last = closing.pop() if closing else None
            if last != text:
                return None
    return closing[::-1]
