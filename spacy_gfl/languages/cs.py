"""Czech: the common scheme. Of verbs in a row the first is the head."""

from spacy_gfl.languages.base import Spacing
from spacy_gfl.languages.xx import VERBS_FIRST, common_language

LANGUAGE = common_language(
    "cs",
    semantic=VERBS_FIRST,
    labels={
        "NP": "also se and si, beside the VP before a verb: (S (NP se) (VP stalo))",
        "VP": "with by: (VP by přežilo)",
    },
    spacing=Spacing(quotes="»«›‹"),
)
