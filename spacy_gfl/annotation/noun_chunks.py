"""`doc.noun_chunks` of a Doc that has constituency trees and no dependencies.

spaCy finds noun chunks in dependencies, by a function of the Doc's vocabulary. Here
that function is put inside another one, which reads trees where there are none.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from spacy.errors import Errors
from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from spacy_gfl.trees.head_rules import PUNCTUATION_TAGS
from spacy_gfl.trees.heads import find_heads
from spacy_gfl.trees.labels import split_label
from spacy_gfl.trees.tree import MISSING_TAG, Constituent, Tree

#: The first token, the one after the last, and the hash of the label.
Chunk: TypeAlias = tuple[int, int, int]
#: What spaCy calls to find the noun chunks of a Doc.
FindChunks: TypeAlias = Callable[[Doc | Span], Iterator[Chunk]]

_NOUN_PHRASES = frozenset({"NP", "NX", "WHNP"})


def base_noun_phrases(tree: Tree) -> Iterator[tuple[int, int]]:
    """Find the base noun phrases of a tree, from left to right; none overlap.

    A noun phrase (NP, NX, WHNP) whose head is one of its own words gives one: all from
    its start to its head, and the words right after the head. So what modifies a noun
    from behind (prepositional phrases, relative clauses, appositions) is outside, a
    possessive (*the dog's tail*) is inside, and each noun phrase of a coordination is
    found by itself.

    Args:
        tree: The tree.

    Yields:
        The first word and the word after the last.
    """
    heads, children, last = find_heads(tree), tree.children(), 0
    for i, (label, start, _) in enumerate(tree.constituents):
        own = [at for is_word, at in children[i] if is_word]
        is_base = split_label(label)[0] in _NOUN_PHRASES and heads[i] in own
        if not is_base or start < last:
            continue
        last = heads[i] + 1
        while last in own:
            last += 1
        while tree.tags[last - 1] in PUNCTUATION_TAGS and last > heads[i] + 1:
            last -= 1
        yield start, last


@dataclass(frozen=True)
class NounChunks:
    """Finds noun chunks in trees where a Doc has no dependencies.

    Attributes:
        key: The span group with the trees.
        otherwise: How the language finds noun chunks, None if it does not.
    """

    key: str
    otherwise: FindChunks | None

    def __call__(self, doclike: Doc | Span) -> Iterator[Chunk]:
        doc = doclike.doc
        has_trees = self.key in doc.spans
        if self.otherwise and not (has_trees and not doc.has_annotation("DEP")):
            yield from self.otherwise(doclike)
        elif has_trees:
            label = doc.vocab.strings.add("NP")
            # White space is a word here: no phrase begins or ends with it.
            spans = doc.spans[self.key]
            tree = Tree(
                tuple([token.text for token in doc]),
                tuple([token.tag_ or MISSING_TAG for token in doc]),
                tuple([Constituent(s.label_, s.start, s.end) for s in spans]),
            )
            for start, end in base_noun_phrases(tree):
                yield start, end, label
        else:
            # As spaCy does, which finds none in dependencies of this language either.
            raise NotImplementedError(
                f"{Errors.E894.format(lang=doc.vocab.lang)} It needs constituency "
                "trees, and this Doc has none."
            )


def find_in_trees(vocab: Vocab, key: str) -> FindChunks:
    """Let a vocabulary's new Docs find noun chunks in the trees of a span group.

    Returns:
        What those Docs find noun chunks with.
    """
    # spaCy's type hints say that what is found are Spans.
    found: Any = vocab.get_noun_chunks
    if not isinstance(found, NounChunks):
        found = NounChunks(key, found)
        vocab.get_noun_chunks = found
    return found
