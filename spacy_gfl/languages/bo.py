"""Tibetan: the common scheme. There is no white space between words."""

from spacy_gfl.languages.base import Spacing
from spacy_gfl.languages.xx import common_language

LANGUAGE = common_language("bo", spacing=Spacing(parts_words=False))
