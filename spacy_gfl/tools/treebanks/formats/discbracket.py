"""Brackets with gaps, as disco-dop writes them: each word has its place.

::

    (S (VP (NP (ART 0=Das) (NN 1=Buch)) (VVPP 4=gelesen)) (VAFIN 2=habe) (PPER 3=ich))

`tools.treebanks.discontinuous` says what becomes of constituents with gaps.
"""

import re
from collections.abc import Iterator

from spacy_gfl.tools.treebanks.bracket_reader import split_trees
from spacy_gfl.tools.treebanks.discontinuous import ROOT, Graph, continuous_tree
from spacy_gfl.tools.treebanks.formats.reading import Reading
from spacy_gfl.trees.brackets import WORDS
from spacy_gfl.trees.escaping import unescape_name, unescape_word
from spacy_gfl.trees.tree import Tree, TreeError

_TOKEN = re.compile(
    rf"\(([^()\s]+)\s+(\d+)=({WORDS.pattern})\s*\)|\(([^()\s]*)|(\))|([^()\s]+)"
)
_LEAF = re.compile(r"\([^()\s]+\s+([^()\s]+)\s*\)")
_NUMBERED = re.compile(r"\d+=.")


def begins(head: str) -> bool:
    """Whether all words of the trees that a file begins with are numbered."""
    words = _LEAF.findall(head)
    return bool(words) and all(map(_NUMBERED.match, words))


def read(reading: Reading) -> Iterator[Tree]:
    """Read the trees of a file, and count what was moved.

    Raises:
        TreeError: For brackets that are no such tree, naming its number.
    """
    counts = reading.counts
    lines = split_trees(reading.lines(), rejections=reading.rejections)
    for number, line in enumerate(lines, start=1):
        counts.read += 1
        try:
            tree, moved = continuous_tree(_graph(line, reading))
        except TreeError as error:
            wrong = TreeError(f"{reading.name}: in tree {number}, {error}")
            reading.reject(wrong, "no tree with numbered words")
        else:
            counts.kept += 1
            counts.moved += moved
            yield tree


def _graph(line: str, reading: Reading) -> Graph:
    leaves: list[tuple[int, str, str, int]] = []
    labels: list[str] = []
    parents: list[int] = []
    stack = [ROOT]
    for token in _TOKEN.finditer(line):
        tag, place, word, name, closing, text = token.groups()
        if tag is not None:
            # disco-dop's own escapes, anywhere in a word.
            word = unescape_word(word.replace("#LRB#", "(").replace("#RRB#", ")"))
            leaves.append((int(place), word, unescape_name(tag), stack[-1]))
        elif closing:
            stack.pop()
        elif text:
            raise TreeError(f"the word {text} has no number and tag, as in (NN 0=dog)")
        else:
            label = unescape_name(name)
            parents.append(stack[-1])
            stack.append(len(labels))
            labels.append(reading.scheme.cut_label(label) if reading.clean else label)
    leaves.sort()
    places = [place for place, *_ in leaves]
    if len(set(places)) < len(places) or not places:
        raise TreeError("two words have the same number" if places else "without words")
    words = [word for _, word, _, _ in leaves]
    tags = [tag for _, _, tag, _ in leaves]
    homes = [home for _, _, _, home in leaves]
    return Graph(words, tags, homes, labels, parents)
