"""The parser that reads from left to right and predicts each next word."""
