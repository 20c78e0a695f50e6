"""Serbian: the common scheme. Quotes may point inwards: »so«."""

from spacy_gfl.languages.base import Spacing
from spacy_gfl.languages.xx import common_language

_ABBREVIATIONS = {
    "leading": "dr g gđa mr npr prof sv tj tzv г гђа гђица др мр нпр проф св тзв тј",
    "capital": "g г",
    "numbered": "br god sl str tab tel čl бр год сл стр таб тел чл",
    "inner": """
        br god itd npr odn str tel tj tzv ul бр год итд нпр одн стр тел тзв тј ул
    """,
    "unending": "npr tj tzv нпр тзв тј",
}
LANGUAGE = common_language(
    "sr", abbreviations=_ABBREVIATIONS, spacing=Spacing(quotes="»«›‹")
)
