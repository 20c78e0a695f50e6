"""A pretrained transformer as the layer of word vectors."""
