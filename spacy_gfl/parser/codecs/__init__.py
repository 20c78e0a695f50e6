"""Trees as what a decoder writes, and back."""
