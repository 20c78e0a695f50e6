"""The export format of NEGRA, TIGER and TüBa, versions 3 and 4.

::

    #BOS 1
    Das     ART     --  NK  500
    Buch    NN      --  NK  500
    kenne   VVFIN   --  HD  501
    ich     PPER    --  SB  501
    .       $.      --  --  0
    #500    NP      --  OA  501
    #501    S       --  --  0
    #EOS 1

A row is a word or a node: its name, its lemma in version 4, its tag or label,
morphology, function, and the node that it hangs on. Constituents may have gaps;
`treebanks.discontinuous` says what becomes of them. Secondary edges and comments (%%)
are passed over.
"""

import re
from collections.abc import Iterator
from itertools import chain

from spacy_gfl.tools.treebanks.discontinuous import ROOT, Graph, continuous_tree
from spacy_gfl.tools.treebanks.formats.reading import Reading
from spacy_gfl.tools.treebanks.formats.text_files import FormatError
from spacy_gfl.trees.tree import Tree, TreeError

_NODE = re.compile(r"#([5-9]\d\d|\d{4,})")
# A space of another width is part of the word that it is in.
_CELL = re.compile(r"[^ \t\r\n]+")
_NONE = frozenset({"--", "-", "_"})


def read(reading: Reading) -> Iterator[Tree]:
    """Read the trees of a file, and count what was moved.

    Raises:
        FormatError: For a sentence that is not in the format, naming its line.
    """
    counts = reading.counts
    rows: list[list[str]] = []
    first = version = 0
    for number, line in enumerate(chain(reading.lines(), ["#BOS"]), start=1):
        if line.startswith("#FORMAT"):
            version = int("4" in line)
        elif line.startswith("#BOS"):
            if first:
                counts.read += 1
                wrong = FormatError(reading.name, first, "it has no end (#EOS)")
                reading.reject(wrong, "not in the export format")
            rows, first = [], number
        elif line.startswith("#EOS") and first:
            counts.read += 1
            try:
                tree, moved = continuous_tree(_graph(rows, version, reading))
            except (TreeError, ValueError, KeyError, IndexError) as error:
                reason = str(error) if isinstance(error, TreeError) else "unknown row"
                wrong = FormatError(reading.name, first, f"in this sentence: {reason}")
                reading.reject(wrong, "not in the export format")
            else:
                counts.kept += len(tree) > 0
                counts.vanished += len(tree) == 0
                counts.moved += moved
                yield tree
            first = 0
        elif first and not line.startswith("%%") and (cells := _CELL.findall(line)):
            rows.append(cells)


def _graph(rows: list[list[str]], version: int, reading: Reading) -> Graph:
    graph = Graph([], [], [], [], [])
    numbers = {"0": ROOT}
    for cells in rows:
        if match := _NODE.fullmatch(cells[0]):
            numbers[match[1]] = len(numbers) - 1
    for cells in rows:
        if "%%" in cells[1:]:
            cells = cells[: cells.index("%%", 1)]
        # An even number of cells has a lemma: secondary edges are pairs.
        at = 2 if version or len(cells) % 2 == 0 else 1
        name, label, function = cells[0], cells[at], cells[at + 2]
        parent = numbers[cells[at + 3]]
        if _NODE.fullmatch(name):
            keeps = reading.scheme.keeps_functions or not reading.clean
            if function not in _NONE and keeps:
                label = f"{label}-{function}"
            graph.labels.append(label)
            graph.parents.append(parent)
        else:
            graph.words.append(name)
            graph.tags.append(label)
            graph.homes.append(parent)
    return graph
