"""`spacy-gfl search`: sentences with a tree pattern, as grep finds lines."""

import json
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from itertools import islice
from pathlib import Path
from typing import Annotated, NamedTuple, TypeAlias

import typer
from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.vocab import Vocab
from tqdm import tqdm

from spacy_gfl.annotation.building import trees_to_docs
from spacy_gfl.annotation.storage import get_trees, sentences, word_indices
from spacy_gfl.cli.app import app
from spacy_gfl.cli.files import errors_said, explain, leave_pipe, say_error
from spacy_gfl.data.inputs import (
    BRACKET_SUFFIXES,
    holds_docs,
    paragraphs,
    read_treebank,
    treebank_files,
)
from spacy_gfl.parser.pipelines import load_pipeline
from spacy_gfl.query.patterns import Hit, TreePattern, hit_tree
from spacy_gfl.trees.bracket_errors import BracketError
from spacy_gfl.trees.brackets import read_trees
from spacy_gfl.trees.tree import Tree

FOUND, NOT_FOUND, FAILED = 0, 1, 2
STDIN = Path("-")
#: Paragraphs parsed at a time: few enough for their hits to come soon.
BATCH_SIZE = 64

#: Says an error that the search goes on after, and the file that it is about.
Fail: TypeAlias = Callable[..., None]


class _Sentence(NamedTuple):
    """A sentence to search."""

    tree: Tree
    doc: int  # the number of its Doc in the file, from 1
    span: Span | None = None  # made for a hit where the tree was in brackets
    offset: int = 0  # where its Doc begins in the file of text, in characters


@app.command("search", no_args_is_help=True)
def search_command(
    pattern: Annotated[
        str,
        typer.Argument(help="A TGrep2 pattern: 'NP < PP' is an NP with a PP in it."),
    ],
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILES...",
            help="Docs with trees (.spacy, .jsonl, .conll), brackets, folders of "
            ".spacy files and brackets, or texts; - for standard input, which is "
            "brackets, or text with --model.",
        ),
    ],
    model: Annotated[
        str | None,
        typer.Option(
            help="A pipeline that parses texts: files that are neither Docs nor "
            "brackets by their ending; .txt is text."
        ),
    ] = None,
    count: Annotated[
        bool,
        typer.Option("--count", "-c", help="Print the number of hits in each file."),
    ] = False,
    maximum: Annotated[
        int | None,
        typer.Option("--max", "-m", min=1, help="Stop after so many hits in all."),
    ] = None,
    trees: Annotated[
        bool,
        typer.Option("--trees", help="Print each hit in brackets, not in its text."),
    ] = False,
    as_json: Annotated[
        bool,
        typer.Option(
            "--json",
            help="Print one JSON object a hit: where it is in characters from 0, in "
            "the sentence (start, end) and in the Doc or text (doc_start, doc_end).",
        ),
    ] = False,
) -> None:
    """Find the constituents and words that a tree pattern matches.

    Prints file:sentence: label: and the sentence with the hit in square brackets,
    or coloured on a terminal. The exit status is 0 if there are hits, 1 if there
    are none, and 2 if anything could not be read.
    """
    with errors_said(FAILED):
        compiled = TreePattern(pattern)
        nlp = None if model is None else load_pipeline(model)
    n_hits = n_errors = 0

    def fail(error: Exception, path: Path | None = None) -> None:
        nonlocal n_errors
        n_errors += 1
        text = explain(error)
        is_named = path is None or str(path) in text
        say_error(text if is_named else f"{path}: {text}")

    show = _json if as_json else _line
    # On a terminal the hits themselves show the progress.
    hidden = True if _is_terminal() and not count else None
    try:
        with tqdm(unit=" sentences", delay=1, disable=hidden) as bar:
            for path in _paths(files, fail):
                n_before = n_hits
                found = _search(compiled, _sentences(path, nlp, fail), bar)
                left = None if maximum is None else maximum - n_hits
                try:
                    for hit in islice(found, left):
                        n_hits += 1
                        if not count:
                            typer.echo(show(path, *hit, trees))
                except BrokenPipeError:
                    raise
                except (OSError, ValueError) as error:
                    fail(error, path)
                if count:
                    record = {"file": str(path), "hits": n_hits - n_before}
                    text = json.dumps(record, ensure_ascii=False)
                    typer.echo(text if as_json else f"{path}: {record['hits']}")
                if n_hits == maximum:
                    break
        sys.stdout.flush()
    except BrokenPipeError:
        leave_pipe()
    if n_errors:
        raise typer.Exit(FAILED)
    raise typer.Exit(FOUND if n_hits else NOT_FOUND)


