r"""Trees as LaTeX, for the package forest. Words and labels are escaped."""

import unicodedata
from collections.abc import Iterable
from pathlib import Path

from spacy.tokens import Doc

from spacy_gfl.annotation.storage import SPANS_KEY, get_trees
from spacy_gfl.tools.treebanks.formats.atomic_files import write_text
from spacy_gfl.tools.treebanks.formats.text_files import as_docs
from spacy_gfl.trees.tree import ROOT_LABEL, Tree, TreeError

_COMMANDS = {
    **{character: "\\" + character for character in "#$%&_{}"},
    **{
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
    },
    **{"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}"},
    # Braces keep what follows from joining in a ligature: --, ?`, !`.
    **{character: character + "{}" for character in "-?!"},
    # They join letters, or keep them apart.
    **{character: character for character in "\u200c\u200d"},
}
_DOCUMENT = r"""\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage{graphicx}
\usepackage[landscape, margin=1cm]{geometry}
\usepackage{forest}
\pagestyle{empty}
\setlength{\parindent}{0pt}
\begin{document}"""
_FITTING = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}"


def tree_to_latex(tree: Tree) -> str:
    r"""A tree as LaTeX, which `\usepackage{forest}` draws.

    Raises:
        TreeError: The tree has no words.
    """
    if not tree.words:
        raise TreeError("a tree without words cannot be drawn")
    lines = [f"[{{{ROOT_LABEL}}}"] if tree.needs_root() else []
    depth = len(lines)
    for kind, at in tree.events():
        # Deep trees would be mostly indentation.
        indent = "  " * min(depth, 20)
        if kind == "close":
            lines[-1] += "]"
        elif kind == "open":
            lines.append(f"{indent}[{{{escape_latex(tree.constituents[at].label)}}}")
        else:
            tag, word = map(escape_latex, (tree.tags[at], tree.words[at]))
            lines.append(f"{indent}[{{{tag}}} [{{{word}}}]]")
        depth += {"open": 1, "close": -1}.get(kind, 0)
    text = "\n".join(lines) + "]" * tree.needs_root()
    return f"\\begin{{forest}}\n{text}\n\\end{{forest}}"


def write(path: str | Path, docs: Iterable[Doc] | Doc, *, key: str = SPANS_KEY) -> None:
    """Write a LaTeX document of all sentences, UTF-8; wide trees are made smaller.

    `key` is the span group that holds the trees.

    Raises:
        OSError: The file cannot be written.
        ValueError: A Doc has no trees or sentences.
    """
    trees = (tree for doc in as_docs(docs) for tree in get_trees(doc, key=key))
    pictures = (f"{_FITTING}{{%\n{tree_to_latex(t)}}}" for t in trees if t.words)
    write_text(path, ["\n\n".join([_DOCUMENT, *pictures, "\\end{document}\n"])])


def escape_latex(text: str) -> str:
    """Text as LaTeX shows it; a control character becomes its code point."""

    def escape(character: str) -> str:
        if character in _COMMANDS:
            return _COMMANDS[character]
        if unicodedata.category(character)[0] == "C":
            return f"U+{ord(character):04X}"
        return character

    return "".join("~" if c.isspace() else escape(c) for c in text)
