"""The component `constituency_parser`, as spaCy's own are written."""
