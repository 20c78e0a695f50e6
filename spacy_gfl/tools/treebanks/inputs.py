"""Files of any format as Docs: with their trees, or without, to be parsed."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from spacy import util
from spacy.language import Language
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_gfl.annotation.building import trees_to_docs
from spacy_gfl.annotation.storage import SPANS_KEY
from spacy_gfl.data.docbins import DOCBIN
from spacy_gfl.tools.treebanks.formats import (
    ENDINGS,
    FORMATS,
    Format,
    ending_of,
    find_format,
    head_of,
    refuse_xml,
    tells_trees,
    why_no_treebank,
)
from spacy_gfl.tools.treebanks.formats.reading import AUTO, Reading
from spacy_gfl.tools.treebanks.formats.text_files import lines_of
from spacy_gfl.tools.treebanks.schemes import find_scheme
from spacy_gfl.trees.brackets import begins_square
from spacy_gfl.trees.tree import Tree

#: How many names of files one line has.
_MOST_NAMES = 5


def treebank_files(
    path: Path,
    reading: Reading | str = AUTO,
    *,
    docbins: bool = False,
    tell: Callable[[str], object] = util.logger.warning,
) -> list[Path]:
    """The treebank files at a path, sorted by name.

    A single file may have any name. In a folder and below it, all files count that have
    the ending of a treebank, except hidden ones; .spacy files only with `docbins`. A
    .txt file counts if its first character is an opening bracket, and JSON if its first
    line has a `text`; any file that begins as the format of `reading` counts too.

    Args:
        path: A file or a folder.
        reading: How the files are read, or the name of their format.
        docbins: Whether to take .spacy files of a folder.
        tell: Takes one line that names the files of a folder left out, and why.

    Raises:
        FileNotFoundError: Where there is nothing at the path.
        ValueError: For a folder without such files.
    """
    if not path.exists():
        raise FileNotFoundError(f"There is no treebank at {path}.")
    if not path.is_dir():
        return [path]
    reading = Reading.of(reading, path)
    files = []
    left_out: dict[str, list[str]] = {}
    for file in sorted(path.rglob("*")):
        parts = file.relative_to(path).parts
        if any(part.startswith(".") for part in parts) or not file.is_file():
            continue
        why = why_no_treebank(file, reading)
        if why is None and ending_of(file) == DOCBIN and not docbins:
            why = "it already has Docs"
        if why is None:
            files.append(file)
        else:
            left_out.setdefault(why, []).append("/".join(parts))
    reasons = (f"{_listed(names)} ({why})" for why, names in left_out.items())
    message = f"Left out of {path}: {', '.join(reasons)}." if left_out else ""
    if not files:
        endings = ", ".join(sorted(filter(tells_trees, ENDINGS)))
        raise ValueError(
            f"The folder {path} has no treebank files: no file ends in "
            f"{endings}. {message}".rstrip()
        )
    if message:
        tell(message)
    return files


def reading_brackets(scheme: str, keep_functions: bool, encoding: str) -> Reading:
    """How the files of a corpus are read.

    Raises:
        ValueError: There is no such scheme or encoding.
    """
    chosen = find_scheme(scheme, keep_functions=keep_functions)
    return Reading(scheme=chosen, encoding=encoding)


def _listed(names: list[str]) -> str:
    more = len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")


def begins_with_bracket(file: Path) -> bool:
    """Whether a text file begins with a tree: with a bracket, or [S [NP."""
    head = head_of(file).lstrip()
    return head[:1] == "(" or begins_square(head)


def holds_docs(path: Path, name: str = AUTO) -> bool:
    """Whether a file has Docs or trees of its own kind, and no brackets or text."""
    if name == AUTO and ending_of(path) not in ENDINGS:
        return False
    row = find_format(path, name)
    return row.name != "brackets" and (row.docs or row.trees) is not None


def find_treebank_format(path: Path | None, name: str = AUTO) -> Format:
    """The format of a file of trees; of an unknown ending, brackets."""
    is_known = path is not None and tells_trees(ending_of(path))
    if name == AUTO and not is_known:
        refuse_xml(path)
        return FORMATS["brackets"]
    return find_format(path, name, trees=True)


def read_treebank(
    path: Path | None,
    vocab: Vocab,
    reading: Reading | str = AUTO,
    *,
    n_sents: int = 1,
    need_trees: bool = True,
) -> Iterator[Doc]:
    """Read a file of trees as Docs with trees.

    Args:
        path: The file; None is standard input.
        vocab: The Docs'.
        reading: How it is read, or the name of its format. "auto" takes what is not
            of Docs by its ending for brackets.
        n_sents: Sentences per Doc made from trees; 0 for one Doc per file. Other
            formats have their own Docs.
        need_trees: Refuse Docs of a .spacy file that have none.

    Raises:
        OSError: If the file cannot be read.
        ValueError: If it is not what the format says, or of a format that has no
            trees.
    """
    reading = replace(Reading.of(reading, path), need_trees=need_trees, n_sents=n_sents)
    row = find_treebank_format(path, reading.format)
    reading = replace(reading, format=row.name)
    if row.docs:
        return row.docs(reading, vocab)
    if row.trees:
        return trees_to_docs(row.trees(reading), vocab, n_sents=n_sents)
    raise ValueError(f"{reading.name}: the format {row.name} has no trees.")


def read_docs(
    nlp: Language, path: Path | None, reading: Reading | str = AUTO
) -> Iterator[Doc]:
    """Read a file, or standard input (None, text to "auto"), as Docs to parse.

    What Docs in the file have is kept, but not their trees. The words of a text are
    found by the pipeline's tokenizer. There are as many Docs as the file has records,
    be they empty.

    Raises:
        OSError: If the file cannot be read.
        ValueError: If it is not what the format says, or "auto" does not know it.
    """
    reading = replace(Reading.of(reading, path), need_trees=False)
    row = find_format(path, reading.format)
    return _to_parse(nlp, row, replace(reading, format=row.name))


def docs_from_lines(
    nlp: Language,
    lines: Iterable[str] | str,
    reading: Reading | str = AUTO,
    source: str = "the text",
) -> Iterator[Doc]:
    """Read lines, with their ends, or a text as Docs to parse; "auto" is text.

    `source` is what errors call them.

    Raises:
        ValueError: If they are not what the format says, or longer than
            `nlp.max_length`.
    """
    given = lines_of(lines) if isinstance(lines, str) else lines
    reading = replace(Reading.of(reading, None), given=given, given_name=source)
    return _to_parse(nlp, find_format(None, reading.format), reading)


def _to_parse(nlp: Language, row: Format, reading: Reading) -> Iterator[Doc]:
    if row.texts:
        yield from row.texts(reading, nlp)
        return
    if row.docs:
        docs = row.docs(reading, nlp.vocab)
    elif row.trees:
        docs = _docs_of_all_trees(row.trees, reading, nlp.vocab)
    else:
        raise ValueError(f"{reading.name}: {row.name} can be written, but not read.")
    for doc in docs:
        doc.spans.pop(SPANS_KEY, None)
        yield doc


def _docs_of_all_trees(
    read: Callable[[Reading], Iterator[Tree]], reading: Reading, vocab: Vocab
) -> Iterator[Doc]:
    """A Doc per tree, without words for a tree that had nothing but traces."""
    counts = reading.counts
    n_empty = counts.vanished
    for tree in read(reading):
        yield from (Doc(vocab) for _ in range(n_empty, counts.vanished))
        n_empty = counts.vanished
        yield from trees_to_docs([tree], vocab)
    yield from (Doc(vocab) for _ in range(n_empty, counts.vanished))
