"""PyTorch modules; they know tensors and nothing of spaCy."""
