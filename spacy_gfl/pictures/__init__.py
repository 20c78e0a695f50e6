"""Pictures of trees and of attention: SVG, HTML, PNG and plain text."""

from spacy_gfl.pictures.rendering import render
from spacy_gfl.pictures.server import serve

__all__ = ["render", "serve"]
