"""The trainable pipe: Docs to a network and back."""
