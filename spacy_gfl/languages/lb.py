"""Luxembourgish: the common scheme. The article is elided: d'Haus."""

from spacy_gfl.languages.base import Spacing
from spacy_gfl.languages.xx import common_language

LANGUAGE = common_language("lb", spacing=Spacing(elided="d['’]"))
