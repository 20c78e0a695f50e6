"""Polish: the common scheme. Of verbs in a row the first is the head."""

from spacy_gfl.languages.base import Spacing
from spacy_gfl.languages.xx import VERBS_FIRST, common_language

LANGUAGE = common_language(
    "pl",
    semantic=VERBS_FIRST,
    labels={
        "NP": "also się, in the VP after its verb: (VP zmienia (NP się))",
        "QP": "number of several words: (NP (QP 1,5 miliona) euro)",
        "VP": "with by: (VP był by gorący)",
    },
    spacing=Spacing(quotes="»«›‹"),
)
