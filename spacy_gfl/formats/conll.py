"""Trees in the columns of the CoNLL shared tasks: one word a line.

A parse bit says which constituents begin before a word and how many end after
it: `(S(NP*` `*)` `(VP*))` for (S (NP The dog) (VP barks)). It stands in

- the twelve columns of CoNLL-2012 (Pradhan et al. 2012), style "2012": document,
  part, word number, word, tag, parse bit, and "-" or "*" in those that trees say
  nothing about, between lines `#begin document (name); part 000` and
  `#end document`;
- three columns, style "2005": word, tag, parse bit, as in CoNLL-2005.

An empty line ends a sentence. The root bracket (TOP) is always written, and
dropped in reading. Brackets and white space are escaped as in brackets (-LRB-,
-U+0020-), in labels also `*`, so that every tree can be read back.
"""

import re
from pathlib import Path
from typing import Iterable, Iterator, List, NamedTuple, Optional, Sequence, Union

from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_gfl.annotation.building import trees_to_docs
from spacy_gfl.annotation.storage import SPANS_KEY, get_trees
from spacy_gfl.formats.errors import FormatError
from spacy_gfl.trees.escaping import (
    escape_name,
    escape_word,
    unescape_name,
    unescape_word,
)
from spacy_gfl.trees.tree import ROOT_LABEL, ROOT_LABELS, Tree, TreeBuilder, TreeError

STYLES = ("2012", "2005")
_BEGIN = re.compile(r"#begin document")
_END = re.compile(r"#end document")
_COLUMN = re.compile(r"[^ \t\r\n]+")
# Labels may also stand at closing brackets, as in CoNLL-2001: (S(NP* *NP)
_PARSE_BIT = re.compile(r"((?:\([^()*]*)*)\*((?:[^()*]*\))*)")
#: Columns of word, tag and parse bit in files of twelve or more, and of three.
_LONG = (3, 4, 5)
_SHORT = (0, 1, 2)
_LONG_WIDTH = 11


def parse_bits(tree: Tree) -> List[str]:
    """The parse bit of every word, the root bracket included."""
    opening = ["" for _ in tree.words]
    closing = ["" for _ in tree.words]
    if tree.words:
        opening[0], closing[-1] = f"({ROOT_LABEL}", ")"
    for label, start, end in tree.constituents:
        opening[start] += "(" + escape_name(label).replace("*", "-U+002A-")
        closing[end - 1] += ")"
    return [f"{o}*{c}" for o, c in zip(opening, closing, strict=True)]


def tree_to_conll(
    tree: Tree, *, style: str = "2012", document: str = "-", part: int = 0
) -> str:
    """A sentence as lines of columns, the last of them empty.

    style: "2012" or "2005".
    document, part: What stands in the first two columns of style 2012.
    Raises ValueError for another style.
    """
    _check_style(style)
    rows = zip(tree.words, tree.tags, parse_bits(tree), strict=True)
    lines = []
    for number, (word, tag, bit) in enumerate(rows):
        columns = [escape_word(word), escape_name(tag), bit]
        if style == "2012":
            place = [escape_name(document), str(part), str(number)]
            # Lemma, frameset, sense, speaker; names; coreference.
            columns = [*place, *columns, "-", "-", "-", "-", "*", "-"]
        lines.append("\t".join(columns) + "\n")
    return "".join(lines) + "\n"


def doc_to_conll(
    doc: Doc,
    *,
    style: str = "2012",
    document: str = "-",
    part: int = 0,
    key: str = SPANS_KEY,
) -> str:
    """A Doc as a document of lines. White-space tokens are left out.

    Arguments are those of `tree_to_conll`. Sentences of white space vanish.
    Raises ValueError for another style, and as `get_trees` does.
    """
    _check_style(style)
    blocks = [
        tree_to_conll(tree, style=style, document=document, part=part)
        for tree in get_trees(doc, key=key)
        if tree.words
    ]
    if style == "2012":
        begin = f"#begin document ({escape_name(document)}); part {part:03d}\n"
        blocks = [begin, *blocks, "#end document\n"]
    return "".join(blocks)


def trees_from_conll(
    lines: Iterable[str], *, style: Optional[str] = None, source: str = "<input>"
) -> Iterator[Tree]:
    """Read the trees in lines of columns.

    style: "2012" reads columns 4 to 6, "2005" the first three. Without it, lines
        of eleven columns or more are taken for 2012.
    source: The name that errors carry.
    Raises FormatError, which names the line, where columns are missing, a parse
        bit is none, or brackets do not balance in a sentence; ValueError for
        another style.
    """
    for trees in _documents(lines, style, source):
        yield from trees


