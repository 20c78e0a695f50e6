"""Telugu: the common scheme. Nouns, verbs and postpositions stand last."""

from spacy_gfl.languages.xx import NOUNS_LAST, PREDICATES_LAST, common_language

LANGUAGE = common_language("te", heads=NOUNS_LAST, semantic=PREDICATES_LAST)
