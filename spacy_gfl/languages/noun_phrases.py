"""Base noun phrases of a tree, whose head is their last word."""

from collections.abc import Iterator

from spacy_gfl.languages.base import annotated_language
from spacy_gfl.languages.heads import find_heads
from spacy_gfl.trees.labels import split_label
from spacy_gfl.trees.tree import Tree

_NOUN_PHRASES = frozenset({"NP", "NX", "WHNP"})
#: Parts of noun phrases that may have the head: $ 5 million, the very rich, how many.
_PARTS = frozenset({"NML", "QP", "ADJP", "WHADJP"})


def base_noun_phrases(tree: Tree, lang: str) -> Iterator[tuple[int, int, int]]:
    """Find the base noun phrases of a tree, from left to right; none overlap.

    A noun phrase (NP, NX, WHNP) whose head is one of its own words, or a word of an
    NML, QP, ADJP or WHADJP in it, gives one: all from its start to its head, and the
    words right after the head. So what modifies a noun from behind (prepositional
    phrases, relative clauses, appositions) is outside, a possessive (*the dog's tail*)
    is inside, and each noun phrase of a coordination is found by itself.

    Yields:
        The first word, the word after the last, and the head.
    """
    punctuation = annotated_language(tree.tags, lang).punctuation
    heads, children, last = find_heads(tree, lang=lang), tree.children(), 0
    for i, (label, start, _) in enumerate(tree.constituents):
        if split_label(label)[0] not in _NOUN_PHRASES or start < last:
            continue
        own, inner = [at for is_word, at in children[i] if is_word], list(children[i])
        while inner and heads[i] not in own:
            is_word, at = inner.pop()
            if is_word:
                own.append(at)
            elif split_label(tree.constituents[at].label)[0] in _PARTS:
                inner += children[at]
        if heads[i] not in own:
            continue
        last = heads[i] + 1
        while last in own:
            last += 1
        while tree.tags[last - 1] in punctuation and last > heads[i] + 1:
            last -= 1
        yield start, last, heads[i]
