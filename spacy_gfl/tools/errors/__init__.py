"""An analysis of a parser's errors."""
