"""An observer that writes what the search noted for each word (`search.per_word`)."""

import math
from collections.abc import Sequence
from typing import Any

from spacy.tokens import Doc

from spacy_gfl.left_to_right.beam_columns import OF_BEAM, of_words
from spacy_gfl.left_to_right.growth import ActionsTask, GrowthTask
from spacy_gfl.pipe.observers import Observed
from spacy_gfl.pipe.parses import FLAT, Parse
from spacy_gfl.trees.tree import MISSING_TAG, Tree


def observe_words(
    parser: Observed, docs: Sequence[Doc], parses: Sequence[Sequence[Parse]]
) -> list[dict[str, list[float]]]:
    """Columns of numbers, one number per token of each Doc.

    They are the probability of the tree's action at each word, and, if the model
    predicts words, `OF_BEAM`. NaN stands for white space, and for sentences that were
    not searched.

    Raises:
        ValueError: If the model does not add one word after the other.
    """
    # Of codecs with words, `of_words` asks for more than all have.
    codec: Any = parser.codec
    names = ["action_probability", *(OF_BEAM if codec.predicts_words else ())]
    of_docs = [{name: [math.nan] * len(doc) for name in names} for doc in docs]
    searched = [
        (i, parse)
        for i, in_doc in enumerate(parses)
        for parse in in_doc
        if parse.flag != FLAT and parse.words
    ]
    sents = [(i, parse.words) for i, parse in searched]
    trees = []
    for i, parse in searched:
        texts = tuple(docs[i][at].text for at in parse.words)
        tags = (MISSING_TAG,) * len(texts)
        trees.append(Tree(texts, tags, tuple(parse.constituents)))
    # For statistics: numbers that are the same on every processor.
    precision = parser.search.exact_precision
    growths = [parse.growth for _, parse in searched]
    if codec.predicts_words and None not in growths:
        # The tree is the beam's best, whose growth has its actions.
        paths = [growth.path(len(growth.beams) - 1, 0) for growth in growths]
        gains = [[math.exp(grown.gained) for grown in path] for path in paths]
        columns = [{"action_probability": of_one} for of_one in gains]
    else:
        targets = list(map(codec.encode, trees))
        actions = parser.run(docs, ActionsTask(targets, precision=precision), sents)
        columns = [{"action_probability": one.exp().tolist()} for one in actions]
    if codec.predicts_words:
        # A search that draws trees or obeys constraints notes no growth.
        if None in growths:
            width = parser.search.beam_width
            task = GrowthTask(beam_width=width, precision=precision)
            growths = parser.run(docs, task, sents)
        for of_one, tree, growth in zip(columns, trees, growths, strict=True):
            of_one.update(of_words(growth.beams, codec, tree.words))
    for (i, words), of_one in zip(sents, columns, strict=True):
        for name, values in of_one.items():
            for at, value in zip(words, values, strict=True):
                of_docs[i][name][at] = value
    return of_docs
