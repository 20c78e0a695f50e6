"""Trees of the common scheme out of Universal Dependencies, by rule.

A constituent is a head with its dependents, and is named after the relation and the tag
of its head. making/treebank/dependencies.md has every rule with an example.

A tree is made in four steps:

1. Punctuation is set aside, and dependents that are apart from their head are moved to
   the lowest word above it where nothing comes between (`dependency_blocks`).
2. Every word with dependents gives its constituents (`dependency_phrases`,
   `dependency_clauses`).
3. Punctuation comes back, as high as its neighbours allow (`dependency_marks`).
4. Single words become phrases, and of a unary chain the lowest stays
   (`common_scheme.finish`).
"""

from collections.abc import Sequence

from spacy_gfl.languages.base import Language
from spacy_gfl.tools.treebanks.common_scheme import finish
from spacy_gfl.tools.treebanks.dependency_blocks import (
    Blocks,
    DependencyError,
    Word,
)
from spacy_gfl.tools.treebanks.dependency_clauses import Constituents
from spacy_gfl.tools.treebanks.dependency_marks import find_marks, with_marks
from spacy_gfl.tools.treebanks.dependency_phrases import VERBAL
from spacy_gfl.trees.tree import Tree


def tree_from_dependencies(words: Sequence[Word], language: Language) -> Tree:
    """Make a tree of the common scheme out of a dependency tree.

    Args:
        words: The words of a sentence, with one root.
        language: The language, whose words that ask questions are known.

    Raises:
        DependencyError: If there is no root or more than one, a head is no word of the
            sentence, or heads go in a circle.
    """
    for at, word in enumerate(words):
        if not 0 <= word.head < len(words):
            message = f"there is no word {word.head}, which {word.text!r} depends on"
            raise DependencyError(message, at)
    marks = find_marks(words)
    kept = [at for at in range(len(words)) if not marks[at]]
    new = {at: n for n, at in enumerate(kept)}
    inner = [words[at]._replace(head=new[words[at].head]) for at in kept]
    inner = [_with_infinitive(inner, word) for word in inner]
    blocks = Blocks(inner)
    rules = Constituents(inner, blocks, language)
    for at in blocks.order:
        rules.apply(at)
    # Extents without marks become those with them.
    constituents = [
        (label, kept[start], kept[end - 1] + 1)
        for label, start, end in rules.found
        if end - start > 1 or len(kept) == 1
    ]
    tree = with_marks(words, marks, constituents)
    roles = [_role(words, at) for at in range(len(words))]
    for n, at in enumerate(kept):
        if rules.is_verb(n):
            roles[at] = "VERB"
    alone = {kept[n] for n in rules.alone}
    finished = finish(Tree(tree.words, tuple(roles), tree.constituents), alone)
    return Tree(tree.words, tree.tags, finished.constituents)


def _with_infinitive(words: Sequence[Word], word: Word) -> Word:
    """A word; the marker of an infinitive (til að) as its verb's own."""
    above = words[word.head]
    if (word.base, word.tag, above.base) == ("fixed", "PART", "mark"):
        return word._replace(relation="mark", head=above.head)
    return word


def _role(words: Sequence[Word], at: int) -> str:
    """The tag of a word, or of another that is a phrase where this one is."""
    word = words[at]
    if word.base in ("case", "mark", "fixed", "cc", "det", "flat", "goeswith", "clf"):
        return "ADP"
    if word.base == "advmod" and word.tag in ("PART", "ADP", "NOUN"):
        # A negation before its verb is a word of the verb phrase.
        before, after = (
            {word.tag for word in words[n : n + 1]} for n in (at - 1, at + 1)
        )
        is_of_verb = bool(after & VERBAL) and not before & VERBAL
        return "PART" if word.tag == "PART" and is_of_verb else "ADV"
    return word.tag
