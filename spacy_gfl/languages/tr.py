"""Turkish: the common scheme. Nouns, verbs and postpositions stand last."""

from spacy_gfl.languages.xx import (
    NOUNS_LAST,
    PREDICATES_LAST,
    common_language,
)

LANGUAGE = common_language(
    "tr",
    # Nouns too: (ADJP çok sayıda).
    heads=NOUNS_LAST.replace("ADJ VERB", "ADJ VERB NOUN"),
    semantic=PREDICATES_LAST,
    labels={
        "NP": "with postpositions, ki and de: görev için; also of verbal nouns",
        "VP": "also a copula alone beside its predicate: (S (NP çay) (VP idi))",
    },
)
