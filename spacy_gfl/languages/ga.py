"""Irish: the common scheme. Particles stand at the next word: d'ól."""

from spacy_gfl.languages.base import Spacing
from spacy_gfl.languages.xx import common_language

LANGUAGE = common_language("ga", spacing=Spacing(elided="[bdm]['’]"))
