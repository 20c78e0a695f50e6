"""Layers from Docs to word vectors."""
