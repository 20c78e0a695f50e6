"""Trees on a Doc: one span group, one span a constituent, in pre-order.

A span group survives DocBin, to_bytes, copy and worker processes by itself.
White-space tokens are no words: no tree has them, though a span may run over
some.
"""

import zlib
from pathlib import Path
from typing import Any, Dict, Iterable, Iterator, List, Optional, Sequence

from spacy.tokens import Doc, DocBin, Span, SpanGroup, Token
from spacy.vocab import Vocab

from spacy_gfl.trees.tree import (
    MISSING_TAG,
    Constituent,
    Tree,
    TreeError,
    check_constituents,
)

SPANS_KEY = "constituents"
FORMAT_VERSION = 1


def word_indices(sent: Span) -> List[int]:
    """The indices in the Doc of a sentence's words: its tokens but white space."""
    return [token.i for token in sent if is_word(token)]


def is_word(token: Token) -> bool:
    """Whether a token is more than white space.

    Like `token.is_space`, but true to the text in a Doc whose vocabulary has no
    lexical attributes too.
    """
    return not token.text.isspace()


def sentences(doc: Doc) -> List[Span]:
    """The sentences of a Doc; one of a single token needs no sentence starts.

    Raises ValueError if the Doc has no sentence boundaries.
    """
    if len(doc) == 0:
        return []
    if not doc.has_annotation("SENT_START") and len(doc) > 1:
        raise ValueError(
            "Constituency trees need sentences, and this Doc has no sentence "
            "boundaries. Add a component that sets them earlier in the pipeline: "
            'nlp.add_pipe("sentencizer", first=True), or a "senter" or "parser".'
        )
    return list(doc.sents)


def set_trees(
    doc: Doc,
    trees: Sequence[Iterable[Constituent]],
    *,
    key: str = SPANS_KEY,
    attrs: Optional[Dict[str, Any]] = None,
) -> None:
    """Write one tree a sentence into `doc.spans[key]`, replacing what is there.

    trees: For each sentence of the Doc its constituents in pre-order, extents
        counting the sentence's words (tokens other than white space) from 0.
    attrs: Plain data to keep beside the format version on the span group.
    Raises TreeError if trees and sentences differ in number, or an extent is
        out of range.
    """
    sents = sentences(doc)
    if len(sents) != len(trees):
        raise TreeError(f"{len(trees)} trees for {len(sents)} sentences")
    spans: List[Span] = []
    for sent, tree in zip(sents, trees, strict=True):
        nodes = list(tree)
        words = word_indices(sent)
        check_constituents(nodes, len(words))
        spans.extend(
            Span(doc, words[start], words[end - 1] + 1, label=label)
            for label, start, end in nodes
        )
    group = SpanGroup(doc, name=key, attrs={"version": FORMAT_VERSION}, spans=spans)
    group.attrs.update(attrs or {})
    doc.spans[key] = group


def get_trees(doc: Doc, *, key: str = SPANS_KEY) -> List[Tree]:
    """Read one tree a sentence out of `doc.spans[key]`.

    Tags are `token.tag_`, or XX where a token has none.
    Raises ValueError if the Doc has no such group or no sentences, TreeError if
        the group's spans are not trees over its sentences.
    """
    if key not in doc.spans:
        raise ValueError(
            f'This Doc has no constituency trees (doc.spans["{key}"]). Add the '
            'component "constituency_parser" to the pipeline that made it.'
        )
    return list(_trees(doc, key))


def _trees(doc: Doc, key: str) -> Iterator[Tree]:
    spans = [(span.start, span.end, span.label_) for span in _spans(doc, key)]
    following = 0
    for sent in sentences(doc):
        position = {i: n for n, i in enumerate(word_indices(sent))}
        nodes = []
        while following < len(spans) and spans[following][0] < sent.end:
            start, end, label = spans[following]
            if start not in position or end - 1 not in position:
                raise TreeError(
                    f"The constituent {label} of tokens {start}-{end} does not begin "
                    f"and end with words of one sentence ({sent.start}-{sent.end})."
                )
            nodes.append(Constituent(label, position[start], position[end - 1] + 1))
            following += 1
        words = tuple(doc[i].text for i in position)
        tags = tuple(doc[i].tag_ or MISSING_TAG for i in position)
        yield Tree(words, tags, tuple(nodes))
    if following < len(spans):
        raise TreeError("The constituents are not in the order of the sentences.")


def _spans(doc: Doc, key: str) -> List[Span]:
    """The spans of a group; TreeError if they are those of other tokens.

    Retokenizing leaves spans where they were, so that some lie beyond the Doc's
    end and others begin at another character than their first token.
    """
    try:
        spans = list(doc.spans[key])
        stale = any(doc[span.start].idx != span.start_char for span in spans)
    except IndexError:
        stale = True
    if stale:
        raise TreeError(
            f'The tokens of this Doc have been changed since doc.spans["{key}"] was '
            "set: retokenize before parsing."
        )
    return spans


def read_docbin(file: Path, vocab: Vocab, *, key: str = SPANS_KEY) -> Iterator[Doc]:
    """The Docs of a .spacy file that was made with trees.

    Raises ValueError if the file is no .spacy file, or a Doc in it has no trees
        or no sentences.
    """
    try:
        docs = DocBin().from_disk(file)
    except (zlib.error, ValueError, KeyError) as error:
        raise ValueError(f"{file} cannot be read as a .spacy file: {error}") from error
    for doc in docs.get_docs(vocab):
        if key not in doc.spans:
            raise ValueError(
                f'The Docs of {file} have no trees in doc.spans["{key}"]. Another '
                "converter may have made the file: make it from brackets with "
                "`spacy-gfl convert`."
            )
        if len(doc) > 1 and not doc.has_annotation("SENT_START"):
            raise ValueError(
                f"A Doc of {file} has no sentence starts, so its trees cannot be "
                "told apart. Make the file with `spacy-gfl convert`."
            )
        yield doc
