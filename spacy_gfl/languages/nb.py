"""Norwegian Bokmål: the common scheme."""

from spacy_gfl.languages.base import Spacing
from spacy_gfl.languages.xx import common_language

_ABBREVIATIONS = {
    "leading": "ca dr dvs f.eks fr frk hhv hr jf prof sml st",
    "capital": "fr st",
    "numbered": """
        apr art aug bd des feb fig jan kap kl nov nr okt par pkt s sept st tab tlf vol
    """,
    "inner": """
        adm adr alm avd bl.a ca dir dvs e.l eks ekskl el etc evt f.eks forts fvt gl hhv
        inkl iht jf kl kr kst m.m maks mfl mht mill min mnd moms mrd mv o.a osv pga resp
        sml tlf uke utg vedr
    """,
    "unending": "ca dvs ekskl f.eks inkl jf",
    "words": "el uke",
}
LANGUAGE = common_language(
    "nb",
    abbreviations=_ABBREVIATIONS,
    labels={
        "SBAR": "also of relative som: (SBAR (PRON som) (VP sov))",
        "VP": "with å of an infinitive: (VP å lese)",
    },
    spacing=Spacing(quotes="””’’"),
    question_words=r"hvem|hva|hvilke[nt]?|hvor\w*|når",
    relative_words="som|der|da",
)
