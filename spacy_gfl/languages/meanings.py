"""The meaning of labels and tags: `spacy_gfl.explain("SBAR")`."""

import re
from collections import ChainMap

from spacy_gfl.languages import find_language
from spacy_gfl.trees.labels import split_label


def explain(name: str, lang: str = "en") -> str | None:
    """Say in a few words what a label or a tag means.

    What a language does not explain is looked up in spaCy's glossary, which has
    Penn's tags and those of other languages, dependencies and entities.

    Args:
        name: A constituent label or a part-of-speech tag (`NP`, `-LRB-`); a label
            with function tags and indices (`NP-SBJ-1`, `NP=2`), of which known
            function tags are explained behind the label; a function tag (`SBJ`),
            with its hyphen where the same name is also a tag (`-PRP`); or several of
            these between bars (`ADVP|PRT`).
        lang: spaCy's code of the language, whose treebank may have labels and tags of
            its own.

    Returns:
        The meaning, None if it is unknown.

    Raises:
        TypeError: The name is no text, such as `span.label`, a number.

    >>> explain("NP-SBJ-1")
    'noun phrase (subject)'
    >>> explain("RPN", lang="id")
    'relative clause'
    """
    if not isinstance(name, str):
        raise TypeError(f"explain takes a name, such as span.label_, not {name!r:.50}.")
    if "|" in name:
        parts = [explain(part, lang) or "" for part in name.split("|")]
        return " or ".join(parts) if all(parts) else None
    # Languages are known without spaCy.
    from spacy.glossary import GLOSSARY

    language = find_language(lang)
    label, functions = split_label(name)
    if name.startswith("-") and name[1:] in language.functions:
        return language.functions[name[1:]]
    own = {tag: meaning for tag, meaning in language.tags.items() if meaning}
    meanings = ChainMap(own, dict(language.labels), GLOSSARY)
    if label not in meanings:
        return language.functions.get(name)
    parts = re.split("[-=]", functions)
    found = [language.functions[tag] for tag in parts if tag in language.functions]
    return f"{meanings[label]} ({', '.join(found)})" if found else meanings[label]
