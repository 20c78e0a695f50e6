"""Swedish: the common scheme. Possessors stand before their noun."""

from spacy_gfl.languages.base import Spacing
from spacy_gfl.languages.xx import common_language

_ABBREVIATIONS = {
    "leading": "ca dr dvs fr hr jfr prof resp s:t s:ta st",
    "capital": "fr st",
    "numbered": """
        apr art aug bd dec feb fig jan jfr kap nov nr nris okt par s sept sid st tab tel
        vol
    """,
    "inner": """
        anm avd bl ca dir dvs dyl e el enl etc ev exkl f forts föreg första gm iaf inkl
        jfr kl kr m max milj min mm mom moms o obs osv p pga resp sen sk span st t tel
        tf tidn tom ungef uppl v vd äv
    """,
    "unending": "ca dvs exkl inkl jfr resp",
    "words": "el m o sen span v",
}
LANGUAGE = common_language(
    "sv",
    abbreviations=_ABBREVIATIONS,
    # A possessor has no label of its own: (NP statens maskineri).
    heads="""
        NP right| NOUN
        NP left|  PROPN
        NP left   PRON NP NUM QP X SYM ADJ DET VERB ADJP
    """,
    labels={
        "ADVP": "also the particle of a verb: (VP komma (ADVP undan))",
        "PP": "also of som, as: som 1926",
        "SBAR": "of att, that, and of relative som: (SBAR (PRON som) (VP sade))",
        "VP": "with att of an infinitive: att skriva",
    },
    spacing=Spacing(quotes="””»»’’", spaced="%"),
    question_words=r"vem|vems|vad|vilke[nt]|vilkas?|vars?|varav|varför|varifrån|vart|när|hur",
    relative_words="som|där|dit|då",
)
