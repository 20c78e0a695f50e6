"""Agreement items: present-tense verbs whose subject has a noun for its head."""

import sys
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from typing import Any

import spacy

from spacy_gfl.annotation.storage import get_trees
from spacy_gfl.languages.heads import find_heads
from spacy_gfl.tools.treebanks.inputs import read_treebank, treebank_files
from spacy_gfl.trees.labels import split_label
from spacy_gfl.trees.tree import Child, Tree

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "language_model"))
import open_text

NUMBER = {"NN": 0, "NNP": 0, "NNS": 1, "NNPS": 1}
VERBS = {"VBZ": 0, "VBP": 1}
IRREGULAR = {"is": "are", "has": "have", "does": "do", "'s": "'re"}


def find_items(tree: Tree, tally: Counter) -> Iterator[dict[str, Any]]:
    """The present-tense verbs of a tree whose subject has a noun for its head."""
    children, heads, nodes = tree.children(), find_heads(tree), tree.constituents
    labels = [split_label(node.label)[0] for node in nodes]
    for clause in (i for i, label in enumerate(labels) if label == "S"):
        inside = [child.at for child in children[clause] if not child.is_word]
        verbs = [i for i in inside if labels[i] == "VP"]
        if not verbs:
            continue
        verb = first_verb(tree, children, verbs[0])
        subjects = [i for i in inside if labels[i] == "NP" and i < verbs[0]]
        if verb < 0 or tree.tags[verb] not in VERBS or not subjects:
            continue
        head, number = heads[subjects[-1]], VERBS[tree.tags[verb]]
        # Everything in the subject stands behind it in pre-order.
        below = [i for i in range(subjects[-1], verbs[0]) if nodes[i].start < verb]
        conjoined = any(
            child.is_word and tree.tags[child.at] == "CC"
            for i in below
            if heads[i] == head
            for child in children[i]
        )
        if tree.tags[head] not in NUMBER:
            tally["the head is no noun"] += 1
        elif conjoined:
            tally["the subject is coordinated"] += 1
        elif NUMBER[tree.tags[head]] != number:
            tally["head and verb disagree"] += 1
        else:
            tally["kept"] += 1
            between = [NUMBER[t] for t in tree.tags[head + 1 : verb] if t in NUMBER]
            relative = (
                labels[i] == "SBAR"
                and nodes[i].start > head
                and not children[i][0].is_word
                for i in below
            )
            yield {
                "words": [open_text.normalize(word) for word in tree.words[:verb]],
                "tags": tree.tags[:verb],
                "verb": open_text.normalize(tree.words[verb]),
                "head": head,
                "number": number,
                "distance": verb - head,
                "attractors": sum(n != number for n in between),
                "last": ["same", "other"][between[-1] != number] if between else "none",
                "relative": any(relative),
            }


def first_verb(tree: Tree, children: list[list[Child]], phrase: int) -> int:
    """The first verb or modal right in a verb phrase, or in its first conjunct."""
    for is_word, at in children[phrase]:
        if is_word and tree.tags[at].startswith(("V", "M")):
            return at
        if not is_word and split_label(tree.constituents[at].label)[0] == "VP":
            return first_verb(tree, children, at)
    return -1


class Places:
    """Tells which part of the text a sentence is in, if asked in the text's order."""

    def __init__(self, texts: list[Path], config: dict[str, Any]) -> None:
        documents = ["".join(text.split()) for text in open_text.read_documents(texts)]
        self.text, self.at = "".join(documents), 0
        self.starts = [0, *accumulate(map(len, documents))]
        self.parts = open_text.parts(len(documents), config)

    def __call__(self, tree: Tree) -> str:
        words = "".join("".join(tree.words).split())
        found = self.text.find(words, self.at)
        found = self.text.find(words) if found < 0 else found
        if found < 0:
            return "nowhere"
        self.at = found + len(words)
        return self.parts[bisect_right(self.starts, found) - 1]


def read_items(banks: list[tuple[str, str]], places: Places) -> tuple[list, dict]:
    """The items of some treebanks, what became of verbs, and forms of verbs in train.

    Args:
        banks: Of each treebank the part (train, test, or "" for text's own parts) and
            NAME=PATH.
        places: The parts of the text.
    """
    vocab, items = spacy.blank("en").vocab, []
    forms: dict[str, Counter] = {tag: Counter() for tag in ("VBZ", "VBP", "VB")}
    counts: dict[str, Counter] = {}
    for fixed, bank in banks:
        source, path = bank.split("=", 1)
        files = treebank_files(Path(path), docbins=True)
        docs = (doc for file in files for doc in read_treebank(file, vocab))
        for tree in (tree for doc in docs for tree in get_trees(doc)):
            part = fixed or places(tree)
            tally = counts.setdefault(f"{source} {part}", Counter())
            tally["trees"] += 1
            for item in find_items(tree, tally):
                items.append({"source": source, "part": part, **item})
            for word, tag in zip(tree.words, tree.tags, strict=True):
                if part == "train" and tag in forms:
                    forms[tag][open_text.normalize(word)] += 1
    return items, {"counts": counts, "forms": forms}


def inflections(forms: dict[str, dict[str, int]]) -> dict[str, str]:
    """Singular forms and their plurals, both of which occur (VBZ; VBP or VB)."""
    table = {}
    for verb in forms["VBZ"]:
        fits = [
            verb.removesuffix(end) + instead
            for end, instead in (("s", ""), ("es", ""), ("ies", "y"))
            if verb.endswith(end)
        ]
        fits = [IRREGULAR[verb]] if verb in IRREGULAR else fits
        counts = {s: forms["VBP"].get(s, 0) + forms["VB"].get(s, 0) for s in fits}
        best = max(counts, key=lambda stem: counts[stem], default="")
        if counts.get(best):
            table[verb] = best
    return table
