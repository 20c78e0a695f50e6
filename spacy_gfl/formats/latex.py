r"""Trees as LaTeX, for the packages forest and qtree (or tikz-qtree).

forest draws any tree; qtree stops at five children a constituent, tikz-qtree
takes the same source and does not. Words and labels are escaped, so that what a
picture shows is what the tree says; Penn's quotes `` and '' come out as
typographic ones. Scripts beyond Latin need XeLaTeX or LuaLaTeX and a font.
"""

import unicodedata
from pathlib import Path
from typing import Iterable, List, Optional, Union

from spacy.tokens import Doc

from spacy_gfl.annotation.storage import SPANS_KEY, get_trees
from spacy_gfl.trees.tree import ROOT_LABEL, ROOT_LABELS, Tree, TreeError

PACKAGES = ("forest", "qtree")
_FITTING = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}"
_COMMANDS = {
    **{character: "\\" + character for character in "#$%&_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    # Braces keep what follows from joining in a ligature: --, ?`, !`.
    "-": "-{}",
    "?": "?{}",
    "!": "!{}",
}


def tree_to_latex(
    tree: Tree,
    *,
    package: str = "forest",
    tags: bool = True,
    align_words: bool = False,
    root: Optional[str] = None,
) -> str:
    r"""A tree as LaTeX that the package draws, over several lines, indented.

    package: "forest", for `\usepackage{forest}`, or "qtree".
    tags: Whether to draw the tags between constituents and words.
    align_words: Draw all words on one line at the bottom (forest only).
    root: A label to draw at the top. Without one, `TOP` is drawn only where it
        takes one to make a single tree.
    Raises ValueError for another package, or one that cannot align; TreeError
        for a tree without words.
    """
    if package not in PACKAGES:
        raise ValueError(f'package must be "forest" or "qtree", not {package!r}')
    if align_words and package != "forest":
        raise ValueError("align_words is an option of forest, not of qtree")
    if not tree.words:
        raise TreeError("a tree without words cannot be drawn")
    if root is None and _needs_root(tree, tags):
        root = ROOT_LABEL
    lines = _lines(tree, package, tags, root)
    if package == "qtree":
        lines[0] = rf"\Tree {lines[0]}"
        return "\n".join(lines)
    options = "where n children=0{tier=word}{}\n" if align_words else ""
    return "\\begin{forest}\n" + options + "\n".join(lines) + "\n\\end{forest}"


def doc_to_latex(
    doc: Doc,
    *,
    package: str = "forest",
    tags: bool = True,
    align_words: bool = False,
    key: str = SPANS_KEY,
) -> List[str]:
    """Each sentence of a Doc as LaTeX, but those of white space.

    Arguments and errors are those of `tree_to_latex` and `get_trees`.
    """
    return [
        tree_to_latex(tree, package=package, tags=tags, align_words=align_words)
        for tree in get_trees(doc, key=key)
        if tree.words
    ]


def latex_document(pictures: Iterable[str], *, package: str = "forest") -> str:
    """A whole document of pictures, those too wide for the page made smaller.

    pictures: What `tree_to_latex` gave for the same package.
    """
    return "\n\n".join(
        [
            "\\documentclass{article}\n"
            "\\usepackage[T1]{fontenc}\n"
            "\\usepackage{graphicx}\n"
            "\\usepackage[landscape, margin=1cm]{geometry}\n"
            f"\\usepackage{{{package}}}\n"
            "\\pagestyle{empty}\n"
            "\\setlength{\\parindent}{0pt}\n"
            "\\begin{document}",
            *(f"{_FITTING}{{%\n{picture}}}" for picture in pictures),
            "\\end{document}\n",
        ]
    )


def write_latex(
    path: Union[str, Path],
    docs: Iterable[Doc],
    *,
    package: str = "forest",
    key: str = SPANS_KEY,
) -> None:
    """Write a document with a picture of every sentence, UTF-8.

    Raises OSError if the file cannot be written, else as `doc_to_latex`.
    """
    pictures = [
        picture
        for doc in docs
        for picture in doc_to_latex(doc, package=package, key=key)
    ]
    text = latex_document(pictures, package=package)
    Path(path).write_text(text, encoding="utf-8")


def escape_latex(text: str) -> str:
    """Text as LaTeX shows it; a control character becomes its code point."""
    return "".join(map(_escape_character, text))


def _escape_character(character: str) -> str:
    if character in _COMMANDS:
        return _COMMANDS[character]
    if character.isspace():
        return "~"
    if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Cn"):
        return f"U+{ord(character):04X}"
    return character


def _needs_root(tree: Tree, tags: bool) -> bool:
    """Whether it takes a root to make one tree of what is drawn."""
    if not tree.constituents:
        return len(tree) > 1 or not tags
    label, start, end = tree.constituents[0]
    return (start, end) != (0, len(tree)) or label in ROOT_LABELS


def _lines(tree: Tree, package: str, tags: bool, root: Optional[str]) -> List[str]:
    """One line a constituent or word; brackets close where a line ends."""
    is_forest = package == "forest"
    opening = "[" if is_forest else "[."
    closing = "]" if is_forest else " ]"
    depth = 0
    lines: List[str] = []
    if root is not None:
        lines.append(f"{opening}{{{escape_latex(root)}}}")
        depth = 1
    for kind, at in tree.events():
        if kind == "close":
            depth -= 1
            lines[-1] += closing
            continue
        if kind == "open":
            text = f"{opening}{{{escape_latex(tree.constituents[at].label)}}}"
        else:
            text = f"{{{escape_latex(tree.words[at])}}}"
            text = f"[{text}]" if is_forest else text
            if tags:
                tag = escape_latex(tree.tags[at])
                text = f"{opening}{{{tag}}} {text}{closing}"
        # Deep trees would be mostly indentation.
        lines.append("  " * min(depth, 20) + text)
        depth += kind == "open"
    if root is not None:
        lines[-1] += closing
    return lines
