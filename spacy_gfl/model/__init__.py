"""A trainable model: thinc around PyTorch."""
