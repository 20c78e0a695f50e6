"""Gold trees over the words of a predicted Doc."""

from typing import Container, Dict, Iterator, List, NamedTuple, Optional

from spacy.tokens import Doc
from spacy.training import Example

from spacy_gfl.doc_trees import (
    MISSING_TAG,
    SPANS_KEY,
    get_trees,
    is_word,
    sentences,
    word_indices,
)
from spacy_gfl.trees import Constituent, Tree


class GoldSentence(NamedTuple):
    """A sentence to learn: token indices in the predicted Doc, and its tree."""

    words: List[int]
    tree: Tree


def gold_sentences(
    example: Example, *, key: str = SPANS_KEY, labels: Optional[Container[str]] = None
) -> Iterator[GoldSentence]:
    """The gold trees of an example over its predicted Doc's own tokens.

    Extents are compared by characters: a constituent stays where a predicted
    token begins and one ends with it, else it is left out. A sentence that
    begins or ends inside a predicted token is left out whole.

    labels: Constituents with other labels are left out.
    """
    reference, predicted = example.reference, example.predicted
    if key not in reference.spans:
        return
    same = len(reference) == len(predicted) and all(
        gold.idx == token.idx and len(gold) == len(token)
        for gold, token in zip(reference, predicted, strict=True)
    )
    trees = zip(sentences(reference), get_trees(reference, key=key), strict=True)
    ends = {} if same else _word_ends(predicted)
    for sent, tree in trees:
        words = word_indices(sent)
        if not words:
            continue
        if not same:
            aligned = _align(reference, predicted, words, tree, ends)
            if aligned is None:
                continue
            words, tree = aligned
        if labels is not None:
            tree = keep_labels(tree, labels)
        yield GoldSentence(words, tree)


def keep_labels(tree: Tree, labels: Container[str]) -> Tree:
    """The tree without the constituents whose labels are not among these."""
    kept = [node for node in tree.constituents if node.label in labels]
    if len(kept) == len(tree.constituents):
        return tree
    return Tree(tree.words, tree.tags, tuple(kept))


def _word_ends(doc: Doc) -> Dict[int, int]:
    """For each character where a word begins, the character where it ends."""
    return {t.idx: t.idx + len(t) for t in doc if is_word(t)}


def _align(
    reference: Doc, predicted: Doc, words: List[int], tree: Tree, ends: Dict[int, int]
) -> Optional[GoldSentence]:
    starts = [reference[i].idx for i in words]
    stops = [reference[i].idx + len(reference[i]) for i in words]
    tokens = [
        token
        for token in predicted
        if starts[0] <= token.idx < stops[-1] and is_word(token)
    ]
    if not tokens or tokens[0].idx != starts[0]:
        return None
    if ends[tokens[-1].idx] != stops[-1]:
        return None
    begin_at = {token.idx: n for n, token in enumerate(tokens)}
    end_at = {ends[token.idx]: n + 1 for n, token in enumerate(tokens)}
    kept = [
        Constituent(label, begin_at[starts[start]], end_at[stops[end - 1]])
        for label, start, end in tree.constituents
        if starts[start] in begin_at and stops[end - 1] in end_at
    ]
    texts = tuple(token.text for token in tokens)
    tags = tuple(token.tag_ or MISSING_TAG for token in tokens)
    return GoldSentence([t.i for t in tokens], Tree(texts, tags, tuple(kept)))
