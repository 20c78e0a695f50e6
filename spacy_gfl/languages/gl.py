"""Galician: the common scheme. Clitics stand before the verb or after it."""

from spacy_gfl.languages.xx import common_language

_ABBREVIATIONS = {
    "leading": "cf d dna dr dra excmo gral ilmo prof profa sr sra sres srta sta sto vs",
    "capital": "d sta sto",
    "numbered": "art cap fig n núm p pp páx páxs tel vol vols",
    "inner": "aprox av cía etc ex excl incl máx mín tel",
    "unending": "aprox cf excl incl",
    "words": "art ex",
}
LANGUAGE = common_language(
    "gl",
    abbreviations=_ABBREVIATIONS,
    labels={
        "NP": "also se, o, lle before a verb, often beside its VP: (NP lle) (VP dixo)",
        "PP": "also do, na, ao with a noun",
        "SBAR": "also of se, if: (SBAR (SCONJ se) (S o fixesen))",
    },
    question_words=r"que|quen|cal|cales|cux[oa]s?|onde|cando|como|cant[oa]s?|por\s?que",
)
