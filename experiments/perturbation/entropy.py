"""How sure a parser is of where a word goes, by what the word begins."""

import math
from collections import defaultdict
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy
import torch
from spacy.language import Language
from spacy.tokens import Doc
from torch import Tensor, nn

from spacy_gfl.annotation.building import trees_to_docs
from spacy_gfl.decoding.batches import length_batches
from spacy_gfl.evaluation.parameters import COLLINS
from spacy_gfl.evaluation.summary import percent
from spacy_gfl.model.model import network_shim
from spacy_gfl.seq2seq.grammar import WORD
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
    is_right: bool = False


def bits(probabilities: Tensor) -> list[float]:
    """The entropy of each row."""
    return (torch.special.entr(probabilities).sum(1) / math.log(2)).tolist()


@torch.no_grad()
def pointer(nlp: Language, trees: list[Tree], budget: int) -> list[list[Choice]]:
    """How sure the pointer is where each word goes, in the gold tree before it."""
    parser = nlp.get_pipe(PIPE)
    module, tok2vec = network_shim(parser.model)._model, parser.model.get_ref("tok2vec")
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


def attention(nlp: Language, trees: list[Tree]) -> list[list[Choice]]:
    """How widely the paper's parser looks over the words as it writes each.

    Args:
        nlp: Its parser is a `Seq2Seq.v1`.
        trees: Gold trees; one with labels that the parser does not know has no choices.
    """
    parser, found = nlp.get_pipe(PIPE), []
    [doc] = trees_to_docs(trees, nlp.vocab, n_sents=0)
    for tree, weights in zip(trees, parser.attention(doc), strict=True):
        kinds = (parser.codec.kinds[symbol] for symbol in parser.codec.encode(tree))
        rows = [row for row, kind in zip(weights, kinds, strict=False) if kind == WORD]
        entropies = bits(torch.tensor(numpy.array(rows))) if rows else []
        found.append([Choice(entropy, len(tree)) for entropy in entropies])
    return found


def by_construction(
    trees: list[Tree], points: list[list[Choice]], looks: list[list[Choice]]
) -> list[list[Any]]:
    """Rows of a table: by what a word begins, how sure it is where that goes."""
    found: dict[str, list[tuple[Choice, Choice | None]]] = defaultdict(list)
    for tree, *both in zip(trees, points, looks, strict=True):
        # A tree with labels that a parser does not know has no attention.
        for kind, *pair in zip_longest(constructions(tree), *both):
            if pair[0].n > 1:
                found[kind].append(pair)
                found["anything"].append(pair)
    rows = []
    for kind, pairs in sorted(found.items(), key=lambda item: -len(item[1])):
        places, attended = ([c for c in part if c] for part in zip(*pairs, strict=True))
        wrong = percent(sum(not c.is_right for c in places), len(places))
        width = sum(c.n for c in places) / len(places)
        row = [kind, f"{len(places):,}", f"{width:.1f}", *shares(places)]
        rows.append([*row, f"{wrong:.1f}", *(shares(attended) if attended else "  ")])
    return rows


def shares(choices: list[Choice]) -> list[str]:
    """Bits a word, and these in percent of the most that there could be."""
    total, most = (sum(c.bits for c in choices), sum(math.log2(c.n) for c in choices))
    return [f"{total / len(choices):.2f}", f"{percent(total, most):.0f}"]
