"""`spacy-gfl search`: sentences with a tree pattern, as grep finds lines."""

import os
import re
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Annotated, TypeAlias

import typer
from spacy.language import Language
from tqdm import tqdm

from spacy_gfl.tools.cli.app import GroupedCommand, app
from spacy_gfl.tools.cli.input_files import (
    errors_said,
    explain,
    leave_pipe,
    say_error,
    shown_name,
    warn,
)
from spacy_gfl.tools.cli.options import (
    OUTPUT,
    PIPELINE,
    Format,
    load_parser,
    option,
    reads_files,
)
from spacy_gfl.tools.query.pattern_nodes import Node
from spacy_gfl.tools.query.patterns import TreePattern, likely_node
from spacy_gfl.tools.query.searching import STDIN, SearchedSentence, searched_sentences
from spacy_gfl.tools.treebanks.formats.reading import Reading
from spacy_gfl.tools.treebanks.formats.text_files import json_text
from spacy_gfl.tools.treebanks.inputs import treebank_files
from spacy_gfl.trees.escaping import visible

FOUND, NOT_FOUND, FAILED = 0, 1, 2

_Pattern: TypeAlias = Annotated[
    str,
    typer.Argument(help="A TGrep2 pattern: 'NP < PP' is an NP with a PP as a child."),
]
_Files: TypeAlias = Annotated[
    list[Path],
    typer.Argument(
        metavar="FILES...",
        help=(
            "Docs with trees (.spacy, .jsonl, .conll), brackets, folders of .spacy "
            "files and brackets, or texts; - for standard input, which is brackets, "
            "or text with --model."
        ),
    ),
]
_TextModel: TypeAlias = Annotated[
    str | None,
    option(
        "The pipeline that parses texts: .txt, and files whose ending names no "
        "format with trees.",
        group=PIPELINE,
    ),
]
_Json: TypeAlias = Annotated[
    bool,
    option(
        "Print one JSON object per hit: where it is in characters from 0, in the "
        "sentence (start, end) and in the Doc or text (doc_start, doc_end).",
        "--json",
        group=OUTPUT,
    ),
]


@app.command("search", cls=GroupedCommand, no_args_is_help=True)
@errors_said(FAILED)
@reads_files(Format)
def search_command(
    pattern: _Pattern,
    files: _Files,
    model: _TextModel = None,
    count: Annotated[
        bool,
        option(
            "Print the number of hits in each file.",
            "--count",
            "-c",
            group=OUTPUT,
        ),
    ] = False,
    maximum: Annotated[
        int | None,
        option(
            "Stop after this many hits in total.",
            "--max",
            "-m",
            min=1,
            group=OUTPUT,
        ),
    ] = None,
    trees: Annotated[
        bool,
        option(
            "Print each hit in brackets instead of its text.",
            "--trees",
            group=OUTPUT,
        ),
    ] = False,
    as_json: _Json = False,
    *,
    reading: Reading,
) -> None:
    """Find the constituents and words that a tree pattern matches.

    Prints file:sentence: label: and the sentence with the hit in square brackets,
    or in colour on a terminal. The exit status is 0 if there are hits, 1 if there
    are none, and 2 if a file could not be read.
    """
    show = _json if as_json else _line
    loaded = None if model is None else load_parser(model)
    is_silent = _is_terminal() and not count
    search = _Search(TreePattern(pattern), loaded, is_silent=is_silent)
    search.reading = reading
    try:
        for path, nlp in search.paths(files):
            before = search.n_hits
            left = None if maximum is None else maximum - before
            for hit in islice(search.hits(path, nlp), left):
                if not count:
                    typer.echo(show(path, *hit, trees))
            if count:
                record = {"file": shown_name(path), "hits": search.n_hits - before}
                text = f"{_shown(str(path))}: {record['hits']}"
                typer.echo(json_text(record) if as_json else text)
            if search.n_hits == maximum:
                break
        sys.stdout.flush()
    except BrokenPipeError:
        leave_pipe()
    search.bar.close()
    search.warn_of_names()
    found_any = FOUND if search.n_hits else NOT_FOUND
    raise typer.Exit(FAILED if search.n_errors else found_any)


