"""Danish: the common scheme. Quotes may point inwards: »so«."""

from spacy_gfl.languages.base import Spacing
from spacy_gfl.languages.xx import common_language

_ABBREVIATIONS = {
    "leading": "ca dr dvs fr frk hhv hr jf prof sct skt",
    "capital": "fr",
    "numbered": """
        apr art aug bd dec feb fig jan kap nov nr okt par pkt s sept st stk tab tlf vol
    """,
    "inner": """
        afd alm bl ca dir dvs eks ekskl el etc evt fork forts gl hhv inkl jf kl kr m max
        mia min mio mv nuv obs osv pga resp sml tlf udg ung vedr vha
    """,
    "unending": "ca dvs ekskl inkl jf",
    "words": "el m",
}
LANGUAGE = common_language(
    "da",
    abbreviations=_ABBREVIATIONS,
    spacing=Spacing(quotes="»«›‹"),
    question_words=r"hvem|hvis|hvad|hvilke[nt]?|hvor\w*|hvornår|hvordan",
    relative_words="som|der",
)
