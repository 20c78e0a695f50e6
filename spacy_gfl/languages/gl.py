"""Galician: the common scheme. Clitics stand before the verb or after it."""

from spacy_gfl.languages.xx import common_language

LANGUAGE = common_language(
    "gl",
    labels={
        "NP": "se, o, lle: beside the VP before a verb, in it after one: chegou lle",
        "PP": "also do, na, ao with a noun",
        "SBAR": "also of se, if: (SBAR (SCONJ se) (S o fixesen))",
    },
)
