"""Italian: the common scheme. Clitics stand before finite verbs."""

from spacy_gfl.languages.base import Spacing
from spacy_gfl.languages.xx import common_language

LANGUAGE = common_language(
    "it",
    labels={
        "ADVP": "also non, beside the VP",
        "NP": "also si, ci, lo before a verb, beside the VP: (S (NP si) (VP sa))",
        "PP": "also della, nel and the like with a noun",
    },
    # Not words that are cut short: un po' di, a mo' di, fa' presto.
    spacing=Spacing(elided=r"(?!(?:be|d[ai]|fa|mo|po|sta|to|va|ve).$)\w+['’]"),
)
