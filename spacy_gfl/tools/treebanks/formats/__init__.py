"""The formats of files: one table, which all commands read.

To add one, write a module with its reader or writer, and put a row into `FORMATS`.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from spacy.language import Language
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_gfl.tools.treebanks.formats import (
    brackets,
    conll,
    conllu,
    discbracket,
    docbin,
    export,
    greynir,
    json_lines,
    latex,
    table_rows,
    text,
)
from spacy_gfl.tools.treebanks.formats.reading import AUTO, Reading
from spacy_gfl.tools.treebanks.formats.text_files import (
    PACKED,
    UTF_8,
    read_lines,
    refuse_compressed,
)
from spacy_gfl.trees.tree import Tree


class Format(NamedTuple):
    """A format of files.

    Attributes:
        name: What `--input-format` calls it.
        help: What is in such a file, for users.
        endings: The endings of the names of such files.
        trees: Reads the trees of a treebank, which Docs are made of.
        docs: Reads Docs with trees.
        texts: Reads Docs to parse, with a pipeline's tokenizer. Without it what
            `trees` or `docs` read is parsed again.
        write: Writes Docs with trees to a path.
        has_records: Whether each Doc is a document of its own, where any other file is
            one document.
        begins: Tells from its first characters whether a file, whose ending other
            files have too, is one.
    """

    name: str
    help: str
    endings: tuple[str, ...] = ()
    trees: Callable[[Reading], Iterator[Tree]] | None = None
    docs: Callable[[Reading, Vocab], Iterator[Doc]] | None = None
    texts: Callable[[Reading, Language], Iterator[Doc]] | None = None
    write: Callable[..., None] | None = None
    has_records: bool = False
    begins: Callable[[str], bool] | None = None


# How CoNLL-U and its likes begin: comments, then ten columns.
_CONLLU = re.compile(r"(?:#.*\n)*1(?:-\d+)?(?:\t[^\t\n]+){9}(?:\n|\Z)")
_BRACKETS = ".ptb .mrg .tree .trees .parse .brackets .psd .gld .tbf .txt"
#: The formats by name. A new format is a file of this room and a row of this table.
FORMATS = {
    row.name: row
    for row in (
        Format(
            "text",
            "text in which a blank line ends a Doc",
            (".txt",),
            texts=text.read_text,
        ),
        Format(
            "lines",
            "text with one Doc per line",
            texts=text.read_texts,
            has_records=True,
        ),
        Format(
            "sentences",
            "text with one sentence per line",
            texts=text.read_sentences,
        ),
        Format(
            "tokens",
            "one sentence per line, with spaces between words",
            texts=text.read_tokens,
        ),
        Format(
            "csv",
            "a CSV or TSV table with one Doc per row",
            (".csv", ".tsv"),
            texts=table_rows.read_texts,
            has_records=True,
        ),
        Format(
            "conllu",
            "Universal Dependencies, which become trees of the common scheme",
            (".conllu", ".conll", ".txt"),
            docs=conllu.read_docs,
            begins=lambda head: _CONLLU.match(head.lstrip()) is not None,
        ),
        Format(
            "greynir",
            "the Icelandic GreynirCorpus",
            (".gld", ".psd"),
            trees=greynir.read,
            begins=greynir.begins,
        ),
        Format(
            "brackets",
            "trees in brackets",
            tuple(_BRACKETS.split()),
            trees=brackets.read,
            write=brackets.write,
            begins=brackets.begins,
        ),
        Format(
            "export",
            "the export format of NEGRA and TIGER",
            (".export", ".negra"),
            trees=export.read,
        ),
        Format(
            "discbracket",
            "brackets with numbered words, (NN 1=Buch)",
            (".discbracket", ".dbr"),
            trees=discbracket.read,
        ),
        Format(
            "spacy",
            "Docs with trees",
            (".spacy",),
            docs=docbin.read_docs,
            write=docbin.write,
            has_records=True,
        ),
        Format(
            "json",
            "JSON lines with offsets, or with text only",
            (".jsonl", ".json"),
            docs=json_lines.read_docs,
            texts=json_lines.read_to_parse,
            write=json_lines.write,
            has_records=True,
            begins=lambda head: head.lstrip()[:1] == "{" and '"text"' in head,
        ),
        Format(
            "conll",
            "CoNLL columns",
            (".conll",),
            docs=conll.read_docs,
            write=conll.write,
            has_records=True,
        ),
        Format("latex", "LaTeX", (".tex",), write=latex.write),
    )
}
#: The first of the formats that each ending stands for.
ENDINGS = {
    ending: row.name
    for row in reversed(FORMATS.values())
    for ending in row.endings
    if row.trees or row.docs or row.texts
}
BRACKET_ENDINGS = FORMATS["brackets"].endings
#: What writes Docs, `(path, docs, key=...)`, to a file whose name ends so; of any other
#: ending, it is trees in brackets.
WRITERS = {
    ending: row.write
    for row in FORMATS.values()
    for ending in row.endings
    if row.write and row.name != "brackets"
}
# How XML begins; <S> and the like are SGML around trees.
_XML = re.compile(r"\s*<(?:\?xml|!DOCTYPE|alpino_ds|corpus\s[^>]*=)", re.IGNORECASE)
#: Endings of files that may be anything, and are looked into where nobody named them.
_ANYTHING = frozenset({".txt", ".json", ".jsonl"})


def ending_of(path: Path) -> str:
    """The ending that tells what is in a file, such as .ptb of `a.ptb.gz`.

    The endings of OntoNotes, such as `.v4_gold_conll`, are .conll.
    """
    name = path.name.lower().removesuffix(PACKED)
    return ".conll" if name.endswith("_conll") else Path(name).suffix


def tells_trees(ending: str) -> bool:
    """Whether files whose names end so may hold trees."""
    rows = (row for row in FORMATS.values() if ending in row.endings)
    return any(row.trees or row.docs for row in rows)


def find_format(path: Path | None, name: str = AUTO, *, trees: bool = False) -> Format:
    """The format of a file, by its name or else by the file's.

    Args:
        path: The file. None is standard input, which counts as a .txt file.
        name: The format's name, or "auto".
        trees: Whether the file must hold trees: .txt is brackets then, else text.

    Raises:
        ValueError: If there is no such format, or the ending tells none.
    """
    if trees or (path and ending_of(path) == ".xml"):
        refuse_xml(path)
    if name != AUTO:
        if name not in FORMATS:
            raise ValueError(
                f"There is no format {name}. The formats are {', '.join(FORMATS)}."
            )
        return FORMATS[name]
    refuse_compressed(path)
    ending = ".txt" if path is None else ending_of(path)
    readable = _readable(trees)
    rows = [row for row in readable if ending in row.endings]
    if not rows:
        known = dict.fromkeys(ending for row in readable for ending in row.endings)
        raise ValueError(
            f"{path}: {ending or 'a name without an ending'} names no format; only "
            f"{', '.join(known)} do. Name the format with --input-format."
        )
    while len(rows) > 1 and rows[0].begins and not rows[0].begins(head_of(path)):
        rows.pop(0)
    return rows[0]


def lacks_trees(row: Format, path: Path | None) -> bool:
    """Whether a file of a format has to be parsed, as JSON lines of text alone have."""
    if row.docs and row.texts:
        return path is not None and '"sentences"' not in head_of(path)
    return not (row.docs or row.trees)


def is_xml(path: Path | None) -> bool:
    """Whether a file is XML by its ending or its first lines."""
    is_named = path is not None and ending_of(path) == ".xml"
    return is_named or _XML.match(head_of(path)) is not None


def refuse_xml(path: Path | None) -> None:
    """Raise ValueError for a file of XML, whatever its ending: what converts it."""
    if is_xml(path):
        raise ValueError(
            f"{path}: XML cannot be read. disco-dop converts TIGER-XML (tiger), "
            "Alpino's (alpino) and the French Treebank's (ftb) to the export "
            "format: `discodop treetransforms --inputfmt=tiger "
            "--outputfmt=export FILE.xml FILE.export`."
        )


def why_no_treebank(path: Path, reading: Reading) -> str | None:
    """Why a file of a folder is taken for none of trees; None if it is one.

    Where its ending tells nothing, it is one if it begins as the format that `reading`
    names.
    """
    ending = ending_of(path)
    is_known = tells_trees(ending)
    if is_xml(path):
        return "is XML"
    gold = path.with_name(path.name.replace("_auto_conll", "_gold_conll"))
    if gold != path and gold.exists():
        return "has gold trees beside it"
    row = find_format(path, trees=True) if is_known else FORMATS.get(reading.format)
    if row is None or not (is_known or row.begins):
        return f"{ending or 'no ending'} is not the ending of a format with trees"
    is_open = ending in _ANYTHING or not is_known
    if is_open and row.begins and not row.begins(head_of(path, reading.encoding)):
        return f"does not begin as {row.name}"
    return None


def head_of(path: Path | None, encoding: str = UTF_8) -> str:
    """The first characters of a file; "" if it cannot be read in this encoding."""
    if path is None or not path.is_file():
        return ""
    head = ""
    try:
        for line in read_lines(path, encoding=encoding):
            head += line
            if len(head) > 10_000:
                break
    except ValueError:
        pass
    return head


def describe_formats(*, trees: bool = False) -> str:
    """What the names of formats that can be read mean, for help texts."""
    return "; ".join(f"{row.name}: {row.help}" for row in _readable(trees))


def _readable(trees: bool) -> list[Format]:
    """The formats that can be read; with `trees`, those that hold trees."""
    rows = FORMATS.values()
    return [row for row in rows if row.trees or row.docs or (row.texts and not trees)]
