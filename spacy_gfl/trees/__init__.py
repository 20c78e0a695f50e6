"""Trees as values: neither spaCy nor torch is known here."""
