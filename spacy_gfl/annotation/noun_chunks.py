"""Noun chunks of Docs that have trees and no dependencies: base noun phrases.

spaCy finds `doc.noun_chunks` by a function of the Doc
(`spacy.lang.xx.syntax_iterators`), which goes through dependencies. A Doc that gets
trees has one of the same form that goes through trees, and once it is asked for
chunks, a hook that gives their roots. What spaCy makes a Doc of (bytes, JSON, a
DocBin, other Docs) puts the trees on it as a span group, whatever its vocabulary is,
so that is when the function is set.
"""

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias
from weakref import WeakKeyDictionary

from spacy.attrs import ORTH, SENT_START, TAG
from spacy.errors import Errors
from spacy.tokens import Doc, Span, Token
from spacy.tokens._dict_proxies import SpanGroups

#: The first token, the one after the last, and the hash of the label.
Chunk: TypeAlias = tuple[int, int, int]
#: What spaCy calls to find the noun chunks of a Doc.
FindChunks: TypeAlias = Callable[[Doc | Span], Iterable[Chunk]]
_KEY = "constituents"
_ROOT = "root"


class Found(NamedTuple):
    """The noun chunks of a Doc.

    Attributes:
        group: The trees that they were found in.
        state: What they depend on beside it.
        chunks: The chunks.
        roots: The head of each, by its first token and the one after its last.
    """

    group: object
    state: tuple[int, bytes]
    chunks: list[Chunk]
    roots: dict[tuple[int, int], int]


_found: WeakKeyDictionary[Doc, Found] = WeakKeyDictionary()


@dataclass(frozen=True)
class NounChunks:
    """Finds noun chunks in trees where a Doc has no dependencies.

    spaCy asks for those of the whole Doc for every Span, so they are kept until the
    Doc has another group of trees, or one of another length, or other tokens.

    Attributes:
        otherwise: How the language finds noun chunks, None if it does not.
    """

    otherwise: FindChunks | None

    def __call__(self, doclike: Doc | Span) -> Iterable[Chunk]:
        doc = doclike.doc
        has_trees = _KEY in doc.spans
        if self.otherwise and not (has_trees and not doc.has_annotation("DEP")):
            return self.otherwise(doclike)
        if not has_trees:
            # As spaCy does, which finds none in dependencies of this language either.
            raise NotImplementedError(
                f"{Errors.E894.format(lang=doc.vocab.lang)} It needs "
                "constituency trees, and this Doc has none. Parse it first."
            )
        group = doc.spans[_KEY]
        state = (len(group), doc.to_array([ORTH, TAG, SENT_START]).tobytes())
        kept = _found.get(doc)
        if kept is None or kept.group is not group or kept.state != state:
            chunks, roots = _find(doc)
            _found[doc] = kept = Found(group, state, chunks, roots)
        if _ROOT not in doc.user_span_hooks:
            _hook_roots(doc)
        return kept.chunks


def _find(doc: Doc) -> tuple[list[Chunk], dict[tuple[int, int], int]]:
    """The chunks of a Doc, and the token that is the head of each."""
    # What is known of languages is read when it is asked for, as spaCy does.
    from spacy_gfl.annotation.storage import sentence_trees
    from spacy_gfl.languages.noun_phrases import base_noun_phrases

    label = doc.vocab.strings.add("NP")
    chunks, roots = [], {}
    for words, tree in sentence_trees(doc):
        for start, end, head in base_noun_phrases(tree, doc.lang_):
            extent = words[start], words[end - 1] + 1
            chunks.append((*extent, label))
            roots[extent] = words[head]
    return chunks, roots


def _hook_roots(doc: Doc) -> None:
    """Let the noun chunks of a Doc have their heads as roots."""
    doc.user_span_hooks[_ROOT] = root
    # `Doc.to_bytes` says that hooks are lost. This one is back with the chunks.
    text = r"\[W109\]"
    if not any(getattr(one[1], "pattern", "") == text for one in warnings.filters):
        warnings.filterwarnings("ignore", text, UserWarning)


def root(span: Span) -> Token:
    """`Span.root`: the head of a noun chunk from a tree; else what spaCy takes.

    A hook of the Doc, so spaCy's own is written again here: a token that is its own
    head, the first if there are several, or else the one with the fewest steps to such.
    """
    doc = span.doc
    heads = _found.get(doc)
    if (
        heads is not None
        and heads.group is doc.spans.get(_KEY)
        and not doc.has_annotation("DEP")
        and (head := heads.roots.get((span.start, span.end))) is not None
        and head < len(doc)
    ):
        return doc[head]
    if not len(span):
        return doc[span.start]
    outer = [t for t in span if t.head == t or not span.start <= t.head.i < span.end]
    return min(outer or span, key=lambda token: sum(1 for _ in token.ancestors))


def find_in_trees(doc: Doc) -> None:
    """Let a Doc find its noun chunks in its trees."""
    # spaCy's type hints do not have the attribute.
    untyped: Any = doc
    if not isinstance(untyped.noun_chunks_iterator, NounChunks):
        untyped.noun_chunks_iterator = NounChunks(untyped.noun_chunks_iterator)


_set_group = SpanGroups.__setitem__


def set_group(groups: SpanGroups, key: str, value: Any) -> None:
    """`doc.spans[key] = value`, as spaCy has it; trees give noun chunks too."""
    _set_group(groups, key, value)
    if key == _KEY:
        find_in_trees(groups._ensure_doc())


def find_noun_chunks_in_trees() -> None:
    """Let all Docs find noun chunks in the trees that they get from now on.

    There is no other moment at which every Doc with trees passes: Doc is compiled, and
    its vocabulary need not be one that a parser has seen.
    """
    SpanGroups.__setitem__ = set_group  # type: ignore[method-assign]
