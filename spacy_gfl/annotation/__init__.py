"""Trees on Docs."""
