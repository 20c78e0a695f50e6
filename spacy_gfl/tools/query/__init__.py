"""Tree patterns on Docs."""
