"""Treebanks as corpora: files in, Docs out."""
