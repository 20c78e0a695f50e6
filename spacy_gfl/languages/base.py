"""The plain data that a file in this room gives for its language."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from spacy_gfl.languages.head_rules import HeadRules

_TAGS = """
    ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X
"""
#: Universal Dependencies' tags, which spaCy's glossary explains.
UNIVERSAL = frozenset(_TAGS.split())


@dataclass(frozen=True)
class Spacing:
    """How a language parts words. Patterns are for whole words, in any case.

    Attributes:
        parts_words: Whether there is white space between words; otherwise only between
            words in other letters.
        quotes: Pairs of quotation marks beyond the usual ones, „“, «» and others.
        clitics: A pattern of words that stand at the word before.
        elided: A pattern of words that stand at the word after.
        spaced: Marks with white space on both sides that elsewhere have it on one.
        cut: Pairs of words that a tokenizer has cut out of one.
        joining: Words and their tags that have white space on neither side.
    """

    parts_words: bool = True
    quotes: str = ""
    clitics: str = ""
    elided: str = ""
    spaced: str = ""
    cut: frozenset[str] = frozenset()
    joining: frozenset[tuple[str, str]] = frozenset()


@dataclass(frozen=True, kw_only=True)
class ToCommon:
    """What a treebank's labels and tags are in the common scheme.

    Attributes:
        labels: The common label of each that is called otherwise; "" for no
            constituent.
        tags: The tags of Universal Dependencies, each with those of the treebank.
        govern: Whether a verb may have a VP beside it that is no part of its own,
            where Penn has an S; otherwise that verb is an auxiliary.
    """

    labels: Mapping[str, str]
    tags: Mapping[str, str]
    govern: bool = True


@dataclass(frozen=True, kw_only=True)
class Language:
    """A language, in the annotation of its treebank.

    Attributes:
        lang: spaCy's code.
        labels: The meaning of each constituent's label.
        tags: The meaning of each part-of-speech tag, "" where spaCy's glossary has it.
        functions: The meaning of each function tag, which follows a label's hyphen.
        punctuation: The tags of punctuation.
        conjunctions: The labels and tags of what coordinates.
        closed_class: Tags of words in lower case that need none to be told apart.
        heads: The head rules "collins", of syntactic heads, and "semantic".
        spacing: The white space between words.
        to_common: What its labels and tags are in the common scheme.
        evalb_name: The name of EVALB's parameters for its treebank, which have
            `evalb_deleted` beside Collins' labels and tags to delete.
        abbreviations: What is abbreviated inside sentences, if that is known: words by
            what they are, as `sentences.abbreviations` reads them.
        tokenizer: Settings of spaCy's tokenizer that give the words of the trees, where
            those that spaCy has by default do not.
        question_words: A pattern of words, in any case, that ask, in questions and in
            relative clauses.
        relative_words: A pattern of words that open relative clauses, and are others
            elsewhere, such as articles.
    """

    lang: str
    labels: Mapping[str, str]
    tags: Mapping[str, str]
    functions: Mapping[str, str]
    punctuation: frozenset[str]
    conjunctions: frozenset[str]
    closed_class: Mapping[str, str]
    heads: Mapping[str, HeadRules]
    spacing: Spacing
    to_common: ToCommon
    evalb_name: str
    evalb_deleted: frozenset[str] = frozenset()
    abbreviations: Mapping[str, str] = field(default_factory=dict)
    tokenizer: Mapping[str, str] = field(default_factory=dict)
    question_words: str = ""
    relative_words: str = ""

    def rules(self, name: str) -> HeadRules:
        """The head rules of a name.

        Raises:
            ValueError: There are no rules of this name.
        """
        if name not in self.heads:
            raise ValueError(f'head rules are "collins" or "semantic", not {name!r}')
        return self.heads[name]
