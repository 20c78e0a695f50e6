"""EVALB's bracket scores, and spaCy's scorer of them."""
