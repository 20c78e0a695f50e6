"""`spacy-gfl search`: sentences with a tree pattern, as grep finds lines."""

import json
import os
import re
import sys
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Callable, Dict, Iterator, List, NamedTuple, Optional

import typer
import wasabi
from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.vocab import Vocab
from tqdm import tqdm
from wasabi.util import supports_ansi

from spacy_gfl.annotation.building import trees_to_docs
from spacy_gfl.annotation.storage import get_trees, read_docbin, sentences, word_indices
from spacy_gfl.cli.app import app
from spacy_gfl.cli.errors import explain
from spacy_gfl.cli.parse import load_parser
from spacy_gfl.data.splits import BRACKET_SUFFIXES, DOCBIN_SUFFIX, treebank_files
from spacy_gfl.query.patterns import Hit, TreePattern, hit_tree
from spacy_gfl.trees.brackets import BracketError, OutsideTextError, read_tree_file
from spacy_gfl.trees.tree import Tree

FOUND, NOT_FOUND, FAILED = 0, 1, 2
_PARAGRAPH = re.compile(r"\S.*?(?=\n[^\S\n]*\n|\Z)", re.DOTALL)

_Pattern = Annotated[
    str, typer.Argument(help="A TGrep2 pattern: 'NP < PP' is an NP with a PP in it.")
]
_Files = Annotated[
    List[Path],
    typer.Argument(
        metavar="FILES...",
        help="Docs with trees (.spacy), brackets, folders of either, or texts.",
    ),
]
_Model = Annotated[
    Optional[str],
    typer.Option(
        help="A pipeline that parses texts: files that are neither .spacy nor, by "
        "their ending, brackets; .txt is text."
    ),
]
_Count = Annotated[
    bool, typer.Option("--count", "-c", help="Print the number of hits in each file.")
]
_Max = Annotated[
    Optional[int],
    typer.Option("--max", "-m", min=1, help="Stop after so many hits in all."),
]
_Trees = Annotated[
    bool, typer.Option("--trees", help="Print each hit in brackets, not in its text.")
]
_Json = Annotated[
    bool,
    typer.Option(
        "--json",
        help="Print one JSON object a hit: where it is in characters from 0, in the "
        "sentence (start, end) and in the Doc or text (doc_start, doc_end).",
    ),
]


class _Sentence(NamedTuple):
    """A sentence to search.

    doc: The number of its Doc in the file, from 1.
    span: Gives the sentence; made only for those that have a hit.
    offset: Where its Doc begins in the file of text, in characters.
    """

    tree: Tree
    doc: int
    span: Callable[[], Span]
    offset: int = 0


class _Found(NamedTuple):
    """A hit, and where it is."""

    path: Path
    number: int
    sentence: _Sentence
    hit: Hit


@app.command("search", no_args_is_help=True)
def search_command(
    pattern: _Pattern,
    files: _Files,
    model: _Model = None,
    count: _Count = False,
    maximum: _Max = None,
    trees: _Trees = False,
    as_json: _Json = False,
) -> None:
    """Find the constituents and words that a tree pattern matches.

    Prints file:sentence: label: and the sentence with the hit in [brackets], or
    coloured on a terminal. The exit status is 0 if there are hits, 1 if there are
    none, and 2 if anything could not be read.
    """
    try:
        compiled = TreePattern(pattern)
        nlp = None if model is None else load_parser(model)
    except (ImportError, OSError, ValueError) as error:
        _complain(error)
        raise typer.Exit(FAILED) from None
    search = _Search(compiled, nlp, maximum)
    show = _json if as_json else _line
    # On a terminal the hits themselves show the progress.
    hidden = True if _is_terminal() and not count else None
    try:
        with tqdm(unit=" sentences", delay=1, disable=hidden) as bar:
            for path in search.paths(files):
                n_before = search.n_hits
                for found in search.hits(path, bar.update):
                    if not count:
                        typer.echo(show(found, trees))
                if count:
                    _print_count(path, search.n_hits - n_before, as_json)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever reads the hits has had enough of them, as `head` has.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if search.failed:
        raise typer.Exit(FAILED)
    raise typer.Exit(FOUND if search.n_hits else NOT_FOUND)


