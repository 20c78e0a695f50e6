"""The default decoder: one action per word."""
