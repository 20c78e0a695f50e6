"""Croatian: the common scheme. Quotes may point inwards: »so«."""

from spacy_gfl.languages.base import Spacing
from spacy_gfl.languages.xx import common_language

_ABBREVIATIONS = {
    "leading": "doc dr g gđa gđica ing mr npr prof st sv tj tzv",
    "capital": "doc g st",
    "numbered": "br god sl str sv t tab tel čl",
    "inner": """
        br cca dr god itd jr kn max mil min mlrd npr odn os ost pr prof sl str tel tis
        tj tzv ul usp v
    """,
    "unending": "cca npr odn tj tzv usp",
    "words": "os st",
}
LANGUAGE = common_language(
    "hr",
    abbreviations=_ABBREVIATIONS,
    spacing=Spacing(quotes="»«›‹", spaced="%"),
    question_words=(
        r"tko|ko|kogam?|komu?e?|kim|što|čega|čemu|čime?|čij\w+|koj\w+|kakv\w+|"
        r"kako|gdje|kamo|kuda|odakle|kada?|zašto|koliko|kolik\w*"
    ),
)
