"""The component that knows of sentences what a trained splitter has not learnt."""

from itertools import chain
from typing import Any

from spacy.attrs import SENT_START
from spacy.language import Language
from spacy.tokens import Doc

from spacy_gfl.annotation.sentence_words import is_word
from spacy_gfl.languages import find_language
from spacy_gfl.sentences.abbreviations import Abbreviations
from spacy_gfl.sentences.emoji import is_emoji, is_invisible, join_emoji
from spacy_gfl.sentences.line_ends import read_lines
from spacy_gfl.sentences.lines import LINE_END, OTHER_LINE_END, has_blank_line
from spacy_gfl.sentences.merging import merge_extents

#: A line end, and a blank line.
_LEARNT = ("\n", "\n\n")


class SentenceRules:
    """Sets starts of sentences by rules, for the splitter after it to add the others.

    Full stops of abbreviations end no sentence, and become one token with their word;
    line ends of chats, logs and signatures end one (`sentences.line_ends`), and so do
    full stops of full width (`sentences.full_width`). What is known of a Doc's
    sentences already stays.

    Args:
        lang: spaCy's code of the language, whose file has the abbreviations.
        line_ends: Whether every line end ends a sentence.
    """

    def __init__(self, lang: str, *, line_ends: bool = False) -> None:
        self.line_ends = line_ends
        known = find_language(lang).abbreviations
        self._abbreviations = Abbreviations.read(known) if known else None

    def __call__(self, doc: Doc) -> Doc:
        """Set the starts of sentences that are known."""
        if doc.has_annotation("SENT_START", require_complete=True):
            return doc
        if not _has_counted_tokens(doc):
            join_emoji(doc)
        text = doc.text
        if OTHER_LINE_END.search(text):
            _show_line_feeds(doc)
        starts, inside = read_lines(text, all_lines=self.line_ends)
        if not text.isascii():
            from spacy_gfl.sentences.full_width import after_full_width_marks

            starts.update(after_full_width_marks(text))
        known = {**self._around_abbreviations(doc), **_at_emoji(doc)}
        # White space before the first word is part of its sentence.
        first = next((token.i for token in doc if not token.is_space), 0)
        if not (starts or known or first):
            return doc
        inner = set(chain.from_iterable(range(*extent) for extent in inside))
        # Setting one token's start asks all tokens whether they have a head.
        values: Any = doc.to_array([SENT_START]).astype("int64")
        for token in doc:
            if values[token.i]:
                continue
            if 0 < token.i <= first:
                values[token.i] = -1
            elif token.idx in starts or known.get(token.idx):
                values[token.i] = 1
                # White space between sentences is part of the one before.
                if token.i and token.nbor(-1).is_space and not values[token.i - 1]:
                    values[token.i - 1] = -1
            elif token.idx in inner or token.idx in known:
                values[token.i] = -1
        return doc.from_array([SENT_START], values.astype("uint64"))

    def _around_abbreviations(self, doc: Doc) -> dict[int, bool]:
        """Whether a sentence begins at the characters after abbreviations.

        Merges the abbreviations with their full stops.
        """
        if self._abbreviations is None:
            return {}
        words = [token for token in doc if is_word(token)]
        texts = ["", *(token.text for token in words), "", "", ""]
        known: dict[int, bool] = {}
        parted = []
        is_cased = _is_cased(doc)
        for at, token in enumerate(words, start=1):
            after = at + 1
            is_parted = texts[after] == "." and not token.whitespace_
            after += is_parted
            name = texts[at] if is_parted else texts[at].removesuffix(".")
            has_stop = is_parted or name != texts[at]
            if not (has_stop and self._abbreviations.known(name)):
                continue
            following = texts[after : after + 2]
            stop = words[after - 2]
            if after <= len(words) and has_blank_line(
                doc[stop.i + 1 : words[after - 1].i].text
            ):
                following = ["", ""]
            abbreviates = self._abbreviations.abbreviates(
                texts[at - 1], name, following, is_cased=is_cased
            )
            if abbreviates is None:
                continue
            known[words[after - 1].idx] = not abbreviates
            if is_parted and abbreviates:
                parted.append((token.idx, token.idx + len(token) + 1))
        if parted and not _has_counted_tokens(doc):
            merge_extents(doc, parted)
        return known


def _has_counted_tokens(doc: Doc) -> bool:
    """Whether somebody has marked or tagged a Doc's tokens, and so has counted them."""
    return bool(doc.spans) or doc.has_annotation("TAG") or bool(doc.ents)


def _show_line_feeds(doc: Doc) -> None:
    """Let other line ends look like line feeds, which splitters have learnt.

    What the vocabulary knows of them may outlive a memory zone, so their attributes
    are always those of the same two strings, which stay.
    """
    # spaCy's stub does not know how to keep a string.
    strings: Any = doc.vocab.strings
    for text in _LEARNT:
        strings.add(text, allow_transient=False)
    for token in doc:
        if token.is_space and OTHER_LINE_END.search(token.text):
            learnt = doc.vocab[_LEARNT[has_blank_line(token.text)]]
            lexeme = token.lex
            lexeme.norm, lexeme.shape = learnt.norm, learnt.shape
            lexeme.prefix, lexeme.suffix = learnt.prefix, learnt.suffix


def _is_cased(doc: Doc) -> bool:
    """Whether sentences of a text begin with capitals, by the first letter of it."""
    return next((c.isupper() for c in doc.text if c.isalpha()), False)


def _at_emoji(doc: Doc) -> dict[int, bool]:
    """The characters at which no sentence begins, with False.

    Those are emoji at the end of a line, after other words of it, and tokens that
    nobody sees.
    """
    known: dict[int, bool] = {}
    is_last = True
    for token in reversed(doc):
        if is_invisible(token.text):
            known[token.idx] = False
        elif token.is_space:
            is_last = is_last or bool(LINE_END.search(token.text))
        elif is_last and is_emoji(token.text):
            known[token.idx] = False
        else:
            is_last = False
    return known


def end_sentences_with_lines(nlp: Language) -> None:
    """Let line ends end sentences in a pipeline, before its own splitter is asked."""
    if not any(isinstance(pipe, SentenceRules) for _, pipe in nlp.pipeline):
        nlp.add_pipe("sentence_rules", first=True)
    for _, pipe in nlp.pipeline:
        if isinstance(pipe, SentenceRules):
            pipe.line_ends = True
