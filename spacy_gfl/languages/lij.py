"""Ligurian: the common scheme. Articles and prepositions are elided: l'ægua."""

from spacy_gfl.languages.base import Spacing
from spacy_gfl.languages.xx import common_language

LANGUAGE = common_language("lij", spacing=Spacing(elided=r"\w+['’]"))
