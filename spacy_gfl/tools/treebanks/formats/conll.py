"""Trees in the columns of the CoNLL shared tasks: one word per line.

A parse bit says which constituents begin before a word and how many end after
it: `(S(NP*` `*)` `(VP*))` for (S (NP The dog) (VP barks)). It stands in

- the twelve columns of CoNLL-2012 (Pradhan et al. 2012), style "2012": document,
  part, word number, word, tag, parse bit, and "-" or "*" in the columns that trees
  say nothing about, between lines `#begin document (name); part 000` and
  `#end document`;
- three columns, style "2005": word, tag, parse bit.

An empty line ends a sentence. Read are also the columns that CoNLL-2005 documents
(word, names, tag, chunks, clauses, parse bit) and word, tag, chunks, clauses, parse
bit; other columns are refused (`LAYOUTS`). The root bracket (TOP) is always written,
and dropped in reading. Brackets, white space and in labels `*` are escaped (-LRB-,
-U+0020-). The name and the part of a document are the Doc's (`formats.names`).
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_gfl.annotation.building import set_trees, trees_to_docs
from spacy_gfl.annotation.storage import SPANS_KEY, get_trees
from spacy_gfl.tools.treebanks.formats.atomic_files import write_text
from spacy_gfl.tools.treebanks.formats.names import document_name, name_document
from spacy_gfl.tools.treebanks.formats.reading import Reading
from spacy_gfl.tools.treebanks.formats.text_files import (
    FormatError,
    as_docs,
    given_lines,
)
from spacy_gfl.trees.escaping import (
    escape_name,
    escape_word,
    unescape_name,
    unescape_word,
)
from spacy_gfl.trees.tree import ROOT_LABEL, ROOT_LABELS, Tree, TreeBuilder, TreeError

_BEGIN = re.compile(r"#begin document(?: \((.*)\))?(?:;? *part *(\d+))?")
_MARK = re.compile(r"#(begin|end) document")
_COLUMN = re.compile(r"[^ \t\r\n]+")
# Labels may also stand at closing brackets, as in CoNLL-2001: (S(NP* *NP)
_PARSE_BIT = re.compile(r"((?:\([^()*]*)*)\*((?:[^()*]*\))*)")
_CHUNK = re.compile(r"(\([^()*]*)?\*([^()*]*\))?")


class Layout(NamedTuple):
    """What the columns of a file are.

    Attributes:
        names: The columns, for messages.
        word, tag, bit: The columns of these, from 0.
        chunks, clauses: The columns of these, if there are any.
        bits: All columns of brackets that tell the layout.
        numbers: A column of words' numbers.
    """

    names: str
    word: int
    tag: int
    bit: int
    chunks: int | None = None
    clauses: int | None = None
    bits: frozenset[int] = frozenset()
    numbers: int | None = None


#: All layouts that are read.
LAYOUTS = (
    Layout("document, part, number, word, tag, parse bit", 3, 4, 5, numbers=2),
    Layout(
        *("word, names, tag, chunks, clauses, parse bit", 0, 2, 5, 3, 4),
        bits=frozenset({1, 3, 4, 5}),
    ),
    Layout(
        *("word, tag, chunks, clauses, parse bit", 0, 1, 4, 2, 3),
        bits=frozenset({2, 3, 4}),
    ),
    Layout("word, tag, parse bit", 0, 1, 2, bits=frozenset({2})),
)


def parse_bits(tree: Tree) -> list[str]:
    """The parse bit of every word, the root bracket included."""
    bits = ["*"] * len(tree)
    nodes = [(ROOT_LABEL, 0, len(tree)), *tree.constituents] if bits else []
    # Outermost last, so that each goes around what is there.
    for label, start, end in reversed(nodes):
        bits[start] = f"({escape_name(label).replace('*', '-U+002A-')}{bits[start]}"
        bits[end - 1] += ")"
    return bits


def tree_to_conll(
    tree: Tree, *, style: str = "2012", document: str = "-", part: int = 0
) -> str:
    """A sentence as lines of columns, the last of them empty.

    Args:
        tree: The sentence's tree.
        style: "2012" or "2005".
        document: What stands in the first column of style 2012.
        part: What stands in its second.

    Raises:
        ValueError: For another style.
    """
    if style not in ("2012", "2005"):
        raise ValueError(f'style must be "2012" or "2005", not {style!r}')
    lines = []
    for number, bit in enumerate(parse_bits(tree)):
        word = _without_mark(escape_word(tree.words[number]))
        columns = [word, escape_name(tree.tags[number]), bit]
        if style == "2012":
            name = _without_mark(escape_name(document)) or "-"
            place = [name, str(part), str(number)]
            # Lemma, frameset, sense, speaker; names; coreference.
            columns = [*place, *columns, "-", "-", "-", "-", "*", "-"]
        lines.append("\t".join(columns) + "\n")
    return "".join(lines) + "\n"


def _without_mark(text: str) -> str:
    """Text in which nothing at the beginning of a line is a byte order mark."""
    return text.replace("\ufeff", "-U+FEFF-")


def doc_to_conll(
    doc: Doc,
    *,
    style: str = "2012",
    document: str | None = None,
    part: int | None = None,
    key: str = SPANS_KEY,
) -> str:
    """A Doc as a document of lines, without white space.

    Args:
        doc: A Doc with trees.
        style: "2012" or "2005".
        document: The name of the document, and its first column, in style 2012.
            Without one it is the Doc's own, or else "-".
        part: The number of the part, and the second column, in style 2012. Without
            one it is the Doc's own, or else 0.
        key: The span group that holds the trees.

    Raises:
        ValueError: For another style, and for a Doc without trees or sentences.
    """
    own_name, own_part = document_name(doc)
    if document is None:
        document = "-" if own_name is None else str(own_name)
    part = own_part or 0 if part is None else part
    text = "".join(
        tree_to_conll(tree, style=style, document=document, part=part)
        for tree in get_trees(doc, key=key)
        if tree.words
    )
    if style == "2005":
        return text
    begin = f"#begin document ({escape_name(document)}); part {part:03d}\n"
    return f"{begin}{text}#end document\n"


def trees_from_conll(
    lines: Iterable[str] | str, *, source: str = "<input>"
) -> Iterator[Tree]:
    """Read the trees in lines of columns, with or without their ends, or in a text.

    Raises:
        FormatError: Naming the source and the line, where there is no tree.
    """
    documents = _documents(given_lines(lines), source)
    return (tree for trees, *_ in documents for tree in trees)


def docs_from_conll(
    lines: Iterable[str] | str,
    vocab: Vocab,
    *,
    source: str = "<input>",
    key: str = SPANS_KEY,
) -> Iterator[Doc]:
    """Read a Doc per document (`#begin document`), or one of all lines without.

    The lines may be one text.

    Spaces are guessed, as for Docs made from brackets; `key` is the span group that
    will hold the trees, `source` the name that errors carry. A document without words
    is a Doc without words.

    Raises:
        FormatError: Naming the source and the line, where there is no tree.
        TreeError: For a word of white space.
    """
    for trees, name, part in _documents(given_lines(lines), source):
        [doc] = trees_to_docs(trees, vocab, n_sents=0, key=key) if trees else [None]
        if doc is None:
            doc = Doc(vocab)
            set_trees(doc, [], key=key)
        if name is not None:
            name_document(doc, name, part)
        yield doc


def write(
    path: str | Path,
    docs: Iterable[Doc] | Doc,
    *,
    style: str = "2012",
    key: str = SPANS_KEY,
) -> None:
    """Write Docs to a file, UTF-8, as documents of their names or else "0", "1", ...

    The file changes only once all are written. `style` is "2012" or "2005", `key` the
    span group that holds the trees.

    Raises:
        OSError: If the file cannot be written.
    """
    texts = (
        numbered_doc_to_conll(doc, number, style=style, key=key)
        for number, doc in enumerate(as_docs(docs))
    )
    write_text(path, texts)


def numbered_doc_to_conll(
    doc: Doc, number: int, *, style: str = "2012", key: str = SPANS_KEY
) -> str:
    """A Doc as a document of its own name, or else of its number."""
    has_name = document_name(doc)[0] is not None
    name = None if has_name else str(number)
    return doc_to_conll(doc, style=style, document=name, key=key)


def read(path: str | Path, vocab: Vocab, *, key: str = SPANS_KEY) -> Iterator[Doc]:
    """Read the Docs of a UTF-8 file into the span group `key`.

    Raises:
        OSError: If the file cannot be read.
        FormatError: Where it is not in the format; source and line are named.
    """
    reading = Reading(path=Path(path))
    return docs_from_conll(reading.lines(), vocab, source=reading.name, key=key)


def read_docs(reading: Reading, vocab: Vocab) -> Iterator[Doc]:
    """Read the Docs of a file."""
    return docs_from_conll(reading.lines(), vocab, source=reading.name)


def _documents(
    lines: Iterable[str], source: str
) -> Iterator[tuple[list[Tree], str | None, int | None]]:
    """The trees, the name and the part of each document."""
    trees: list[Tree] = []
    rows: list[list[str]] = []
    name: str | None = None
    part: int | None = None
    layout: Layout | None = None
    is_begun = False
    for number, line in enumerate(chain(lines, ["#end document"]), start=1):
        mark = _MARK.match(line)
        if row := [] if mark else _COLUMN.findall(line):
            rows.append(row)
        elif rows:
            layout = layout or _layout(rows, source, number - len(rows))
            if layout.numbers is not None and not (trees or is_begun):
                name, part = unescape_name(rows[0][0]), _number(rows[0][1])
            trees.append(_tree(rows, layout, source, number - len(rows)))
            rows = []
        if mark and (trees or is_begun):
            yield trees, name, part
            trees, name, part, is_begun = [], None, None, False
        if mark and mark[1] == "begin":
            is_begun = True
            if (begin := _BEGIN.match(line)) and begin[1] is not None:
                name, part = unescape_name(begin[1]), _number(begin[2])


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isdecimal() else None


def _layout(rows: Sequence[Sequence[str]], source: str, first: int) -> Layout:
    """The layout of a file, from the columns of its first sentence.

    Raises:
        FormatError: If they are none of LAYOUTS.
    """
    width = min(map(len, rows))
    if width < 3:
        line = first + [len(row) for row in rows].index(width)
        message = (
            f"the parse bit should stand in column 3, but there are {width} columns"
        )
        raise FormatError(source, line, message)
    columns = [[row[i] for row in rows] for i in range(width)]
    bits = {i for i, column in enumerate(columns) if all(map(_is_bit, column))}
    for layout in LAYOUTS:
        if layout.numbers is not None:
            is_it = width > layout.bit and columns[layout.numbers] in (
                [str(i + start) for i in range(len(rows))] for start in (0, 1)
            )
        elif layout.chunks is None:
            # A sentence of which some cell is wrong gets an error of its own.
            is_it = "*" in rows[0][layout.bit] and 3 not in bits
        else:
            is_it = layout.bits <= bits and not bits & {layout.tag}
            is_it = is_it and _are_chunks(columns[layout.chunks])
            is_it = is_it and _are_clauses(columns[layout.clauses or 0])
        if is_it:
            return layout
    known = "; ".join(layout.names for layout in LAYOUTS)
    message = (
        f"these {width} columns are unknown, so no column can be taken for the "
        f"trees. Known columns are: {known}. Remove other columns, for example "
        "with `cut -f`."
    )
    raise FormatError(source, first, message)


def _is_bit(cell: str) -> bool:
    return _PARSE_BIT.fullmatch(cell) is not None


def _are_chunks(column: Sequence[str]) -> bool:
    """Whether no bracket of a column is inside another."""
    return all(_CHUNK.fullmatch(cell) for cell in column)


def _are_clauses(column: Sequence[str]) -> bool:
    """Whether all brackets of a column are of clauses."""
    labels = [name for cell in column for name in re.findall(r"\(([^()*]*)", cell)]
    return all(name.startswith("S") for name in labels)


def _tree(
    rows: Sequence[Sequence[str]], layout: Layout, source: str, first: int
) -> Tree:
    """The tree of a sentence, whose first row is in line `first`."""
    builder = TreeBuilder()
    at = first
    try:
        for i, row in enumerate(rows):
            at = first + i
            if len(row) <= layout.bit:
                raise TreeError(
                    f"the parse bit should stand in column {layout.bit + 1}, but "
                    f"there are {len(row)} columns"
                )
            word, tag, bit = row[layout.word], row[layout.tag], row[layout.bit]
            if not _is_bit(bit):
                raise TreeError(f"{bit!r} is not a parse bit like (NP* or *)")
            opening, _, closing = bit.partition("*")
            for label in opening.split("(")[1:]:
                # The empty label of an outer bracket becomes the root's.
                builder.open(unescape_name(label) or ROOT_LABEL)
            builder.word(unescape_word(word), unescape_name(tag))
            for _ in range(closing.count(")")):
                builder.close()
        if not any("(" in row[layout.bit] for row in rows):
            raise TreeError("the parse bits have no brackets, so there is no tree")
        return _without_root(builder.finish())
    except TreeError as error:
        raise FormatError(source, at, str(error)) from None


def _without_root(tree: Tree) -> Tree:
    nodes = tree.constituents
    if nodes and nodes[0].label in ROOT_LABELS and nodes[0][1:] == (0, len(tree)):
        nodes = nodes[1:]
    return Tree(tree.words, tree.tags, nodes)
