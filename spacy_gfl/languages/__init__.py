"""What is known of a language, and where: in one file of its own for each.

A language is a module here of its spaCy code, with a `LANGUAGE`, and is found by that
name: to add one takes no other change. What a treebank's file does not say is as in
English, whose labels and tags are Penn's. The other files have the labels and tags of
the common scheme (`xx.py`) beside Penn's, and say what is their own. A language without
a file is as `xx.py` says.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from spacy_gfl.languages.base import UNIVERSAL, Language
from spacy_gfl.trees.tree import MISSING_TAG

_CODE = re.compile("[a-z]{2,3}")
#: The language of a Doc that has none, and that of the common scheme.
_DEFAULT, _COMMON = "en", "xx"


@cache
def find_language(lang: str) -> Language:
    """Find a language by spaCy's code; "", no language, is "en".

    Codes may come from a file: nothing but a module of this folder is imported.
    """
    name = f"{__name__}.{lang or _DEFAULT}"
    if not lang or _CODE.fullmatch(lang):
        try:
            language = import_module(name).LANGUAGE
        except ModuleNotFoundError as error:
            if error.name != name:
                raise
        else:
            assert isinstance(language, Language)
            return language
    return replace(find_language(_COMMON), lang=lang)


def annotated_language(tags: Iterable[str], lang: str) -> Language:
    """Find the language of a tree's annotation by its tags.

    A pipeline of many languages gives English text trees of the common scheme ("xx"),
    and an English pipeline's Docs may be read with another language's vocabulary.
    """
    language, own = find_language(lang), set(tags) - {MISSING_TAG}
    if own <= UNIVERSAL:
        return language if own <= language.tags.keys() else find_language(_COMMON)
    # Languages of the common scheme know Penn's tags beside its own.
    if own <= language.tags.keys() and not language.tags.keys() >= UNIVERSAL:
        return language
    english = find_language(_DEFAULT)
    return english if own <= english.tags.keys() else language


def has_file(lang: str) -> bool:
    """Whether a language has a file here."""
    return lang in {module.name for module in iter_modules(__path__)}


def all_languages() -> Iterator[Language]:
    """The languages that have a file, each imported when it is asked for."""
    names = (module.name for module in iter_modules(__path__))
    return (find_language(name) for name in names if _CODE.fullmatch(name))
