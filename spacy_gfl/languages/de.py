"""German: the common scheme. Verbs stand last in subordinate clauses."""

from spacy_gfl.languages.base import Spacing
from spacy_gfl.languages.xx import common_language

LANGUAGE = common_language(
    "de",
    labels={
        "ADVP": "also a verb's particle that is an adverb (fügte hinzu), and nicht",
        "NP": "also sich alone, in the VP or beside it",
        "PP": "also im, zur and the like with a noun that has no article",
        "S": "of a verb that stands last, with objects before the VP: er sich verirrte",
        "VP": "with zu (zu bauen) and the particle of the verb (fing wieder an)",
    },
    spacing=Spacing(quotes="»«›‹", clitics="['’]s"),
)