class _Search:
    """Searches files; what cannot be read is complained of and passed over.

    n_hits: The hits so far.
    failed: Whether anything could not be read.
    """

    def __init__(
        self, pattern: TreePattern, nlp: Optional[Language], maximum: Optional[int]
    ) -> None:
        self.pattern = pattern
        self.nlp = nlp
        self.maximum = maximum
        self.n_hits = 0
        self.failed = False

    def paths(self, files: List[Path]) -> Iterator[Path]:
        """The files to search, those of folders among them, until it is enough."""
        for file in files:
            try:
                found = treebank_files(file, docbins=True)
            except (OSError, ValueError) as error:
                self._fail(error)
                continue
            for path in found:
                if not self._is_enough():
                    yield path

    def hits(self, path: Path, progress: Callable[[int], Any]) -> Iterator[_Found]:
        try:
            for number, sentence in enumerate(self._sentences(path), start=1):
                progress(1)
                for hit in self.pattern.search(sentence.tree):
                    self.n_hits += 1
                    yield _Found(path, number, sentence, hit)
                    if self._is_enough():
                        return
        except BrokenPipeError:
            raise
        except (OSError, ValueError) as error:
            self._fail(error, path)

    def _is_enough(self) -> bool:
        return self.maximum is not None and self.n_hits >= self.maximum

    def _fail(self, error: Exception, path: Optional[Path] = None) -> None:
        self.failed = True
        _complain(error, path)

    def _sentences(self, path: Path) -> Iterator[_Sentence]:
        suffix = path.suffix.lower()
        if suffix == DOCBIN_SUFFIX:
            for number, doc in enumerate(read_docbin(path, Vocab()), start=1):
                yield from _doc_sentences(doc, number)
        elif self.nlp is None or suffix in BRACKET_SUFFIXES - {".txt"}:
            trees = read_tree_file(path, on_error=self._fail_tree)
            for number, tree in enumerate(trees, start=1):
                yield _Sentence(tree, number, partial(_span, tree))
        else:
            text = _read_text(path)
            parts = ((m[0], m.start()) for m in _PARAGRAPH.finditer(text))
            for doc, offset in self.nlp.pipe(parts, as_tuples=True):
                yield from _doc_sentences(doc, 1, offset)

    def _fail_tree(self, error: BracketError) -> None:
        is_text = Path(error.source).suffix.lower() not in BRACKET_SUFFIXES - {".txt"}
        if is_text and isinstance(error, OutsideTextError):
            raise ValueError(
                f"{error.source} is no treebank; give --model to search a text."
            ) from None
        self._fail(error)


def _doc_sentences(doc: Doc, number: int, offset: int = 0) -> Iterator[_Sentence]:
    for sent, tree in zip(sentences(doc), get_trees(doc), strict=True):
        if len(tree):
            yield _Sentence(tree, number, partial(_given, sent), offset)


def _given(span: Span) -> Span:
    return span


def _span(tree: Tree) -> Span:
    (doc,) = trees_to_docs([tree], Vocab())
    return doc[:]


def _read_text(path: Path) -> str:
    try:
        # Line ends stay as they are, so that offsets are those of the file.
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not UTF-8 text: {error.reason}.") from error


def _hit_span(found: _Found) -> "tuple[Span, Span]":
    sent = found.sentence.span()
    words = word_indices(sent)
    first, last = words[found.hit.start], words[found.hit.end - 1]
    return sent, sent.doc[first : last + 1]


def _line(found: _Found, trees: bool) -> str:
    place = f"{found.path}:{found.number}: "
    if trees:
        return place + hit_tree(found.sentence.tree, found.hit).brackets()
    sent, span = _hit_span(found)
    start, end = span.start_char - sent.start_char, span.end_char - sent.start_char
    parts = sent.text[:start], sent.text[start:end], sent.text[end:]
    before, hit, after = (re.sub(r"\s+", " ", part) for part in parts)
    if _is_terminal() and supports_ansi() and "NO_COLOR" not in os.environ:
        hit = wasabi.color(hit, fg="red", bold=True)
    else:
        hit = f"[{hit}]"
    return f"{place}{found.hit.label}: {before}{hit}{after}"


def _is_terminal() -> bool:
    return sys.stdout.isatty()


def _json(found: _Found, trees: bool) -> str:
    sent, span = _hit_span(found)
    offset = found.sentence.offset
    record: Dict[str, Any] = {
        "file": str(found.path),
        "sentence": found.number,
        "label": found.hit.label,
        "hit": span.text,
        "text": sent.text,
        "start": span.start_char - sent.start_char,
        "end": span.end_char - sent.start_char,
        "doc": found.sentence.doc,
        "doc_start": offset + span.start_char,
        "doc_end": offset + span.end_char,
    }
    if trees:
        record["tree"] = hit_tree(found.sentence.tree, found.hit).brackets()
    return json.dumps(record, ensure_ascii=False)


def _print_count(path: Path, number: int, as_json: bool) -> None:
    record = {"file": str(path), "hits": number}
    line = json.dumps(record, ensure_ascii=False) if as_json else f"{path}: {number}"
    typer.echo(line)


def _complain(error: Exception, path: Optional[Path] = None) -> None:
    text = explain(error)
    if path is not None and str(path) not in text:
        text = f"{path}: {text}"
    typer.secho(f"Error: {text}", fg="red", err=True)
