"""Catalan: the common scheme. Clitics stand at the verb: l'home se'n va."""

from spacy_gfl.languages.base import Spacing
from spacy_gfl.languages.xx import common_language

LANGUAGE = common_language(
    "ca", spacing=Spacing(clitics=r"['’-]\w.*", elided=r"\w+['’]")
)
