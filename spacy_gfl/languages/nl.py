"""Dutch: the common scheme. Verbs stand last in subordinate clauses."""

from spacy_gfl.languages.base import Spacing
from spacy_gfl.languages.xx import common_language

_ABBREVIATIONS = {
    "leading": """
        ca dhr dr drs ds evt fam ing ir jhr m.b.t mej mevr mgr mr mw nl prof resp st vgl
        wo zgn
    """,
    "capital": "st",
    "numbered": """
        afb apr art aug blz bijl dec feb febr fig hfdst jan jl nov nr nrs okt p par sept
        tab tel vol
    """,
    "inner": """
        a.u.b afd bijv blz bv ca d.m.v e.d enz etc evt excl geb i.p.v i.v.m incl jl
        m.b.t max min mln mrd nl o.a plm resp t.a.v t.o.v tel v.a vgl z.g
    """,
    "unending": "bijv ca evt excl incl nl resp vgl zgn",
    "words": "bv min nl par st wo",
}
LANGUAGE = common_language(
    "nl",
    abbreviations=_ABBREVIATIONS,
    labels={
        "PP": "also of om with an infinitive: (PP om (VP te lezen))",
        "VP": "with te of an infinitive: (VP te lezen)",
    },
    spacing=Spacing(quotes="””’’"),
    question_words=(
        r"wie|wiens|wier|wat|welke?|wanneer|hoe(?:veel|lang|ver)?|"
        r"waar(?:aan|achter|bij|boven|door|heen|in|langs|mee|na|naar|naast|om|onder|"
        r"op|over|tegen|toe|tussen|uit|van|vandaan|voor)?"
    ),
    relative_words="die|dat",
)
