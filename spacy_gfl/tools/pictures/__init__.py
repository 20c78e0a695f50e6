"""Pictures of trees and of attention: SVG, HTML, PNG and plain text."""

from spacy_gfl.tools.pictures.page import render

__all__ = ["render"]
