"""Layers of PyTorch that know no tree."""
