"""Czech: the common scheme. The first of several verbs is the head."""

from spacy_gfl.languages.base import Spacing
from spacy_gfl.languages.xx import VERBS_FIRST, common_language

_ABBREVIATIONS = {
    "leading": """
        bc cca doc dr gen ing judr kpt mgr mudr mvdr např npor p paeddr phdr plk por
        prof pí resp rndr sv thdr tj tzv
    """,
    "numbered": "břez kap led obr odst pol písm roč s str sv tab tel vyd zák ún č čl",
    "inner": """
        aj angl apod atd atp cca event fr gen hl hod jr jun kpt lat max mil min mj mld
        mn např nám násl něm okr ot popř pozn př resp roz sen tis tj tzn tzv ul zejm zn
        zvl
    """,
    "unending": "cca např resp tj tzn tzv zejm",
    "words": "hod mil pol por",
}
LANGUAGE = common_language(
    "cs",
    abbreviations=_ABBREVIATIONS,
    semantic=VERBS_FIRST,
    labels={
        "NP": "also se and si, in the VP: (S (NP to) (VP (NP se) stalo))",
        "VP": "with by: (VP by přežilo)",
    },
    spacing=Spacing(quotes="»«›‹"),
    question_words=(
        r"kdo|koho|komu|kom|kým|co|čeho|čemu|čem|čím|což|čehož|čemuž|čemž|"
        r"čímž|čí|kter\w{1,3}|jak(?:[ýáéí]|é(?:ho|mu|m)|ý(?:m|mi|ch)|ou)?|jací|"
        r"jenž|jež|jejž|jehož|jemuž|němž|jímž|"
        r"jíž|níž|nímž|nichž|nimž|jejíž|jejichž|kde|kam|odkud|kdy|proč|"
        r"kolik\w*|přičemž|načež|zač"
    ),
)
