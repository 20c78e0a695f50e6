"""Are the counts of `doc._.complexity` those of other programs?

Counts the structures of Lu (2010) in gold trees sentence by sentence: by `measure`,
and by PyTregex, Tregex in Python, with the patterns that NeoSCA has for them:

    pip install pytregex neosca
    python making/benchmarks/complexity.py TREES...

Prints the totals of both, and each sentence whose counts differ.
"""

import json
import re
from collections import Counter
from importlib.util import find_spec
from pathlib import Path
from typing import List

import typer
from pytregex.tregex import TregexPattern
from spacy.vocab import Vocab

from spacy_gfl import get_trees
from spacy_gfl.tools.syntax.complexity import STRUCTURES, measure
from spacy_gfl.tools.treebanks.inputs import read_treebank
from spacy_gfl.trees.tree import Tree

#: Words as L2SCA counts them, by tags of letters.
WORD = re.compile(r"\([A-Z]+\$? [^()]+\)")


def other_patterns() -> dict[str, list[TregexPattern]]:
    """NeoSCA's patterns: VP is counted by VP1 and VP2, and so on."""
    folder = Path(str(find_spec("neosca").origin)).parent
    data = json.loads((folder / "data" / "structure_data.json").read_text())
    texts = {one["name"]: one.get("tregex_pattern") for one in data["structures"]}
    return {
        name: [
            # PyTregex has another sign where relations are the alternatives.
            TregexPattern(text.replace(" | ", " || "))
            for key, text in texts.items()
            if text and re.fullmatch(rf"{name}\d?", key)
        ]
        for name in STRUCTURES
    }


def count_otherwise(tree: Tree, patterns: dict[str, list[TregexPattern]]) -> Counter:
    """Count one sentence by PyTregex, each node once for a pattern."""
    text = tree.brackets("ROOT")
    found = Counter({"W": len(WORD.findall(text))})
    for name, several in patterns.items():
        for pattern in several:
            found[name] += len({id(node) for node in pattern.findall(text)})
    return found


def main(files: List[Path], shown: int = 10) -> None:
    """Compare the counts in files of trees; say `shown` sentences that differ."""
    patterns = other_patterns()
    ours, others, differing, n_sentences = Counter(), Counter(), [], 0
    for file in files:
        for doc in read_treebank(file, Vocab()):
            for tree in get_trees(doc):
                measured = measure([tree])
                here = Counter({name: measured[name] for name in ("W", *STRUCTURES)})
                there = count_otherwise(tree, patterns)
                n_sentences += 1
                ours.update(here)
                others.update(there)
                if any(here[name] != there[name] for name in here):
                    differing.append((here, there, tree))
    print(f"{n_sentences} sentences, {len(differing)} with other counts")
    for name in ("W", *STRUCTURES):
        n_differing = sum(here[name] != there[name] for here, there, _ in differing)
        print(f"{name:3} {ours[name]:7} {others[name]:7} differs in {n_differing}")
    # Those that differ in more than words first.
    differing.sort(key=lambda one: all(one[0][k] == one[1][k] for k in STRUCTURES))
    for here, there, tree in differing[:shown]:
        names = [name for name in here if here[name] != there[name]]
        print(", ".join(f"{name} {here[name]} {there[name]}" for name in names), tree)


if __name__ == "__main__":
    typer.run(main)
