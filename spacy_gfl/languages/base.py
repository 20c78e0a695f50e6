"""What is known of a language, and where: in one file of its own for each.

A language is a module here of its spaCy code, with a `LANGUAGE`, and is found by that
name: to add one takes no other change. Languages with a treebank have its labels and
tags; what such a file does not say is as in English, whose labels and tags are Penn's.
The others have those of the common scheme (`xx.py`) beside Penn's, and say what is
their own; one without a file has white space as is said below.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from spacy_gfl.languages.abbreviations import Abbreviations
from spacy_gfl.languages.common import UNIVERSAL, ToCommon
from spacy_gfl.languages.head_rules import HeadRules
from spacy_gfl.languages.spacing import Spacing
from spacy_gfl.trees.tree import MISSING_TAG

_CODE = re.compile("[a-z]{2,3}")
#: Languages without a file whose nouns follow what modifies them.
HEAD_LAST = frozenset({"hi", "hu", "ja", "ko", "ta", "te", "ur"})
#: White space in languages that have no file.
SPACING = {
    **dict.fromkeys(("bo", "ja", "th"), Spacing(parts_words=False)),
    **dict.fromkeys(
        ("da", "dsb", "hr", "hsb", "hu", "sk", "sl", "sr"), Spacing(quotes="»«›‹")
    ),
    "ca": Spacing(clitics=r"['’-]\w.*", elided=r"\w+['’]"),
    "ga": Spacing(elided="[bdm]['’]"),
    "lb": Spacing(elided="d['’]"),
    "lij": Spacing(elided=r"\w+['’]"),
    "ro": Spacing(clitics=r"-\w.*", elided=r"\w+-"),
}


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
        evalb_name: The name of EVALB's parameters for its treebank, which have
            `evalb_deleted` beside Collins' labels and tags to delete.
        spacing: The white space between words.
        to_common: What its labels and tags are in the common scheme.
        abbreviations: What is abbreviated inside sentences, if that is known.
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
    abbreviations: Abbreviations | None = None
    evalb_name: str = ""
    evalb_deleted: frozenset[str] = frozenset()

    def rules(self, name: str) -> HeadRules:
        """The head rules of a name.

        Raises:
            ValueError: There are no rules of this name.
        """
        if name not in self.heads:
            raise ValueError(f'head rules are "collins" or "semantic", not {name!r}')
        return self.heads[name]


@cache
def find_language(lang: str) -> Language:
    """Find a language by spaCy's code; "", no language, is "en".

    Codes may come from a file: nothing but a module of this folder is imported.
    """
    name = f"spacy_gfl.languages.{lang or 'en'}"
    if not lang or _CODE.fullmatch(lang):
        try:
            found = import_module(name).LANGUAGE
        except ModuleNotFoundError as error:
            if error.name != name:
                raise
        else:
            assert isinstance(found, Language)
            return found
    xx = import_module("spacy_gfl.languages.xx")
    common = xx.HEAD_LAST if lang in HEAD_LAST else xx.LANGUAGE
    return replace(common, lang=lang, spacing=SPACING.get(lang, Spacing()))


def annotated_language(tags: Iterable[str], lang: str) -> Language:
    """Find the language of a tree's annotation by its tags.

    A pipeline of many languages gives English text trees of the common scheme ("xx"),
    and an English pipeline's Docs may be read with another language's vocabulary.
    """
    found, own = find_language(lang), set(tags) - {MISSING_TAG}
    if own <= UNIVERSAL:
        return found if own <= found.tags.keys() else find_language("xx")
    # Languages of the common scheme know Penn's tags beside its own.
    if own <= found.tags.keys() and not found.tags.keys() >= UNIVERSAL:
        return found
    english = find_language("en")
    return english if own <= english.tags.keys() else found


def all_languages() -> Iterator[Language]:
    """The languages that have a file, each imported when it is asked for."""
    package = import_module("spacy_gfl.languages")
    names = (module.name for module in iter_modules(package.__path__))
    return (find_language(name) for name in names if _CODE.fullmatch(name))
