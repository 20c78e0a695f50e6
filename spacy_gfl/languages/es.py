"""Spanish: the common scheme. Clitics stand before finite verbs."""

from spacy_gfl.languages.base import Spacing
from spacy_gfl.languages.xx import common_language

_ABBREVIATIONS = {
    "leading": """
        cap cf cnel d da dr dra dres dª dña excma excmo fr gral ilma ilmo ing lic mons
        prof profa sr sra sres srta srtas st sta sto vs
    """,
    "capital": "cap d da fr st sta sto",
    "numbered": """
        abr ago art arts cap caps col dic ed ene febr fig figs fol jul jun n nov nro núm
        núms oct p pp pág págs párr sec sept t tab tel tomo tít vol vols
    """,
    "inner": """
        admón apdo aprox av avda coord cía dcha depto ed ej entlo esp etc excl gob incl
        izq máx mín pból prov pta ptas tel trad ud uds vda vid
    """,
    "unending": "aprox cf esp excl incl vid vs",
    "words": "art cap col esp fig sec tab",
}
LANGUAGE = common_language(
    "es",
    abbreviations=_ABBREVIATIONS,
    labels={
        "ADVP": "also no, beside the VP: (S (ADVP no) (VP tienen hijos))",
        "NP": "also se, lo before a verb, in its VP: (S (NP él) (VP (NP se) equivoca))",
        "PP": "also persons who are objects (a Ana), and del, al with a noun",
    },
    spacing=Spacing(spaced="%"),
    question_words=(
        r"qu[eé]|qui[eé]n(?:es)?|cu[aá]l(?:es)?|cuy[oa]s?|d[oó]nde|ad[oó]nde|"
        r"cu[aá]ndo|c[oó]mo|cu[aá]nt[oa]s?|por\s?qué"
    ),
)
