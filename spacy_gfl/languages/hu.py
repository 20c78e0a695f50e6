"""Hungarian: the common scheme. Nouns stand last; quotes may point inwards."""

from spacy_gfl.languages.base import Spacing
from spacy_gfl.languages.xx import NOUNS_LAST, PREDICATES_LAST, common_language

_ABBREVIATIONS = {
    "leading": "dr id ifj ill kb ld pl prof st szt vö özv ún",
    "numbered": "köt ld o sz",
    "inner": """
        bp bt db dr du ez fszt hrsz id ifj ill ism itt kb kft kv ld max min mrd nov okt
        old pl pol rt sgt st stb sz szept szt tel ti tkp tul tvr u ui vm vö zrt évf úm
        ún
    """,
    "unending": "ill kb ld pl vö ún",
    "words": "ez itt",
}
LANGUAGE = common_language(
    "hu",
    abbreviations=_ABBREVIATIONS,
    heads=NOUNS_LAST,
    semantic=PREDICATES_LAST,
    spacing=Spacing(quotes="»«›‹"),
)
