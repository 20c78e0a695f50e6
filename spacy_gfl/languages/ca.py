"""Catalan: the common scheme. Clitics stand at the verb: l'home se'n va."""

from spacy_gfl.languages.base import Spacing
from spacy_gfl.languages.xx import common_language

_ABBREVIATIONS = {
    "leading": "cf dr dra excm fra mn prof sr sra sres srs srta st sta vs",
    "capital": "st sta",
    "numbered": "art cap fig n núm p pp pàg pàgs tel vol vols",
    "inner": "aprox av cia etc ex excl incl màx mín tel",
    "unending": "aprox cf excl incl",
    "words": "art ex",
}
LANGUAGE = common_language(
    "ca",
    abbreviations=_ABBREVIATIONS,
    spacing=Spacing(clitics=r"['’-]\w.*", elided=r"\w+['’]"),
)
