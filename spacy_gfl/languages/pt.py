"""Portuguese: the common scheme. Clitics stand before the verb or after it."""

from spacy_gfl.languages.base import Spacing
from spacy_gfl.languages.xx import common_language

LANGUAGE = common_language(
    "pt",
    labels={
        "NP": "se, o, lhe: beside the VP before a verb, in it after one: torna-se",
        "PP": "also do, na, ao with a noun",
        "SBAR": "also of se, if: (SBAR (SCONJ se) (S você souber))",
    },
    spacing=Spacing(clitics=r"-\w.*", elided="d['’]"),
)