class _Search:
    """Searches files, counts hits, and says and counts what cannot be read."""

    def __init__(
        self, pattern: TreePattern, nlp: Language | None, *, is_silent: bool
    ) -> None:
        self._pattern, self._nlp = pattern, nlp
        self.n_hits = self.n_errors = 0
        self._labels: set[str] = set()
        self._has_functions = False
        self.reading = Reading()
        # On a terminal the hits themselves show the progress.
        self.bar = tqdm(unit=" sentences", delay=1, disable=is_silent or None)

    def paths(self, files: list[Path]) -> Iterator[tuple[Path, Language | None]]:
        """The files to search, each with the pipeline that parses it if it is text.

        The files of folders are treebanks.
        """
        for file in files:
            try:
                is_stdin = file == STDIN
                found = [file]
                if not is_stdin:
                    found = treebank_files(file, self.reading, docbins=True, tell=warn)
                nlp = None if file.is_dir() else self._nlp
                yield from ((path, nlp) for path in found)
            except (OSError, ValueError) as error:
                self._fail(error)

    def hits(
        self, path: Path, nlp: Language | None
    ) -> Iterator[tuple[int, SearchedSentence, Node]]:
        """The hits in a file, each with its sentence and the sentence's number."""
        searched = searched_sentences(path, nlp, self._fail, self.reading)
        try:
            for number, sentence in enumerate(searched, start=1):
                self.bar.update()
                self._labels.update(node.label for node in sentence.tree.constituents)
                self._has_functions |= any(sentence.functions)
                for hit in self._pattern.search(sentence.tree, sentence.functions):
                    self.n_hits += 1
                    yield number, sentence, hit
        except (OSError, ValueError) as error:
            self._fail(error, path)

    def warn_of_names(self) -> None:
        """Warn of names that no tree has, if nothing was found."""
        for name in set() if self.n_hits else self._pattern.names - self._labels:
            if meant := likely_node(name, "en", self._has_functions):
                warn(f'No tree has "{name}". Did you mean "{meant}"?')

    def _fail(self, error: Exception, path: Path | None = None) -> None:
        self.n_errors += 1
        text = explain(error)
        is_named = path is None or str(path) in text
        say_error(text if is_named else f"{path}: {text}")


def _line(
    path: Path, number: int, sentence: SearchedSentence, hit: Node, trees: bool
) -> str:
    place = f"{_shown(str(path))}:{number}: "
    if trees:
        brackets = sentence.tree.subtree(hit.start, hit.end, hit.first).brackets()
        return place + (visible(brackets) if _is_terminal() else brackets)
    sent, span = sentence.spans(hit)
    start, end = span.start_char - sent.start_char, span.end_char - sent.start_char
    parts = sent.text[:start], sent.text[start:end], sent.text[end:]
    before, shown, after = (visible(re.sub(r"\s+", " ", part)) for part in parts)
    if _is_terminal() and "NO_COLOR" not in os.environ:
        shown = typer.style(shown, fg="red", bold=True)
    else:
        shown = f"[{shown}]"
    return f"{place}{_shown(hit.label)}: {before}{shown}{after}"


def _shown(text: str) -> str:
    """A name in a line: nothing in it ends the line."""
    return visible(text.replace("\n", "\\n"))


def _is_terminal() -> bool:
    return sys.stdout.isatty()


def _json(
    path: Path, number: int, sentence: SearchedSentence, hit: Node, trees: bool
) -> str:
    sent, span = sentence.spans(hit)
    record = {
        "file": shown_name(path),
        "document": sentence.document,
        "sentence": number,
        "label": hit.label,
        "hit": span.text,
        "text": sent.text,
        "start": span.start_char - sent.start_char,
        "end": span.end_char - sent.start_char,
        "doc_start": sentence.offset + span.start_char,
        "doc_end": sentence.offset + span.end_char,
    }
    if trees:
        record["tree"] = sentence.tree.subtree(hit.start, hit.end, hit.first).brackets()
    return json_text(record)
