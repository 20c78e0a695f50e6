"""The words of a Doc: its tokens but white space, sentence by sentence."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from spacy.attrs import ENT_IOB, ENT_TYPE, MORPH, ORTH, POS, SENT_START, TAG
from spacy.tokens import Doc, Span, Token
from spacy.vocab import Vocab

from spacy_gfl.languages import annotated_language
from spacy_gfl.trees.escaping import has_penn_escapes, unescape_penn

LOST_WORDS = (
    "The vocabulary of this Doc no longer knows some of its words, because the "
    "memory zone that added them has ended. A pipeline has one memory zone at a "
    "time: do not use a Doc after its zone, and in threads hold a lock around "
    "each zone, or load a pipeline in each process."
)
_COPIED = [SENT_START, TAG, POS, MORPH, ENT_IOB, ENT_TYPE]


def word_indices(sent: Span) -> list[int]:
    """The indices in the Doc of a sentence's words: its tokens but white space."""
    return [token.i for token in sent if is_word(token)]


def is_word(token: Token) -> bool:
    """Whether a token is more than white space, whatever the vocabulary knows."""
    return not token.text.isspace()


def sentences(doc: Doc) -> list[Span]:
    """The sentences of a Doc.

    Raises:
        ValueError: The Doc has no sentence boundaries.
    """
    _require_sentences(doc)
    return list(doc.sents)


@contextmanager
def naming_lost_words() -> Iterator[None]:
    """Say why strings are lost; of a component's KeyError, spaCy makes E109.

    Raises:
        ValueError: In place of spaCy's KeyError E018, and of an OverflowError, as of
            tokens whose memory is another's.
    """
    try:
        yield
    except (KeyError, OverflowError) as error:
        if isinstance(error, KeyError) and "E018" not in str(error):
            raise
        raise ValueError(LOST_WORDS) from error


def sentence_words(doc: Doc) -> list[list[int]]:
    """The indices in the Doc of the words of each sentence, all in one pass.

    Raises:
        ValueError: The Doc has no sentence boundaries, or its vocabulary lost words.
    """
    _require_sentences(doc)
    if "sents" in doc.user_hooks:
        return [word_indices(sent) for sent in doc.sents]
    columns = doc.to_array([ORTH, SENT_START]).T.tolist()
    strings = doc.vocab.strings
    with naming_lost_words():
        spaces = {text for text in set(columns[0]) if strings[text].isspace()}
    words: list[list[int]] = []
    for i, (text, start) in enumerate(zip(*columns, strict=True)):
        if start == 1 or i == 0:
            words.append([])
        if text not in spaces:
            words[-1].append(i)
    return words


def _require_sentences(doc: Doc) -> None:
    if not doc.has_annotation("SENT_START"):
        raise ValueError(
            "Constituency trees need sentences, and this Doc has no sentence "
            "boundaries. Add a component that sets them earlier in the pipeline: "
            'nlp.add_pipe("sentencizer", first=True), or a "senter" or "parser".'
        )


def require_english(doclike: Doc | Span, what: str) -> None:
    """Raise ValueError if trees are not those of English that patterns know."""
    tags, lang = (token.tag_ for token in doclike if is_word(token)), doclike.doc.lang_
    # Penn's tags do not make another language English.
    annotated = annotated_language(tags, lang).lang
    if annotated == "en" and lang not in ("", "en", "xx"):
        annotated = lang
    if annotated != "en":
        other = f'is of the language "{annotated}"'
        if annotated == "xx":
            other = "has trees of the common scheme"
        raise ValueError(
            f"{what} use patterns for the Penn Treebank's English trees, and "
            f"this Doc {other}."
        )


def require_doc(doc: Doc, name: str) -> None:
    """Raise TypeError if a function is given anything but a Doc."""
    if not isinstance(doc, Doc):
        raise TypeError(f"{name} takes a Doc, not a {type(doc).__name__}.")


def unescaped(doc: Doc) -> Doc:
    """The Doc; if some words are as in Penn treebanks, a copy with them as in text.

    A copy has no trees, and of the tokens' other attributes those of `_COPIED` alone.
    """
    if not has_penn_escapes(doc.text):
        return doc
    copy = Doc(
        doc.vocab,
        words=[unescape_penn(token.text) for token in doc],
        spaces=[bool(token.whitespace_) for token in doc],
    )
    values: Any = doc.to_array(_COPIED)
    return copy.from_array(_COPIED, values)


def sentence_doc(sent: Doc | Span, vocab: Vocab) -> Doc:
    """Make a Doc of a sentence's words, with their tags and without white space."""
    words = [token for token in sent if is_word(token)]
    spaces = [bool(t.whitespace_) or not is_word(t.nbor()) for t in words[:-1]]
    return Doc(
        vocab,
        words=[token.text for token in words],
        spaces=[*spaces, False][: len(words)],
        tags=[token.tag_ for token in words],
        sent_starts=[i == 0 for i in range(len(words))],
    )
