"""Universal Dependencies in CoNLL-U, of which rules make trees (`from_dependencies`).

A word is a line of ten columns: its number, form, lemma, universal tag, another tag,
features, the number of its head (0 of the root), its relation, enhanced dependencies,
other; an empty line ends a sentence. Lemmas, other tags, enhanced dependencies and
empty nodes (8.1) are not read.

The words of a Doc are those of the text. A multiword token (1-2, *im* of *in dem*) is
one word with the tag, relation and head of the highest of its parts, or the first of
those; it is several words where the tokenizer of the language finds
them too, as English *don't*. Docs have the dependencies, too.
"""

import re
import warnings
from collections.abc import Iterator, Sequence
from functools import cache
from typing import NamedTuple

import spacy
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_gfl.annotation.building import check_words, set_trees
from spacy_gfl.languages import find_language
from spacy_gfl.languages.base import UNIVERSAL
from spacy_gfl.tools.treebanks.dependency_blocks import (
    RELATIONS,
    DependencyError,
    Word,
)
from spacy_gfl.tools.treebanks.formats.names import name_document
from spacy_gfl.tools.treebanks.formats.reading import Reading
from spacy_gfl.tools.treebanks.formats.text_files import FormatError
from spacy_gfl.tools.treebanks.from_dependencies import tree_from_dependencies
from spacy_gfl.tools.treebanks.schemes import ReadingWarning
from spacy_gfl.trees.tree import Tree, TreeError

_COLUMNS = 10
_NEW_DOCUMENT = re.compile(r"#\s*newdoc\b")
# No sentence has a million words, and Python reads no number of thousands of digits.
_NUMBER = re.compile(r"[0-9]{1,6}")
_EMPTY_NODE = re.compile(r"[0-9]{1,6}\.[0-9]{1,6}")
# The names of brackets in the Vietnamese treebank.
_BRACKETS = {"LBKT": "(", "RBKT": ")"}


class _Token(NamedTuple):
    """A word of the text with its dependency; its line, and whether a space follows."""

    word: Word
    line: int
    space: bool


class _Range(NamedTuple):
    """A multiword token: its first part from 0, the one after the last, its form."""

    start: int
    end: int
    form: str
    space: bool


class _Sentence(NamedTuple):
    """The tokens of a sentence and its tree, or None for the end of a document."""

    tokens: Sequence[_Token]
    tree: Tree


def read_docs(reading: Reading, vocab: Vocab) -> Iterator[Doc]:
    """Read Docs of `reading.n_sents` sentences each, none of two documents.

    Raises:
        OSError: If the file cannot be read.
        FormatError: Naming the source and the line of what is no dependency tree,
            unless `reading.on_error` takes it.
    """
    name: str | None = None
    batch: list[_Sentence] = []
    # A parser keeps tags that are there, and may have others.
    tagged = reading.need_trees
    for sentence in _sentences(reading, vocab.lang):
        if not isinstance(sentence, _Sentence):
            if batch:
                yield _doc(batch, vocab, name, tagged=tagged)
            batch, name = [], sentence or None
            continue
        batch.append(sentence)
        if len(batch) == reading.n_sents:
            yield _doc(batch, vocab, name, tagged=tagged)
            batch = []
    if batch:
        yield _doc(batch, vocab, name, tagged=tagged)


def _doc(
    sentences: Sequence[_Sentence], vocab: Vocab, name: str | None, *, tagged: bool
) -> Doc:
    tokens = [token for sentence in sentences for token in sentence.tokens]
    starts = [n == 0 for sentence in sentences for n in range(len(sentence.tokens))]
    first, heads = 0, []
    for n, (token, is_start) in enumerate(zip(tokens, starts, strict=True)):
        first = n if is_start else first
        heads.append(first + token.word.head)
    words = [token.word for token in tokens]
    doc = Doc(
        vocab,
        words=[word.text for word in words],
        spaces=[token.space for token in tokens],
        tags=[word.tag for word in words] if tagged else None,
        pos=[word.tag if word.tag in UNIVERSAL else "X" for word in words],
        heads=heads,
        deps=["ROOT" if word.base == "root" else word.relation for word in words],
    )
    set_trees(doc, [sentence.tree for sentence in sentences])
    if name is not None:
        name_document(doc, name)
    return doc


