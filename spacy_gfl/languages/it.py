"""Italian: the common scheme. Clitics stand before finite verbs."""

from spacy_gfl.languages.base import Spacing
from spacy_gfl.languages.xx import common_language

_ABBREVIATIONS = {
    "leading": """
        arch avv card cav cfr comm dott dottssa dr egr gen geom ing mons on prof proff
        profssa rag s sig sigg sigra ss vs
    """,
    "capital": "card comm gen on s ss",
    "numbered": """
        ag apr art artt cap capp dic fasc febbr fig figg gen giu lug n nn nov num ott p
        pag pagg par pp sett sez tab tav tel vol voll
    """,
    "inner": """
        ca cfr circa cit cons ecc ed es escl incl max min op pagg prof ris tel trad vd
    """,
    "unending": "ca cfr es escl incl vd",
    "words": "es max",
}
LANGUAGE = common_language(
    "it",
    abbreviations=_ABBREVIATIONS,
    labels={
        "ADVP": "also non, beside the VP",
        "NP": "also si, ci, lo before a verb, in its VP: (VP (NP lo) vede)",
        "PP": "also della, nel and the like with a noun",
    },
    # Not words that are cut short: un po' di, a mo' di, fa' presto.
    spacing=Spacing(elided=r"(?!(?:be|d[ai]|fa|mo|po|sta|to|va|ve).$)\w+['’]"),
    question_words=(
        r"chi|che|cui|quale|quali|qual|dove|dov['’]|quando|come|com['’]|"
        r"perché|quanto|quanta|quanti|quante|cosa"
    ),
)
