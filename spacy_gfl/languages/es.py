"""Spanish: the common scheme. Clitics stand before finite verbs."""

from spacy_gfl.languages.xx import common_language

LANGUAGE = common_language(
    "es",
    labels={
        "ADVP": "also no, beside the VP: (S (ADVP no) (VP tienen hijos))",
        "NP": "also se, lo, le before a verb, beside the VP: (S (NP se) (VP equivoca))",
        "PP": "also persons who are objects (a Ana), and del, al with a noun",
    },
)
