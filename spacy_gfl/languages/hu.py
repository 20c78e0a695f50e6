"""Hungarian: the common scheme. Nouns stand last; quotes may point inwards."""

from spacy_gfl.languages.base import Spacing
from spacy_gfl.languages.xx import NOUNS_LAST, PREDICATES_LAST, common_language

LANGUAGE = common_language(
    "hu", heads=NOUNS_LAST, semantic=PREDICATES_LAST, spacing=Spacing(quotes="»«›‹")
)
