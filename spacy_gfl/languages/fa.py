"""Persian: the common scheme. Nouns stand first, verbs last."""

from spacy_gfl.languages.xx import PREDICATES_LAST, common_language

LANGUAGE = common_language(
    "fa",
    semantic=PREDICATES_LAST,
    labels={
        "NP": "with را of an object, and the noun of a verb: (VP (NP کار) کردم)",
    },
    question_words="کی|چه|چی|کدام|کجا|چرا|چگونه|چطور|چند",
    relative_words="که",
)
