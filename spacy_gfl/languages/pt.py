"""Portuguese: the common scheme. Clitics stand before the verb or after it."""

from spacy_gfl.languages.base import Spacing
from spacy_gfl.languages.xx import common_language

_ABBREVIATIONS = {
    "leading": """
        cap cel cf d dr dra dras drs eng engª exma exmo gen pe prof profa profª sr sra
        sras srs srta sta sto vs
    """,
    "capital": "cap cel d gen pe sta sto",
    "numbered": """
        abr ago art arts cap caps col dez ed fev fig figs jan jul jun n nov nº núm out p
        pp pág págs sec set tab tel vol vols
    """,
    "inner": """
        aprox apto av cia coord depto ed esp etc ex excl incl máx mín obs prov tel trad
    """,
    "unending": "aprox cf excl incl",
    "words": "art esp ex out set",
}
LANGUAGE = common_language(
    "pt",
    abbreviations=_ABBREVIATIONS,
    labels={
        "NP": "also se, o, lhe before a verb, in its VP: (VP (NP se) levanta)",
        "PP": "also do, na, ao with a noun",
        "SBAR": "also of se, if: (SBAR (SCONJ se) (S você souber))",
    },
    spacing=Spacing(clitics=r"-\w.*", elided="d['’]"),
    question_words=(
        r"qu[eê]|quem|qual|quais|cuj[oa]s?|onde|aonde|quando|como|quant[oa]s?|"
        r"por\s?qu[eê]"
    ),
)
