"""The model's input: the sentences of Docs as rows of their tokens' vectors."""

from typing import List, NamedTuple, Sequence, Tuple

from spacy.tokens import Doc
from spacy.training import Example

from spacy_gfl.annotation.alignment import gold_sentences
from spacy_gfl.annotation.storage import sentences, word_indices
from spacy_gfl.parser.architectures import ParserInput
from spacy_gfl.parser.codecs.symbols import SymbolLinearization
from spacy_gfl.parser.search_settings import SearchSettings
from spacy_gfl.trees.tree import Tree


class Place(NamedTuple):
    """Where a sentence of a batch belongs."""

    doc: int
    sentence: int


def doc_sentences(docs: Sequence[Doc]) -> List[List[List[int]]]:
    """For each Doc, for each sentence, the indices of its words in the Doc.

    Raises ValueError for a Doc without sentence boundaries.
    """
    return [[word_indices(sent) for sent in sentences(doc)] for doc in docs]


def searched_places(
    sents: Sequence[Sequence[Sequence[int]]], settings: SearchSettings
) -> List[Place]:
    """The sentences that are neither empty nor too long to be searched."""
    return [
        Place(i, j)
        for i, in_doc in enumerate(sents)
        for j, words in enumerate(in_doc)
        if 0 < len(words) <= settings.max_words
    ]


def search_batch(
    docs: List[Doc],
    sents: Sequence[Sequence[Sequence[int]]],
    places: Sequence[Place],
    settings: SearchSettings,
) -> ParserInput:
    """A batch that is searched for the trees of the sentences in these places."""
    offsets = _offsets(docs)
    rows = [[offsets[i] + at for at in sents[i][j]] for i, j in places]
    options = {
        "beam_width": settings.beam_width,
        "constrained": settings.constrained,
        "batch_words": settings.batch_words,
    }
    return ParserInput(docs, rows, options=options)


def training_batch(
    examples: Sequence[Example], linearization: SymbolLinearization
) -> ParserInput:
    """A batch to learn from; examples without trees have Docs, but no sentences."""
    docs = [example.predicted for example in examples]
    labels = frozenset(linearization.labels)
    rows, targets = [], []
    for example, offset in zip(examples, _offsets(docs), strict=True):
        for words, tree in gold_sentences(example, labels=labels):
            rows.append([offset + at for at in words])
            targets.append(linearization.encode(tree))
    return ParserInput(docs, rows, targets)


def attention_batch(
    doc: Doc, trees: Sequence[Tree], linearization: SymbolLinearization
) -> Tuple[ParserInput, List[int]]:
    """A batch that is asked for its attention, and the sentences it consists of.

    trees: Those of the Doc. Without words, or with labels that the model does
        not know, they are left out.
    """
    known = frozenset(linearization.labels)
    [sents] = doc_sentences([doc])
    chosen = [
        i
        for i, tree in enumerate(trees)
        if len(tree) and all(node.label in known for node in tree.constituents)
    ]
    rows = [sents[i] for i in chosen]
    targets = [linearization.encode(trees[i]) for i in chosen]
    return ParserInput([doc], rows, targets, {"with_attention": True}), chosen


def _offsets(docs: Sequence[Doc]) -> List[int]:
    """For each Doc the number of tokens before it."""
    offsets = [0]
    for doc in docs:
        offsets.append(offsets[-1] + len(doc))
    return offsets[:-1]
