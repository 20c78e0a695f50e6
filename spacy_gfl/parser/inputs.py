"""The model's input: the sentences of Docs as rows of their tokens' vectors."""

from collections.abc import Sequence
from itertools import accumulate
from typing import cast

from spacy.pipeline.tok2vec import Tok2VecListener
from spacy.tokens import Doc
from thinc.api import Model

from spacy_gfl.decoding.constraints import Constraints
from spacy_gfl.decoding.parser import LossTask, SearchTask
from spacy_gfl.parser.gold import Gold
from spacy_gfl.parser.model import ParserInput
from spacy_gfl.parser.precision import Precision, resolve_precision
from spacy_gfl.parser.search_settings import SearchSettings

#: Listeners of spacy-transformers, and the attribute where they find their data.
_TRANSFORMER_LISTENER, _DATA = "transformer-listener", "trf_data"


#: Where a sentence of a batch belongs: number of the Doc, of the sentence.
Place = tuple[int, int]


def search_batch(
    docs: list[Doc],
    sents: Sequence[Sequence[Sequence[int]]],
    places: Sequence[Place],
    settings: SearchSettings,
    n_best: int | None = None,
    constraints: Sequence[Constraints | None] | None = None,
) -> ParserInput:
    """A batch that is searched for the trees of the sentences in these places.

    Args:
        docs: The Docs.
        sents: For each its sentences, as the indices of their words.
        places: The sentences that are searched.
        settings: How they are searched.
        n_best: How many trees of each; None for what the settings need for one.
        constraints: What is known of each tree; None if nothing is of any.
    """
    offsets = _offsets(docs)
    rows = [[offsets[i] + at for at in sents[i][j]] for i, j in places]
    n_samples = settings.n_drawn if n_best is None else 0
    if n_best is None:
        n_best = 1 if settings.objective == "max_probability" else 0
    task = SearchTask(
        beam_width=max(settings.beam_width, n_best),
        n_best=n_best,
        n_samples=n_samples,
        temperature=settings.temperature,
        constrained=settings.constrained,
        batch_words=settings.batch_words,
        precision=resolve_precision(settings.precision),
        constraints=constraints,
    )
    return ParserInput(docs, rows, task)


def training_batch(
    docs: list[Doc], golds: Sequence[Gold], precision: Precision
) -> ParserInput:
    """A batch to learn from; Docs without gold trees are in it without sentences.

    Args:
        docs: The predicted Docs of Examples.
        golds: What there is to learn from each.
        precision: The precision of the network, on a CPU.
    """
    rows = [
        [offset + at for at in words]
        for gold, offset in zip(golds, _offsets(docs), strict=True)
        for words in gold.words
    ]
    targets = [target for gold in golds for target in gold.targets]
    task = LossTask(targets, precision=resolve_precision(precision))
    return ParserInput(docs, rows, task)


def unheard(model: Model, docs: Sequence[Doc]) -> str | None:
    """The component that a model listens to in vain; None if it hears all it should.

    Listeners take vectors that are all zero for a Doc that lacks what the component
    upstream leaves on it: a tensor, or the data of a transformer.

    Args:
        model: A parser's model.
        docs: What is to be parsed.
    """
    for node in model.walk():
        if isinstance(node, Tok2VecListener):
            usual, heard = "tok2vec", [bool(doc.tensor.size) for doc in docs]
        elif node.name == _TRANSFORMER_LISTENER:
            usual = "transformer"
            heard = [doc.has_extension(_DATA) and doc._.get(_DATA) for doc in docs]
        else:
            continue
        if any(len(doc) and not hears for doc, hears in zip(docs, heard, strict=True)):
            upstream = cast(Tok2VecListener, node).upstream_name
            return usual if upstream == "*" else upstream
    return None


def _offsets(docs: Sequence[Doc]) -> list[int]:
    """For each Doc the number of tokens before it."""
    return [0, *accumulate(map(len, docs))][: len(docs)]
