"""Trees in the columns of the CoNLL shared tasks: one word a line.

A parse bit says which constituents begin before a word and how many end after
it: `(S(NP*` `*)` `(VP*))` for (S (NP The dog) (VP barks)). It stands in

- the twelve columns of CoNLL-2012 (Pradhan et al. 2012), style "2012": document,
  part, word number, word, tag, parse bit, and "-" or "*" in the columns that trees
  say nothing about, between lines `#begin document (name); part 000` and
  `#end document`;
- three columns, style "2005": word, tag, parse bit, as in CoNLL-2005.

An empty line ends a sentence. In reading, a parse bit in the third column tells style
"2005", whatever columns follow. The root bracket (TOP) is always written, and dropped
in reading. Brackets, white space and in labels `*` are escaped (-LRB-, -U+0020-).
"""

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_gfl.annotation.building import trees_to_docs
from spacy_gfl.annotation.storage import SPANS_KEY, get_trees
from spacy_gfl.formats.files import FormatError, as_docs, read_lines, write_text
from spacy_gfl.trees.escaping import (
    escape_name,
    escape_word,
    unescape_name,
    unescape_word,
)
from spacy_gfl.trees.tree import ROOT_LABEL, ROOT_LABELS, Tree, TreeBuilder, TreeError

_MARK = re.compile(r"#(begin|end) document")
_COLUMN = re.compile(r"[^ \t\r\n]+")
# Labels may also stand at closing brackets, as in CoNLL-2001: (S(NP* *NP)
_PARSE_BIT = re.compile(r"((?:\([^()*]*)*)\*((?:[^()*]*\))*)")


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
        # At the beginning of a file, U+FEFF would be taken for a byte order mark.
        word = escape_word(tree.words[number]).replace("\ufeff", "-U+FEFF-")
        columns = [word, escape_name(tree.tags[number]), bit]
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
    """A Doc as a document of lines, without white space.

    Args:
        doc: A Doc with trees.
        style: "2012" or "2005".
        document: The name of the document, and its first column, in style 2012.
        part: The number of the part, and the second column, in style 2012.
        key: The span group that holds the trees.

    Raises:
        ValueError: For another style, and for a Doc without trees or sentences.
    """
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
    lines: Iterable[str], *, source: str = "<input>"
) -> Iterator[Tree]:
    """Read the trees in lines of columns, with or without their ends.

    Raises:
        FormatError: Naming the source and the line, where there is no tree.
    """
    return chain.from_iterable(_documents(lines, source))


def docs_from_conll(
    lines: Iterable[str], vocab: Vocab, *, source: str = "<input>", key: str = SPANS_KEY
) -> Iterator[Doc]:
    """Read a Doc a document (`#begin document`), or one of all lines without.

    Spaces are guessed, as for Docs made from brackets; `key` is the span group that
    will hold the trees, `source` the name that errors carry.

    Raises:
        FormatError: Naming the source and the line, where there is no tree.
        TreeError: For a word of white space.
    """
    for trees in _documents(lines, source):
        yield from trees_to_docs(trees, vocab, n_sents=0, key=key)


def write(
    path: str | Path,
    docs: Iterable[Doc] | Doc,
    *,
    style: str = "2012",
    key: str = SPANS_KEY,
) -> None:
    """Write Docs to a file, UTF-8, as documents "0", "1" and so on.

    The file changes only once all are written. `style` is "2012" or "2005", `key` the
    span group that holds the trees.

    Raises:
        OSError: If the file cannot be written.
    """
    texts = (
        doc_to_conll(doc, style=style, document=str(number), key=key)
        for number, doc in enumerate(as_docs(docs))
    )
    write_text(path, texts)


def read(path: str | Path, vocab: Vocab, *, key: str = SPANS_KEY) -> Iterator[Doc]:
    """Read the Docs of a UTF-8 file into the span group `key`.

    Raises:
        OSError: If the file cannot be read.
        FormatError: Where it is not in the format; source and line are named.
    """
    return docs_from_conll(read_lines(path), vocab, source=str(path), key=key)


def _documents(lines: Iterable[str], source: str) -> Iterator[list[Tree]]:
    """The trees of each document."""
    trees: list[Tree] = []
    builder, n_words = TreeBuilder(), 0
    for number, line in enumerate(chain(lines, ["#end document"]), start=1):
        is_mark = bool(_MARK.match(line))
        row = [] if is_mark else _COLUMN.findall(line)
        try:
            if row:
                _read_row(builder, row)
                n_words += 1
            elif n_words:
                number -= 1  # What is open is so in the sentence's last line.
                trees.append(_without_root(builder.finish()))
                builder, n_words = TreeBuilder(), 0
        except TreeError as error:
            raise FormatError(source, number, str(error)) from None
        if is_mark and trees:
            yield trees
            trees = []


def _read_row(builder: TreeBuilder, row: list[str]) -> None:
    if len(row) < 3:
        raise TreeError(
            f"the parse bit should stand in column 3, but there are {len(row)} columns"
        )
    # The third column of style 2012 is a number.
    is_2005 = "*" in row[2] or len(row) < 6
    word, tag, bit = row[:3] if is_2005 else row[3:6]
    if not _PARSE_BIT.fullmatch(bit):
        raise TreeError(f"{bit!r} is no parse bit like (NP* or *)")
    opening, _, closing = bit.partition("*")
    for label in opening.split("(")[1:]:
        # The empty label of an outer bracket becomes the root's.
        builder.open(unescape_name(label) or ROOT_LABEL)
    builder.word(unescape_word(word), unescape_name(tag))
    for _ in range(closing.count(")")):
        builder.close()


def _without_root(tree: Tree) -> Tree:
    nodes = tree.constituents
    if nodes and nodes[0].label in ROOT_LABELS and nodes[0][1:] == (0, len(tree)):
        nodes = nodes[1:]
    return Tree(tree.words, tree.tags, nodes)
