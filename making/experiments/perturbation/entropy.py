"""How sure a parser is of where a word goes, by what the word begins."""

import math
from collections import defaultdict
from typing import Any, NamedTuple

import torch
from spacy.language import Language
from spacy.tokens import Doc
from torch import Tensor, nn

from spacy_gfl.decoding.batches import length_batches
from spacy_gfl.evaluation.parameters import COLLINS
from spacy_gfl.evaluation.summary import percent
from spacy_gfl.model.model import network_shim
from spacy_gfl.trees.tree import Tree

PIPE = "constituency_parser"
CLAUSES = ("S", "SBAR", "SBARQ", "SINV", "SQ")


def constructions(tree: Tree) -> list[str]:
    """The constituents that each word begins, and where the outermost belongs."""
    nodes, parents, found = tree.constituents, tree.parents(), []
    begins = {node.start: i for i, node in reversed([*enumerate(nodes)])}
    for i, tag in enumerate(tree.tags):
        at = begins.get(i)
        label = "" if at is None else nodes[at].label
        mother = "" if at is None or parents[at] < 0 else nodes[parents[at]].label
        is_told = mother in ("NP", "VP") or (mother == "SBAR" and label != "PP")
        where = f"in {mother}" if is_told else "elsewhere"
        if tag in COLLINS.delete:
            found.append("punctuation")
        elif tag == "CC":
            found.append("conjunction")
        elif at is None:
            found.append("no phrase")
        elif i and tree.tags[i - 1] == "CC":
            found.append("conjunct")
        elif label == "PP" or label in CLAUSES:
            found.append(f"{'PP' if label == 'PP' else 'clause'} {where}")
        else:
            found.append(label if label in ("NP", "VP") else "other phrase")
    return found


class Choice(NamedTuple):
    """How sure a parser is of one of `n`, in bits, and whether it is right."""

    bits: float
    n: int
    is_right: bool


def bits(probabilities: Tensor) -> list[float]:
    """The entropy of each row."""
    return (torch.special.entr(probabilities).sum(1) / math.log(2)).tolist()


@torch.no_grad()
def pointer(nlp: Language, trees: list[Tree], budget: int) -> list[list[Choice]]:
    """How sure the pointer is where each word goes, in the gold tree before it."""
    parser = nlp.get_pipe(PIPE)
    module = network_shim(parser.model).network
    tok2vec = parser.model.get_ref("tok2vec")
    found: list[list[Choice]] = [[] for _ in trees]
    for group in length_batches([len(tree) for tree in trees], budget):
        docs = [Doc(nlp.vocab, words=list(trees[i].words)) for i in group]
        rows = [torch.tensor(vectors) for vectors in tok2vec.predict(docs)]
        gold = [torch.tensor(parser.codec.encode(trees[i]).actions) for i in group]
        # After a sentence's end words go to the root; they do not count.
        actions = nn.utils.rnn.pad_sequence(gold, batch_first=True)
        steps = module.decoder_of(module.eval().encode(rows, [*map(len, docs)], 0.0))
        state = steps.start()
        for word, action in enumerate(actions.unbind(1)):
            for choice, part in enumerate(action.unbind(1)):
                scores, state = steps.score(state)
                if choice == 0:
                    is_right = (scores.argmax(1) == part).tolist()
                    sure = (bits(scores.exp()), state.sizes.tolist(), is_right)
                    for i, *row in zip(group, *sure, strict=True):
                        if word < len(trees[i]):
                            found[i].append(Choice(*row))
                state = steps.extend(state, part)
    return found


def by_construction(trees: list[Tree], points: list[list[Choice]]) -> list[list[Any]]:
    """Rows of a table: by what a word begins, how sure it is where that goes."""
    found: dict[str, list[Choice]] = defaultdict(list)
    for tree, choices in zip(trees, points, strict=True):
        for kind, choice in zip(constructions(tree), choices, strict=True):
            if choice.n > 1:
                found[kind].append(choice)
                found["anything"].append(choice)
    rows = []
    for kind, places in sorted(found.items(), key=lambda item: -len(item[1])):
        wrong = percent(sum(not c.is_right for c in places), len(places))
        width = sum(c.n for c in places) / len(places)
        row = [kind, f"{len(places):,}", f"{width:.1f}", *shares(places)]
        rows.append([*row, f"{wrong:.1f}"])
    return rows


def shares(choices: list[Choice]) -> list[str]:
    """Bits a word, and these in percent of the most that there could be."""
    total, most = (sum(c.bits for c in choices), sum(math.log2(c.n) for c in choices))
    return [f"{total / len(choices):.2f}", f"{percent(total, most):.0f}"]
