"""What is known of a language, and where: in one file of its own for each.

A language is a module here of its spaCy code, with a `LANGUAGE`, and is found by that
name: to add one takes no other change. What such a file does not say is as in English,
whose labels and tags are Penn's. A language without a file has Penn's labels, tags and
punctuation, leftmost children for heads, and what is said of its white space below.
"""

import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from spacy_gfl.languages.abbreviations import Abbreviations
from spacy_gfl.languages.head_rules import LEFTMOST, HeadRules
from spacy_gfl.languages.spacing import Spacing

_CODE = re.compile("[a-z]{2,3}")
#: White space in languages that have no file.
_APOSTROPHE = r"\w+['’]"
SPACING = {
    **dict.fromkeys(("bo", "ja", "th", "zh"), Spacing(parts_words=False)),
    **dict.fromkeys(
        ("cs", "da", "dsb", "hr", "hsb", "hu", "pl", "sk", "sl", "sr"),
        Spacing(quotes="»«›‹"),
    ),
    **dict.fromkeys(("fi", "sv"), Spacing(quotes="””»»’’")),
    "ca": Spacing(clitics=r"['’-]\w.*", elided=_APOSTROPHE),
    "de": Spacing(quotes="»«›‹", clitics="['’]s"),
    "fr": Spacing(clitics=r"-\w.*", elided=_APOSTROPHE, spaced="?!;:%«»"),
    "ga": Spacing(elided="[bdm]['’]"),
    # Not words that are cut short: un po' di, a mo' di, fa' presto.
    "it": Spacing(elided=r"(?!(?:be|d[ai]|fa|mo|po|sta|to|va|ve).$)" + _APOSTROPHE),
    "lb": Spacing(elided="d['’]"),
    "lij": Spacing(elided=_APOSTROPHE),
    "pt": Spacing(clitics=r"-\w.*", elided="d['’]"),
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
        evalb_name: A name for EVALB's parameters for its treebank, which have
            `evalb_deleted` beside Collins' labels and tags to delete.
        spacing: The white space between words.
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
    abbreviations: Abbreviations | None = None
    evalb_name: str = ""
    evalb_deleted: frozenset[str] = frozenset()

    def rules(self, name: str) -> HeadRules:
        """The head rules of a name; a warning, once, where there are none.

        Raises:
            ValueError: There are no rules of this name.
        """
        if name not in find_language("en").heads:
            raise ValueError(f'head rules are "collins" or "semantic", not {name!r}')
        if not self.heads:
            _warn_of_leftmost(self.lang)
        return self.heads.get(name, LEFTMOST)


@cache
def find_language(lang: str) -> Language:
    """Find a language by spaCy's code; "" and "xx", no language and several, are "en".

    Codes may come from a file: nothing but a module of this folder is imported.
    """
    name = f"spacy_gfl.languages.{lang}"
    if _CODE.fullmatch(lang) and lang != "xx":
        try:
            found = import_module(name).LANGUAGE
        except ModuleNotFoundError as error:
            if error.name != name:
                raise
        else:
            assert isinstance(found, Language)
            return found
    english = find_language("en")
    if lang in ("", "xx"):
        return english
    spacing = SPACING.get(lang, Spacing())
    return replace(
        english,
        lang=lang,
        closed_class={},
        heads={},
        spacing=spacing,
        abbreviations=None,
    )


def all_languages() -> list[Language]:
    """All languages that have a file."""
    package = import_module("spacy_gfl.languages")
    names = [module.name for module in iter_modules(package.__path__)]
    return [find_language(name) for name in names if _CODE.fullmatch(name)]


@cache
def _warn_of_leftmost(lang: str) -> None:
    warnings.warn(
        f'There are no head rules for the language "{lang}": leftmost children '
        "are heads. Give HeadRules of your own, or write a file "
        f"spacy_gfl/languages/{lang}.py.",
        stacklevel=4,
    )
