"""Finnish: the common scheme. Nouns follow what modifies them."""

from spacy_gfl.languages.base import Spacing
from spacy_gfl.languages.xx import NOUNS_LAST, VERBS_FIRST, common_language

_ABBREVIATIONS = {
    "leading": "esim hra ks noin nti prof rva st tri ts vrt",
    "capital": "st",
    "numbered": "art kpl ks luku nro puh s ss vrt",
    "inner": """
        eaa em engl esim fil ilm jne joht kirj ks lat lkm läh milj mm mrd n nk no ns nyk
        oik os puh pvm ruots s saks synt tal tms toim ts tuh v vas vrt ym yms yo
    """,
    "unending": "esim ks n ts vrt",
    "words": "no os v",
}
LANGUAGE = common_language(
    "fi",
    abbreviations=_ABBREVIATIONS,
    heads=NOUNS_LAST,
    semantic=VERBS_FIRST,
    labels={
        "PP": "of prepositions and postpositions: (PP (NP sillan) kautta)",
        "VP": "with the verb of negation and olla: (VP ei ole ilmoitettu)",
    },
    spacing=Spacing(quotes="””»»’’", spaced="%"),
    question_words=(
        r"kuka|ketkä|ketä|kenen?ä?|kenet|ke(?:ne)?(?:llä|ltä|lle|stä|ssä)|kehen|"
        r"keitä|keiden|mikä|mi(?:tä|ltä|llä|lle|ssä|stä|hin|ksi|tkä)s?|min(?:kä|ne)|"
        r"millo?in|m(?:illai|inkälai)\w+|miten|joka|jo[nt]ka|"
        r"jo(?:ta|ssa|sta|hon|lla|lta|lle|na|ksi)|joiden|kuinka|"
        r"joi(?:ta|hin|na|ksi|[sl][st]a|ll[ae])|kumpi|kumpaa|kumman|koska"
    ),
)
