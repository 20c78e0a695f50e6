"""Noun chunks of Docs that have trees and no dependencies: base noun phrases.

spaCy finds `doc.noun_chunks` by a function of the Doc's vocabulary
(`spacy.lang.xx.syntax_iterators`), which goes through dependencies. It is put inside of
one of the same form that goes through trees.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias
from weakref import WeakKeyDictionary

from spacy.attrs import ORTH, SENT_START, TAG
from spacy.errors import Errors
from spacy.tokens import Doc, Span

from spacy_gfl.languages.base import find_language
from spacy_gfl.languages.heads import find_heads
from spacy_gfl.trees.labels import split_label
from spacy_gfl.trees.tree import Tree

#: The first token, the one after the last, and the hash of the label.
Chunk: TypeAlias = tuple[int, int, int]
#: What spaCy calls to find the noun chunks of a Doc.
FindChunks: TypeAlias = Callable[[Doc | Span], Iterable[Chunk]]
_KEY = "constituents"
_NOUN_PHRASES = frozenset({"NP", "NX", "WHNP"})
#: Parts of noun phrases that may have the head: $ 5 million, the very rich, how many.
_PARTS = frozenset({"NML", "QP", "ADJP", "WHADJP"})


def base_noun_phrases(tree: Tree, lang: str) -> Iterator[tuple[int, int]]:
    """Find the base noun phrases of a tree, from left to right; none overlap.

    A noun phrase (NP, NX, WHNP) whose head is one of its own words, or a word of an
    NML, QP, ADJP or WHADJP in it, gives one: all from its start to its head, and the
    words right after the head. So what modifies a noun from behind (prepositional
    phrases, relative clauses, appositions) is outside, a possessive (*the dog's tail*)
    is inside, and each noun phrase of a coordination is found by itself.

    Yields:
        The first word and the word after the last.
    """
    punctuation = find_language(lang).punctuation
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
        yield start, last


#: For a Doc its group of trees, what the chunks depend on beside it, and the chunks.
_found: WeakKeyDictionary[Doc, tuple[object, object, list[Chunk]]] = WeakKeyDictionary()


@dataclass(frozen=True)
class NounChunks:
    """Finds noun chunks in trees where a Doc has no dependencies.

    spaCy asks for those of the whole Doc for every Span, so they are kept until the
    Doc has another group of trees, or one of another length, or other tokens.

    Attributes:
        otherwise: How the language finds noun chunks, None if it does not.
        read_trees: Reads the trees of a Doc's sentences and the tokens of their words.
    """

    otherwise: FindChunks | None
    read_trees: Callable[[Doc], list[tuple[list[int], Tree]]]

    def __call__(self, doclike: Doc | Span) -> Iterable[Chunk]:
        doc = doclike.doc
        has_trees = _KEY in doc.spans
        if self.otherwise and not (has_trees and not doc.has_annotation("DEP")):
            return self.otherwise(doclike)
        if not has_trees:
            # As spaCy does, which finds none in dependencies of this language either.
            raise NotImplementedError(
                f"{Errors.E894.format(lang=doc.vocab.lang)} It needs constituency "
                "trees, and this Doc has none."
            )
        group = doc.spans[_KEY]
        state = (len(group), doc.to_array([ORTH, TAG, SENT_START]).tobytes())
        kept = _found.get(doc)
        if kept is None or kept[0] is not group or kept[1] != state:
            _found[doc] = kept = (group, state, self._find(doc))
        return kept[2]

    def _find(self, doc: Doc) -> list[Chunk]:
        label = doc.vocab.strings.add("NP")
        return [
            (words[start], words[end - 1] + 1, label)
            for words, tree in self.read_trees(doc)
            for start, end in base_noun_phrases(tree, doc.lang_)
        ]