def _sentences(reading: Reading, lang: str) -> Iterator[_Sentence | str]:
    """The sentences, and before those of another document its name, or ""."""
    language = find_language(lang or "xx")
    warned_of_relations = warned_of_text = False
    for first, lines in _blocks(reading):
        if isinstance(lines, str):
            yield lines
            continue
        try:
            tokens = _tokens(lines, first, reading.name, lang)
            if not warned_of_relations and (odd := _unknown_relation(tokens)):
                warned_of_relations = True
                warnings.warn(
                    f"{reading.name}:{odd.line}: {odd.word.relation} is no relation of "
                    "Universal Dependencies, whose relations the rules for trees need.",
                    ReadingWarning,
                    stacklevel=2,
                )
            words = [token.word for token in tokens]
            if (
                not warned_of_text
                and len(words) > 1
                and {w.text for w in words} == {"_"}
            ):
                warned_of_text = True
                warnings.warn(
                    f"{reading.name}:{first}: all words are _. Some treebanks come "
                    "without their text, and say in their README how to add it.",
                    ReadingWarning,
                    stacklevel=2,
                )
            try:
                tree = tree_from_dependencies(words, language)
                check_words(tree)
            except DependencyError as error:
                line = tokens[error.at].line
                raise FormatError(reading.name, line, str(error)) from None
            except TreeError as error:
                raise FormatError(reading.name, first, str(error)) from None
        except FormatError as error:
            reading.counts.read += 1
            reading.reject(error, "no dependency tree")
            continue
        yield _Sentence(tokens, tree)


def _blocks(reading: Reading) -> Iterator[tuple[int, list[str] | str]]:
    """The lines of each sentence with the number of the first, and documents' names."""
    lines: list[str] = []
    first = 0
    for number, line in enumerate(reading.lines(), start=1):
        text = line.rstrip("\n")
        if _NEW_DOCUMENT.match(text) and not lines:
            yield number, text.partition("=")[2].strip()
        if text.strip() and not text.startswith("#"):
            first = first if lines else number
            lines.append(text)
        elif not text.strip() and lines:
            yield first, lines
            lines = []
        elif lines:
            # A comment in a sentence has a line, too.
            lines.append(text)
    if lines:
        yield first, lines


def _unknown_relation(tokens: Sequence[_Token]) -> _Token | None:
    odd = (token for token in tokens if token.word.base not in RELATIONS)
    return next(odd, None)


