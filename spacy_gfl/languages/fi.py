"""Finnish: the common scheme. Nouns follow what modifies them."""

from spacy_gfl.languages.base import Spacing
from spacy_gfl.languages.xx import NOUNS_LAST, VERBS_FIRST, common_language

LANGUAGE = common_language(
    "fi",
    heads=NOUNS_LAST,
    semantic=VERBS_FIRST,
    labels={
        "NP": "also before a postposition: (NP alustan kautta)",
        "PP": "of prepositions: (PP ennen (NP syntymää))",
        "SBAR": "also sen jälkeen, kun and the like",
        "VP": "with the verb of negation and olla: (VP ei ole ilmoitettu)",
    },
    spacing=Spacing(quotes="””»»’’"),
)
