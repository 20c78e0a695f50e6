r"""Trees as LaTeX, for the packages forest and qtree (or tikz-qtree).

forest draws any tree; qtree stops at five children a constituent, tikz-qtree
takes the same source and does not. Words and labels are escaped, so that what a
picture shows is what the tree says; Penn's quotes `` and '' come out as
typographic ones. Scripts beyond Latin need XeLaTeX or LuaLaTeX and a font.
"""

import unicodedata
from collections.abc import Iterable
from itertools import chain
from pathlib import Path

from spacy.tokens import Doc

from spacy_gfl.annotation.storage import SPANS_KEY, get_trees
from spacy_gfl.formats.files import as_docs, write_text
from spacy_gfl.trees.tree import ROOT_LABEL, Tree, TreeError

#: How each package opens a node, writes a word and closes a node.
PACKAGES = {"forest": ("[{%s}", "[{%s}]", "]"), "qtree": ("[.{%s}", "{%s}", " ]")}
_ALIGNED = "where n children=0{tier=word}{}\n"
#: Characters that join letters, or keep them apart.
_JOINERS = "\u200c\u200d"
_COMMANDS = {
    **{character: "\\" + character for character in "#$%&_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    # Braces keep what follows from joining in a ligature: --, ?`, !`.
    **{character: character + "{}" for character in "-?!"},
}
_DOCUMENT = r"""\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage{graphicx}
\usepackage[landscape, margin=1cm]{geometry}
\usepackage{%s}
\pagestyle{empty}
\setlength{\parindent}{0pt}
\begin{document}"""
_FITTING = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}"


def tree_to_latex(
    tree: Tree,
    *,
    package: str = "forest",
    tags: bool = True,
    align_words: bool = False,
    root: str | None = None,
) -> str:
    r"""A tree as LaTeX that the package draws, a node a line.

    Args:
        tree: The tree to draw.
        package: "forest", for `\usepackage{forest}`, or "qtree".
        tags: Whether to draw the tags between constituents and words.
        align_words: Draw all words on one line at the bottom (forest only).
        root: A label to draw at the top. Without one, `TOP` is drawn where the tree
            is not a single bracket.

    Raises:
        ValueError: For another package, or one that cannot align.
        TreeError: For a tree without words.
    """
    if package not in PACKAGES:
        raise ValueError(f'package must be "forest" or "qtree", not {package!r}')
    if align_words and package != "forest":
        raise ValueError("align_words is an option of forest, not of qtree")
    if not tree.words:
        raise TreeError("a tree without words cannot be drawn")
    # Without tags, a word alone is no tree.
    if root is None and (tree.needs_root() or not (tags or tree.constituents)):
        root = ROOT_LABEL
    text = "\n".join(_lines(tree, package, tags, root))
    if package == "qtree":
        return rf"\Tree {text}"
    options = _ALIGNED if align_words else ""
    return f"\\begin{{forest}}\n{options}{text}\n\\end{{forest}}"


def doc_to_latex(
    doc: Doc,
    *,
    package: str = "forest",
    tags: bool = True,
    align_words: bool = False,
    key: str = SPANS_KEY,
) -> list[str]:
    """Each sentence of a Doc as LaTeX; sentences of white space are left out.

    Args:
        doc: A Doc with trees.
        package: "forest" or "qtree".
        tags: Whether to draw the tags between constituents and words.
        align_words: Draw all words on one line at the bottom (forest only).
        key: The span group that holds the trees.

    Raises:
        ValueError: For another package, one that cannot align, and for a Doc without
            trees or sentences.
    """
    return [
        tree_to_latex(tree, package=package, tags=tags, align_words=align_words)
        for tree in get_trees(doc, key=key)
        if tree.words
    ]


def latex_document(pictures: Iterable[str], *, package: str = "forest") -> str:
    """A whole document of what `tree_to_latex` gave for the same package.

    Pictures too wide for the page are made smaller.
    """
    fitted = (f"{_FITTING}{{%\n{picture}}}" for picture in pictures)
    return "\n\n".join([_DOCUMENT % package, *fitted, "\\end{document}\n"])


def write(
    path: str | Path,
    docs: Iterable[Doc] | Doc,
    *,
    package: str = "forest",
    key: str = SPANS_KEY,
) -> None:
    """Write a LaTeX document of all sentences, UTF-8.

    `package` is "forest" or "qtree", `key` the span group that holds the trees.

    Raises:
        OSError: If the file cannot be written.
    """
    drawn = (doc_to_latex(doc, package=package, key=key) for doc in as_docs(docs))
    pictures = chain.from_iterable(drawn)
    write_text(path, [latex_document(pictures, package=package)])


def escape_latex(text: str) -> str:
    """Text as LaTeX shows it; a control character becomes its code point.

    Characters that join letters or keep them apart, as in Persian, stay.
    """
    escaped = ""
    for character in text:
        if character.isspace():
            escaped += "~"
        elif unicodedata.category(character)[0] == "C" and character not in _JOINERS:
            escaped += f"U+{ord(character):04X}"
        else:
            escaped += _COMMANDS.get(character, character)
    return escaped


def _lines(tree: Tree, package: str, tags: bool, root: str | None) -> list[str]:
    """The lines of a picture, one a constituent or word, in the package's brackets."""
    opening, leaf, closing = PACKAGES[package]
    lines = [] if root is None else [opening % escape_latex(root)]
    depth = len(lines)
    for kind, at in tree.events():
        if kind == "close":
            depth -= 1
            lines[-1] += closing
            continue
        # Deep trees would be mostly indentation.
        indent = "  " * min(depth, 20)
        if kind == "open":
            text = opening % escape_latex(tree.constituents[at].label)
            depth += 1
        else:
            text = leaf % escape_latex(tree.words[at])
            if tags:
                text = f"{opening % escape_latex(tree.tags[at])} {text}{closing}"
        lines.append(indent + text)
    if root is not None:
        lines[-1] += closing
    return lines
