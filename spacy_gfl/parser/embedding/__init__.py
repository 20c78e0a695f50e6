"""Layers that give words vectors, one a module."""
