"""French: the common scheme. Clitics stand before finite verbs."""

from spacy_gfl.languages.base import Spacing
from spacy_gfl.languages.xx import common_language

_ABBREVIATIONS = {
    "leading": "cf dr drs env m me mgr mlle mlles mm mme mmes pr st ste vs",
    "capital": "m me mm pr st ste",
    "numbered": """
        art avr chap col déc fasc fig févr janv juil n no nos nov oct p par paragr pp
        réf sect sept t tab tél vol vv éd
    """,
    "inner": """
        adj adv av bd boul c-à-d cf coll conf dép env etc ex hab id max min ms mém obs
        préc qqch qqn resp rév suiv suppl trad tél
    """,
    "unending": "cf env vs",
    "words": "art col conf ex fig min par tab",
}
LANGUAGE = common_language(
    "fr",
    abbreviations=_ABBREVIATIONS,
    labels={
        "ADVP": "also ne, beside the VP, and pas in it: (S (ADVP ne) (VP dura pas))",
        "NP": "also se, y, en, le before a verb, in its VP: (VP (NP se) lève)",
        "PP": "also du, au, aux with a noun",
    },
    spacing=Spacing(clitics=r"-\w.*", elided=r"\w+['’]", spaced="?!;:%«»"),
    question_words=(
        r"qui|que|qu['’]|quoi|dont|où|quand|comment|pourquoi|combien|"
        r"quel(?:le)?s?|lequel|laquelle|lesquel(?:le)?s|auxquel(?:le)?s|"
        r"auquel|duquel|desquel(?:le)?s"
    ),
)