def _tokens(
    lines: Sequence[str], first: int, source: str, lang: str
) -> Sequence[_Token]:
    """The tokens of a sentence.

    Raises:
        FormatError: For a line that has no word with its head.
    """
    rows: list[tuple[int, list[str]]] = []
    ranges: list[_Range] = []
    for line, text in enumerate(lines, start=first):
        if text.startswith("#"):
            continue
        columns = text.split("\t")
        if len(columns) != _COLUMNS:
            raise FormatError(
                source,
                line,
                "a word has ten columns with tabs between them, this line has "
                f"{len(columns)}",
            )
        number = columns[0]
        if _EMPTY_NODE.fullmatch(number):
            continue
        start, _, end = number.partition("-")
        if not (_NUMBER.fullmatch(start) and (_NUMBER.fullmatch(end) or not end)):
            raise FormatError(source, line, f"{number!r} is not the number of a word")
        if int(start) != len(rows) + 1:
            raise FormatError(
                source, line, f"word {len(rows) + 1} should stand here, not {number}"
            )
        if not columns[1].strip():
            raise FormatError(source, line, f"word {number} has no form")
        if end:
            if ranges and int(start) <= ranges[-1].end:
                raise FormatError(
                    source,
                    line,
                    f"{columns[1]!r} and {ranges[-1].form!r} have a part in common",
                )
            span = (int(start) - 1, int(end))
            ranges.append(_Range(*span, columns[1], _has_space(columns)))
        else:
            rows.append((line, columns))
    if not rows:
        raise FormatError(source, first, "this sentence has no words")
    tokens = []
    for at, (line, columns) in enumerate(rows):
        head = columns[6]
        if not _NUMBER.fullmatch(head):
            raise FormatError(
                source,
                line,
                f"word {at + 1} has no head: column 7 is {head!r}. Trees are made "
                "from dependencies, so run a dependency parser first.",
            )
        if int(head) == at + 1:
            raise FormatError(source, line, f"word {head} depends on itself")
        if int(head) > len(rows):
            raise FormatError(
                source, line, f"there is no word {head}, which word {at + 1} depends on"
            )
        tag = "X" if columns[3] in ("_", "") else columns[3]
        relation = "dep" if columns[7] in ("_", "") else columns[7]
        if head == "0":
            relation = "root"
        features = "" if columns[5] == "_" else columns[5]
        target = int(head) - 1 if int(head) else at
        form = _BRACKETS.get(columns[1], columns[1]) if tag == "PUNCT" else columns[1]
        word = Word(form, tag, relation, target, features)
        tokens.append(_Token(word, line, _has_space(columns)))
    for token_range in ranges:
        if not token_range.start < token_range.end <= len(tokens):
            line = rows[min(token_range.start, len(rows) - 1)][0]
            raise FormatError(
                source, line, f"some parts of {token_range.form!r} are missing"
            )
    return _of_text(tokens, ranges, lang)


def _has_space(columns: Sequence[str]) -> bool:
    return "SpaceAfter=No" not in columns[9].split("|")


def _of_text(
    tokens: Sequence[_Token], ranges: Sequence[_Range], lang: str
) -> Sequence[_Token]:
    """The tokens with multiword tokens as the text has them."""
    joined: list[list[int]] = []
    spaces, forms = [], []
    at = 0
    for token_range in [*ranges, _Range(len(tokens), len(tokens), "", False)]:
        for n in range(at, token_range.start):
            joined.append([n])
            spaces.append(tokens[n].space)
            forms.append(tokens[n].word.text)
        parts = list(range(token_range.start, token_range.end))
        own = tuple(tokens[n].word.text for n in parts)
        if own and own == _cut(token_range.form, lang):
            joined += [[n] for n in parts]
            spaces += [n == parts[-1] and token_range.space for n in parts]
            forms += own
        elif own:
            joined.append(parts)
            spaces.append(token_range.space)
            forms.append(token_range.form)
        at = token_range.end
    new = {n: at for at, parts in enumerate(joined) for n in parts}
    depths = _depths(tokens)
    merged = []
    for at, parts in enumerate(joined):
        # No word above the highest part is below another: heads stay a tree.
        word, line, _ = tokens[min(parts, key=depths.__getitem__)]
        word = word._replace(text=forms[at], head=new[word.head])
        merged.append(_Token(word, line, spaces[at]))
    return merged


def _depths(tokens: Sequence[_Token]) -> list[int]:
    """How many words are above each word; of those in a circle, all are."""
    children: dict[int, list[int]] = {}
    for n, token in enumerate(tokens):
        children.setdefault(token.word.head, []).append(n)
    depths = [len(tokens)] * len(tokens)
    level = [n for n, token in enumerate(tokens) if token.word.head == n]
    depth = 0
    while level:
        for n in level:
            depths[n] = depth
        below = (child for n in level for child in children.get(n, ()))
        level = [child for child in below if depths[child] == len(tokens)]
        depth += 1
    return depths


@cache
def _tokenizer(lang: str) -> object:
    # The tokenizers of some languages need packages of their own.
    try:
        return spacy.blank(lang or "xx").tokenizer
    except ImportError:
        return None


@cache
def _cut(form: str, lang: str) -> tuple[str, ...]:
    """The words that the tokenizer of a language finds in a multiword token."""
    tokenizer = _tokenizer(lang)
    return tuple(t.text for t in tokenizer(form)) if callable(tokenizer) else (form,)
