"""Irish: the common scheme. Particles stand at the next word: d'ól."""

from spacy_gfl.languages.base import Spacing
from spacy_gfl.languages.xx import common_language

_ABBREVIATIONS = {
    "leading": "dr fr lch ll mr ms prof ur",
    "capital": "fr",
    "numbered": "alt cuid lch ll uimh",
    "inner": "etc lch srl uimh",
}
LANGUAGE = common_language(
    "ga", abbreviations=_ABBREVIATIONS, spacing=Spacing(elided="[bdm]['’]")
)