def _paths(files: list[Path], fail: Fail) -> Iterator[Path]:
    """The files to search, those of folders among them."""
    for file in files:
        try:
            yield from [file] if file == STDIN else treebank_files(file, docbins=True)
        except (OSError, ValueError) as error:
            fail(error)


def _search(
    pattern: TreePattern, searched: Iterable[_Sentence], bar: tqdm
) -> Iterator[tuple[int, _Sentence, Hit]]:
    """The hits in sentences, with the sentence and its number from 1."""
    for number, sentence in enumerate(searched, start=1):
        bar.update()
        for hit in pattern.search(sentence.tree):
            yield number, sentence, hit


def _sentences(path: Path, nlp: Language | None, fail: Fail) -> Iterator[_Sentence]:
    suffix = path.suffix.lower()
    has_brackets = suffix in BRACKET_SUFFIXES - {".txt"}

    def fail_tree(error: BracketError) -> None:
        if error.reason == "text outside of a tree" and not has_brackets:
            raise ValueError(f"{path} is no treebank; give --model to search a text.")
        fail(error)

    if holds_docs(path):
        for number, doc in enumerate(read_treebank(path, Vocab()), start=1):
            yield from _doc_sentences(doc, number)
    elif nlp is None or has_brackets:
        trees = read_trees(
            _lines(path), source=str(path), clean=False, on_error=fail_tree
        )
        for number, tree in enumerate(trees, start=1):
            yield _Sentence(tree, number)
    else:
        texts = (
            (text.lstrip(), offset + len(text) - len(text.lstrip()))
            for text, offset in paragraphs(_lines(path))
        )
        for doc, offset in nlp.pipe(texts, as_tuples=True, batch_size=BATCH_SIZE):
            yield from _doc_sentences(doc, 1, offset)


def _doc_sentences(doc: Doc, number: int, offset: int = 0) -> Iterator[_Sentence]:
    for sent, tree in zip(sentences(doc), get_trees(doc), strict=True):
        if len(tree):
            yield _Sentence(tree, number, sent, offset)


def _lines(path: Path) -> Iterator[str]:
    """Lines with their ends as they are, so that offsets are those of the file."""
    with nullcontext(sys.stdin.buffer) if path == STDIN else path.open("rb") as file:
        try:
            yield from map(bytes.decode, file)
        except UnicodeDecodeError as error:
            raise ValueError(f"{path} is not UTF-8 text: {error.reason}.") from None


def _parts(sentence: _Sentence, hit: Hit) -> tuple[Span, Span]:
    """The sentence and the hit as Spans."""
    sent = sentence.span
    if sent is None:
        (doc,) = trees_to_docs([sentence.tree], Vocab())
        sent = doc[:]
    words = word_indices(sent)
    return sent, sent.doc[words[hit.start] : words[hit.end - 1] + 1]


def _line(path: Path, number: int, sentence: _Sentence, hit: Hit, trees: bool) -> str:
    place = f"{path}:{number}: "
    if trees:
        return place + hit_tree(sentence.tree, hit).brackets()
    sent, span = _parts(sentence, hit)
    start, end = span.start_char - sent.start_char, span.end_char - sent.start_char
    parts = sent.text[:start], sent.text[start:end], sent.text[end:]
    before, shown, after = (re.sub(r"\s+", " ", part) for part in parts)
    if _is_terminal() and "NO_COLOR" not in os.environ:
        shown = typer.style(shown, fg="red", bold=True)
    else:
        shown = f"[{shown}]"
    return f"{place}{hit.label}: {before}{shown}{after}"


def _is_terminal() -> bool:
    return sys.stdout.isatty()


def _json(path: Path, number: int, sentence: _Sentence, hit: Hit, trees: bool) -> str:
    sent, span = _parts(sentence, hit)
    record = {
        "file": str(path),
        "sentence": number,
        "label": hit.label,
        "hit": span.text,
        "text": sent.text,
        "start": span.start_char - sent.start_char,
        "end": span.end_char - sent.start_char,
        "doc": sentence.doc,
        "doc_start": sentence.offset + span.start_char,
        "doc_end": sentence.offset + span.end_char,
    }
    if trees:
        record["tree"] = hit_tree(sentence.tree, hit).brackets()
    return json.dumps(record, ensure_ascii=False)
