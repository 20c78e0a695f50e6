"""The model's input: the sentences of Docs as rows of their tokens' vectors."""

from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple, cast

from spacy.pipeline.tok2vec import Tok2VecListener
from spacy.tokens import Doc
from thinc.api import Model
from thinc.util import get_torch_default_device

from spacy_gfl.annotation.storage import sentence_words
from spacy_gfl.decoding.codec import TreeCodec
from spacy_gfl.decoding.constraints import Constraints
from spacy_gfl.decoding.parser import AttentionTask, LossTask, SearchTask
from spacy_gfl.parser.gold import Gold
from spacy_gfl.parser.model import ParserInput
from spacy_gfl.parser.precision import Precision, resolve_precision
from spacy_gfl.parser.search_settings import SearchSettings
from spacy_gfl.trees.tree import Tree

#: Listeners of spacy-transformers, and the attribute where they find their data.
_TRANSFORMER_LISTENER, _DATA = "transformer-listener", "trf_data"


class Place(NamedTuple):
    """Where a sentence of a batch belongs."""

    doc: int
    sentence: int


def searched_places(
    sents: Sequence[Sequence[Sequence[int]]], settings: SearchSettings
) -> list[Place]:
    """The sentences that are neither empty nor too long to be searched."""
    return [
        Place(i, j)
        for i, in_doc in enumerate(sents)
        for j, words in enumerate(in_doc)
        if 0 < len(words) <= settings.max_words
    ]


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
        places: The places of the sentences in the Docs.
        settings: How they are searched.
        n_best: How many trees of each; None for what the settings need for one.
        constraints: What is known of each tree; None if nothing is of any.
    """
    offsets = _offsets(docs)
    rows = [[offsets[i] + at for at in sents[i][j]] for i, j in places]
    n_samples = 0
    if n_best is None:
        n_samples = settings.n_drawn
        n_best = 1 if settings.objective == "max_probability" else 0
    task = SearchTask(
        beam_width=max(settings.beam_width, n_best),
        n_best=n_best,
        n_samples=n_samples,
        temperature=settings.temperature,
        constrained=settings.constrained,
        batch_words=settings.batch_words,
        precision=_precision(settings.precision),
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
    task = LossTask(targets, precision=_precision(precision))
    return ParserInput(docs, rows, task)


def attention_batch(
    doc: Doc, trees: Sequence[Tree], codec: TreeCodec, settings: SearchSettings
) -> tuple[ParserInput, list[int]]:
    """A batch that is asked for its attention, and the sentences it consists of.

    Args:
        doc: A Doc.
        trees: Its trees. Without words, or with labels that the model does not know,
            they are left out.
        codec: The model's codec.
        settings: How much is worked on at a time.
    """
    sents = sentence_words(doc)
    chosen = [
        i for i, tree in enumerate(trees) if len(tree) and not codec.unknown(tree)
    ]
    rows = [sents[i] for i in chosen]
    targets = [codec.encode(trees[i]) for i in chosen]
    return ParserInput(
        [doc], rows, AttentionTask(targets, settings.batch_words)
    ), chosen


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


def _precision(setting: Precision) -> str:
    """The precision that a setting stands for on the device in use."""
    if setting == "auto" and get_torch_default_device().type != "cpu":
        return "fp32"
    return resolve_precision(setting)
