"""Slovenian: the common scheme. Quotes may point inwards: »so«."""

from spacy_gfl.languages.base import Spacing
from spacy_gfl.languages.xx import common_language

_ABBREVIATIONS = {
    "leading": "doc dr g gdč mag npr oz prof sv tj",
    "capital": "g",
    "numbered": "pogl sl str tab tel čl št",
    "inner": """
        ang cca dr idr ipd itd itn max min mio mrd npr ok oz pribl prim str tel tim tj
        ul ur čl št
    """,
    "unending": "cca npr oz tj",
    "words": "tim ur",
}
LANGUAGE = common_language(
    "sl",
    abbreviations=_ABBREVIATIONS,
    spacing=Spacing(quotes="»«›‹"),
    question_words=(
        r"kdo|koga|komu|kom|kaj|česa|čemu|čem|čim|čigar|čigav\w*|kater\w{1,3}|kako|"
        r"kak(?:šen|šn|ršen|ršn)\w*|kje|kam|kod|kdaj|zakaj|koliko|kolikš\w+"
    ),
    relative_words="ki",
)
