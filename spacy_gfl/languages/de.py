"""German: the common scheme. Verbs stand last in subordinate clauses."""

from spacy_gfl.languages.base import Spacing
from spacy_gfl.languages.xx import common_language

_ABBREVIATIONS = {
    "leading": """
        bes bzw ca d dipl dr dres ehem evtl exkl fr frl geb gest ggf hl hr hrn i ing
        inkl insb jur mag o oec priv-doz prof päd s sog st theol u verh vgl z
    """,
    "capital": "mag st",
    "numbered": """
        abb abs anm apr art aug bd bde bl dez feb fig ggü hs jan jul jun kap nov nr nrn
        okt pos s sep sept sp str tab teil tel vers ziff zl
    """,
    "inner": """
        abg allg bes betr bspw bzgl bzw ca d dgl ebd ehem eigtl einschl entspr erg etc
        evtl exkl gegr gem ges ggf grds hrsg i inkl insb jmd lfd lt max min mind mio mrd
        rd s sog spez std stv teilw u ugs unbest urspr usf usw v verb vgl vorm z zit zul
        zw zzgl ö
    """,
    "unending": "bzw ca evtl exkl ggf inkl insb sog vgl",
    "words": "art bes fig gen med min phil str teil verb vers",
}
LANGUAGE = common_language(
    "de",
    abbreviations=_ABBREVIATIONS,
    labels={
        "ADVP": "also a verb's particle that is an adverb (fügte hinzu), and nicht",
        "NP": "also sich alone: (VP (NP sich) verirrte)",
        "PP": "also im, zur and the like with a noun that has no article",
        "S": "also with an auxiliary before its subject: (S hat (NP er) (VP geruht))",
        "VP": "with zu (zu bauen) and the particle of the verb (fing wieder an)",
    },
    spacing=Spacing(
        quotes="»«›‹",
        clitics="['’]s",
        spaced="%",
        # Treebanks cut US-Präsident; a dash is –.
        joining=frozenset({("-", "PUNCT")}),
    ),
    question_words=(
        r"wer|wen|wem|wessen|was|wann|wo|wie|wie ?viele?|warum|wieso|weshalb|weswegen|"
        r"wo(?:bei|durch|für|gegen|her|hin|mit|nach|neben|von|vor|zu)|inwiefern|"
        r"inwieweit|wor(?:an|auf|aufhin|aus|in|über|um|unter)|welche[nmrs]?|welch|"
        r"deren|dessen|denen"
    ),
    relative_words="der|die|das|dem|den",
)
