"""The default decoder: one action a word."""
