"""Russian: the common scheme. Of verbs in a row the first is the head."""

from spacy_gfl.languages.xx import VERBS_FIRST, common_language

LANGUAGE = common_language(
    "ru",
    semantic=VERBS_FIRST,
    labels={
        "QP": "number of several words: 1,5 миллиона, более 1200",
        "VP": "with не and бы: (VP не вернулись), (VP был бы жарким)",
    },
)
