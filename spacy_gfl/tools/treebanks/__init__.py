"""Treebanks of other formats and schemes: read, repaired, converted."""
