"""French: the common scheme. Clitics stand before finite verbs."""

from spacy_gfl.languages.base import Spacing
from spacy_gfl.languages.xx import common_language

LANGUAGE = common_language(
    "fr",
    labels={
        "ADVP": "also ne, beside the VP, and pas in it: (S (ADVP ne) (VP dura pas))",
        "NP": "also se, y, en, le before a verb, beside the VP: (S (NP se) (VP passe))",
        "PP": "also du, au, aux with a noun",
    },
    spacing=Spacing(clitics=r"-\w.*", elided=r"\w+['’]", spaced="?!;:%«»"),
)
