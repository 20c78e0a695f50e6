"""Japanese: the common scheme. Nouns and verbs stand last; no white space."""

from spacy_gfl.languages.base import Spacing
from spacy_gfl.languages.xx import NOUNS_LAST, PREDICATES_LAST, common_language

LANGUAGE = common_language(
    "ja",
    heads=NOUNS_LAST,
    semantic=PREDICATES_LAST,
    spacing=Spacing(parts_words=False),
    question_words=r"誰|だれ|何|なに|どこ|いつ|なぜ|どう|どの|どれ|いくつ|いくら",
)
