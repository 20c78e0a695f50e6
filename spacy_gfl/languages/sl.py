"""Slovenian: the common scheme. Quotes may point inwards: »so«."""

from spacy_gfl.languages.base import Spacing
from spacy_gfl.languages.xx import common_language

LANGUAGE = common_language("sl", spacing=Spacing(quotes="»«›‹"))
