"""Slovak: the common scheme. Quotes may point inwards: »so«."""

from spacy_gfl.languages.base import Spacing
from spacy_gfl.languages.xx import common_language

_ABBREVIATIONS = {
    "leading": """
        cca doc dr gen ing judr kpt mgr mudr napr p phdr plk prof resp rndr sv tj tzv
    """,
    "numbered": "kap obr ods odst pol písm roč s str tab tel č čl",
    "inner": """
        apod atď cca event gen hod max mil min mld napr okr popr pozn príp resp str
        tel tis tj tzn tzv ul zv
    """,
    "unending": "cca napr resp tj tzv",
    "words": "a hod mil pol",
}
LANGUAGE = common_language(
    "sk",
    abbreviations=_ABBREVIATIONS,
    spacing=Spacing(quotes="»«›‹"),
    question_words=(
        r"kto|koho|komu|kom|kým|čo|čoho|čomu|čom|čím|čo|čí|ktor\w+|ak\w{1,3}|"
        r"kde|kam|odkiaľ|kedy|prečo|koľk\w+|ako"
    ),
)
