"""Romanian: the common scheme. Clitics have hyphens: s-a dus, dându-l."""

from spacy_gfl.languages.base import Spacing
from spacy_gfl.languages.xx import common_language

LANGUAGE = common_language("ro", spacing=Spacing(clitics=r"-\w.*", elided=r"\w+-"))
