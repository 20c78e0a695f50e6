"""Noun chunks of Docs that have trees and no dependencies: base noun phrases.

spaCy finds `doc.noun_chunks` by a function of the Doc's vocabulary
(`spacy.lang.xx.syntax_iterators`), which goes through dependencies. It is put inside of
one of the same form that goes through trees.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias
from weakref import WeakKeyDictionary

from spacy.attrs import ORTH, SENT_START, TAG
from spacy.errors import Errors
from spacy.tokens import Doc, Span

from spacy_gfl.trees.tree import Tree

#: The first token, the one after the last, and the hash of the label.
Chunk: TypeAlias = tuple[int, int, int]
#: What spaCy calls to find the noun chunks of a Doc.
FindChunks: TypeAlias = Callable[[Doc | Span], Iterable[Chunk]]
_KEY = "constituents"


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
        # What is known of languages is read when it is asked for, as spaCy does.
        from spacy_gfl.languages.noun_phrases import base_noun_phrases

        label = doc.vocab.strings.add("NP")
        return [
            (words[start], words[end - 1] + 1, label)
            for words, tree in self.read_trees(doc)
            for start, end in base_noun_phrases(tree, doc.lang_)
        ]
