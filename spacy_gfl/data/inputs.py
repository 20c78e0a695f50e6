"""Files of any format as Docs: with their trees, or without, to be parsed."""

import re
from collections.abc import Iterable, Iterator
from enum import Enum
from itertools import groupby
from pathlib import Path

from spacy.language import Language
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_gfl.annotation.building import trees_to_docs
from spacy_gfl.annotation.storage import SPANS_KEY
from spacy_gfl.formats import docbin
from spacy_gfl.formats.conll import docs_from_conll
from spacy_gfl.formats.files import read_lines, refuse_compressed, source_name
from spacy_gfl.formats.greynir import trees_from_greynir
from spacy_gfl.formats.json_lines import docs_from_json_lines
from spacy_gfl.trees.brackets import read_trees
from spacy_gfl.trees.escaping import INNER_SPACE

DOCBIN_SUFFIX = ".spacy"
#: Endings of bracket files; .txt files are looked into first.
BRACKET_SUFFIXES = frozenset(
    {".ptb", ".mrg", ".tree", ".trees", ".parse", ".brackets", ".txt"}
)
#: Characters from which on a paragraph ends with the line. A Doc takes some
#: hundred times its text in memory, and files of a sentence a line have no others.
LONG_PARAGRAPH = 10_000
_WORDS = re.compile(rf"\S+(?:{INNER_SPACE}+\S+)*")


class InputFormat(str, Enum):
    """The formats of input files.

    Attributes:
        AUTO: What the ending of its name says (`detect_format`).
        TEXT: Plain text; a blank line ends a Doc, the pipeline finds sentences.
        LINES: Plain text of which each line is a Doc.
        TOKENS: A sentence a line, words parted by white space. A line is a Doc.
        BRACKETS: A treebank.
        SPACY: Docs, as a DocBin.
        JSON: Docs or sentences, as `spacy_gfl.formats.json_lines` writes them.
        CONLL: Columns, as `spacy_gfl.formats.conll` reads them.
        GREYNIR: The Icelandic GreynirCorpus, as `spacy_gfl.formats.greynir` reads it.
    """

    AUTO = "auto"
    TEXT = "text"
    LINES = "lines"
    TOKENS = "tokens"
    BRACKETS = "brackets"
    SPACY = "spacy"
    JSON = "json"
    CONLL = "conll"
    GREYNIR = "greynir"


#: The formats that endings of file names stand for.
ENDINGS = {
    **dict.fromkeys(sorted(BRACKET_SUFFIXES), InputFormat.BRACKETS),
    ".txt": InputFormat.TEXT,
    ".json": InputFormat.JSON,
    ".jsonl": InputFormat.JSON,
    ".conll": InputFormat.CONLL,
    ".gld": InputFormat.GREYNIR,
    DOCBIN_SUFFIX: InputFormat.SPACY,
}


def detect_format(path: Path | None, *, trees: bool = False) -> InputFormat:
    """The format that the ending of a file's name stands for.

    Args:
        path: The file. None is standard input, which counts as a .txt file.
        trees: Whether the file must hold trees: .txt is brackets then, else text.

    Raises:
        ValueError: For another ending.
    """
    refuse_compressed(path)
    ending = ".txt" if path is None else path.suffix.lower()
    if ending not in ENDINGS:
        raise ValueError(
            f"{path}: {ending or 'no ending'} does not tell what is in the file; "
            f"{', '.join(ENDINGS)} do. Say it with --input-format."
        )
    if trees and ending == ".txt":
        return InputFormat.BRACKETS
    if path is not None and ending == ".gld" and path.is_file():
        # EVALB's samples name gold trees in brackets so too.
        with path.open(encoding="utf-8", errors="replace") as file:
            if "(META" not in file.read(1000):
                return InputFormat.BRACKETS
    return ENDINGS[ending]


def treebank_files(path: Path, *, docbins: bool = False) -> list[Path]:
    """The treebank files at a path, sorted by name.

    A single file is taken whatever its name. Of a folder, all bracket files in it and
    below it are taken, except hidden ones, and with `docbins` .spacy files too. A .txt
    file in a folder counts if its first character is an opening bracket; licences and
    lists of names do not.

    Raises:
        FileNotFoundError: Where there is nothing at the path.
        ValueError: For a folder without such files.
    """
    if not path.exists():
        raise FileNotFoundError(f"There is no treebank at {path}.")
    if not path.is_dir():
        return [path]
    endings = BRACKET_SUFFIXES | {".gld"} | ({DOCBIN_SUFFIX} if docbins else set())
    files = [
        file
        for file in sorted(path.rglob("*"))
        if file.suffix.lower() in endings
        and not any(part.startswith(".") for part in file.relative_to(path).parts)
        and file.is_file()
        and (file.suffix.lower() != ".txt" or begins_with_bracket(file))
    ]
    if not files:
        raise ValueError(
            f"The folder {path} has no treebank files: none whose name ends in "
            f"{', '.join(sorted(endings))}."
        )
    return files


def begins_with_bracket(file: Path) -> bool:
    """Whether the first character of a text file, but white space, is a bracket."""
    with file.open(encoding="utf-8-sig", errors="replace") as lines:
        return next((s[0] for s in map(str.strip, lines) if s), "") == "("


