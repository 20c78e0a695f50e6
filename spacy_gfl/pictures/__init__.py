"""Pictures of trees and of attention: SVG, HTML, PNG and plain text."""

from spacy_gfl.pictures.page import render

__all__ = ["render"]
