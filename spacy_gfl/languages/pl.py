"""Polish: the common scheme. The first of several verbs is the head."""

from spacy_gfl.languages.base import Spacing
from spacy_gfl.languages.xx import VERBS_FIRST, common_language

_ABBREVIATIONS = {
    "leading": """
        al bp bł dr hab inż kpt ks lek mgr np o pl por prof prok płk red rtm s tj tzw ul
        wg ww wz zob św
    """,
    "numbered": """
        art cz ks nr nry par pkt poz r rozdz rys s str t tab tel tys ust w zał zob
    """,
    "inner": """
        cd dol ds dyr godz gr in itd itp jw kop m max mies min mld mln np ok pn prof
        przyp r red rzad tj tys tzn tzw ul ur wg współcz ww wł właśc zm zł łac
    """,
    "unending": "np ok tj tzn tzw wg",
    "words": "dol gr in pn red",
}
LANGUAGE = common_language(
    "pl",
    abbreviations=_ABBREVIATIONS,
    semantic=VERBS_FIRST,
    labels={
        "NP": "also się, in the VP: (VP zmienia (NP się)), (VP (NP się) śmieje)",
        "QP": "number of several words: (NP (QP 1,5 miliona) euro)",
        "VP": "with by: (VP był by gorący)",
    },
    spacing=Spacing(quotes="»«›‹"),
    question_words=(
        r"czy|kto|kogo|komu|kim|co|czego|czemu|czym|czyj\w*|któr\w+|gdzie|"
        r"dokąd|skąd|kiedy|dlaczego|ile|ilu|czemu|"
        r"jak(?:i|a|ą|ie|im|ich|iej|iego|iemu|imi)?|jacy"
    ),
)