def holds_docs(path: Path) -> bool:
    """Whether a file is one of Docs by its ending, and not of brackets or text."""
    without_docs = (InputFormat.BRACKETS, InputFormat.TEXT)
    return path.suffix.lower() in ENDINGS and detect_format(path) not in without_docs


def read_treebank(
    path: Path | None,
    vocab: Vocab,
    input_format: InputFormat = InputFormat.AUTO,
    *,
    n_sents: int = 1,
    need_trees: bool = True,
) -> Iterator[Doc]:
    """Read a file of trees as Docs with trees.

    Args:
        path: The file; None is standard input.
        vocab: The Docs'.
        input_format: What is in the file. AUTO takes what is not of Docs by its
            ending for brackets.
        n_sents: Sentences to a Doc made from brackets; 0 for a Doc a file. Other
            formats have their own Docs.
        need_trees: Refuse Docs of a .spacy file that have none.

    Raises:
        OSError: If the file cannot be read.
        ValueError: If it is not what the format says, or of a format that has no
            trees.
    """
    if input_format is InputFormat.AUTO:
        is_docs = path is not None and holds_docs(path)
        input_format = detect_format(path) if is_docs else InputFormat.BRACKETS
    if input_format is InputFormat.SPACY:
        if path is None:
            raise ValueError("Standard input cannot be a .spacy file; name the file.")
        return docbin.read(path, vocab, need_trees=need_trees)
    lines = read_lines(path)
    return _treebank_docs(lines, vocab, input_format, source_name(path), n_sents)


def read_docs(
    nlp: Language, path: Path | None, input_format: InputFormat = InputFormat.AUTO
) -> Iterator[Doc]:
    """Read a file, or standard input (None, text to AUTO), as Docs to parse.

    What Docs in the file have is kept, but not their trees. The words of a text are
    found by the pipeline's tokenizer.

    Raises:
        OSError: If the file cannot be read.
        ValueError: If it is not what the format says, or AUTO does not know it.
    """
    if input_format is InputFormat.AUTO:
        input_format = detect_format(path)
    if input_format is InputFormat.SPACY:
        docs = read_treebank(path, nlp.vocab, input_format, need_trees=False)
        return _without_trees(docs)
    return docs_from_lines(nlp, read_lines(path), input_format, source_name(path))


def docs_from_lines(
    nlp: Language, lines: Iterable[str], input_format: InputFormat, source: str
) -> Iterator[Doc]:
    """Read lines as Docs to parse, without the trees that they may have.

    Args:
        nlp: The pipeline whose tokenizer finds the words of text.
        lines: The lines, with their ends.
        input_format: What they are; AUTO is text, of which no line may be longer than
            `nlp.max_length`.
        source: The name that errors carry.

    Raises:
        ValueError: If they are not what the format says.
    """
    if input_format is InputFormat.LINES:
        lines = (part for line in lines for part in (line, "\n"))
    if input_format in (InputFormat.AUTO, InputFormat.TEXT, InputFormat.LINES):
        return (nlp.make_doc(text) for text, _ in paragraphs(lines))
    if input_format is InputFormat.TOKENS:
        return token_docs(nlp, lines)
    return _without_trees(_treebank_docs(lines, nlp.vocab, input_format, source))


def paragraphs(lines: Iterable[str]) -> Iterator[tuple[str, int]]:
    """Read paragraphs, which blank lines part, without trailing white space.

    A paragraph of LONG_PARAGRAPH characters ends with the line that it is in.

    Yields:
        Each paragraph, and the number of characters before it.
    """
    offset = 0
    for is_blank, group in groupby(lines, key=str.isspace):
        text = ""
        for line in group:
            text += line
            if len(text) >= LONG_PARAGRAPH and not is_blank:
                yield text.rstrip(), offset
                offset += len(text)
                text = ""
        if text and not is_blank:
            yield text.rstrip(), offset
        offset += len(text)


def token_docs(nlp: Language, lines: Iterable[str]) -> Iterator[Doc]:
    """A Doc for each line, one sentence of just these words; empty for no words."""
    for words in map(_WORDS.findall, lines):
        starts: list[bool | int | None] = [i == 0 for i in range(len(words))]
        yield Doc(nlp.vocab, words=words, sent_starts=starts)


def _treebank_docs(
    lines: Iterable[str],
    vocab: Vocab,
    input_format: InputFormat,
    source: str,
    n_sents: int = 1,
) -> Iterator[Doc]:
    """Docs with trees, from lines of a format that has some."""
    if input_format is InputFormat.BRACKETS:
        return trees_to_docs(read_trees(lines, source=source), vocab, n_sents=n_sents)
    if input_format is InputFormat.JSON:
        return docs_from_json_lines(lines, vocab, source=source)
    if input_format is InputFormat.CONLL:
        return docs_from_conll(lines, vocab, source=source)
    if input_format is InputFormat.GREYNIR:
        trees = trees_from_greynir(lines, source=source)
        return trees_to_docs(trees, vocab, n_sents=n_sents)
    raise ValueError(f"{source}: there are no trees in {input_format.value} to read.")


def _without_trees(docs: Iterable[Doc]) -> Iterator[Doc]:
    for doc in docs:
        doc.spans.pop(SPANS_KEY, None)
        yield doc
