"""Trees that people correct by hand, in a browser, with the parser's help."""