def docs_from_conll(
    lines: Iterable[str],
    vocab: Vocab,
    *,
    style: Optional[str] = None,
    source: str = "<input>",
    key: str = SPANS_KEY,
) -> Iterator[Doc]:
    """Read a Doc a document (`#begin document`), or one of all lines without.

    Spaces are guessed, as for Docs made from brackets.
    Raises as `trees_from_conll` does, and TreeError for a word of white space.
    """
    for trees in _documents(lines, style, source):
        yield from trees_to_docs(trees, vocab, n_sents=0, key=key)


def write_conll(
    path: Union[str, Path],
    docs: Iterable[Doc],
    *,
    style: str = "2012",
    key: str = SPANS_KEY,
) -> None:
    """Write Docs to a file, UTF-8, as documents "0", "1" and so on.

    Raises OSError if the file cannot be written, else as `doc_to_conll`.
    """
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        for number, doc in enumerate(docs):
            file.write(doc_to_conll(doc, style=style, document=str(number), key=key))


def read_conll(
    path: Union[str, Path],
    vocab: Vocab,
    *,
    style: Optional[str] = None,
    key: str = SPANS_KEY,
) -> Iterator[Doc]:
    """Read the Docs of a UTF-8 file, as `docs_from_conll` does.

    Raises OSError if the file cannot be read.
    """
    with open(path, encoding="utf-8-sig", newline="\n") as file:
        yield from docs_from_conll(file, vocab, style=style, source=str(path), key=key)


class _Row(NamedTuple):
    """A line's word, tag and parse bit."""

    word: str
    tag: str
    bit: str
    line: int


def _check_style(style: Optional[str]) -> None:
    if style not in STYLES:
        raise ValueError(f'style must be "2012" or "2005", not {style!r}')


def _documents(
    lines: Iterable[str], style: Optional[str], source: str
) -> Iterator[List[Tree]]:
    """The trees of each document."""
    if style is not None:
        _check_style(style)
    trees: List[Tree] = []
    rows: List[_Row] = []
    for number, line in enumerate(lines, 1):
        is_mark = bool(_BEGIN.match(line) or _END.match(line))
        if not is_mark and (columns := _COLUMN.findall(line)):
            rows.append(_read_row(columns, style, source, number))
            continue
        if rows:
            trees.append(_read_tree(rows, source))
            rows = []
        if is_mark and trees:
            yield trees
            trees = []
    if rows:
        trees.append(_read_tree(rows, source))
    if trees:
        yield trees


def _read_row(
    columns: Sequence[str], style: Optional[str], source: str, number: int
) -> _Row:
    is_long = len(columns) >= _LONG_WIDTH if style is None else style == "2012"
    places = _LONG if is_long else _SHORT
    if len(columns) <= places[-1]:
        raise FormatError(
            source,
            number,
            f"the parse bit should stand in column {places[-1] + 1}, but there are "
            f"{len(columns)} columns",
        )
    word, tag, bit = (columns[place] for place in places)
    if not _PARSE_BIT.fullmatch(bit):
        raise FormatError(source, number, f"{bit!r} is no parse bit like (NP* or *)")
    return _Row(word, tag, bit, number)


def _read_tree(rows: Sequence[_Row], source: str) -> Tree:
    builder = TreeBuilder()
    for row in rows:
        opening, _, closing = row.bit.partition("*")
        for label in opening.split("(")[1:]:
            # The empty label of an outer bracket becomes the root's.
            builder.open(unescape_name(label) or ROOT_LABEL)
        builder.word(unescape_word(row.word), unescape_name(row.tag))
        for _ in range(closing.count(")")):
            if not builder.depth:
                raise FormatError(source, row.line, "a bracket too many is closed")
            builder.close()
    if builder.depth:
        message = f"{builder.depth} brackets are still open at the sentence's end"
        raise FormatError(source, rows[-1].line, message)
    try:
        return _without_root(builder.finish())
    except TreeError as error:
        raise FormatError(source, rows[0].line, str(error)) from error


def _without_root(tree: Tree) -> Tree:
    nodes = tree.constituents
    if nodes and nodes[0].label in ROOT_LABELS and nodes[0][1:] == (0, len(tree)):
        nodes = nodes[1:]
    return Tree(tree.words, tree.tags, nodes)
