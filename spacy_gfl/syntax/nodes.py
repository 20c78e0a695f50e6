"""Trees as the patterns of this room see them."""

from spacy_gfl.query.nodes import Node, tree_nodes
from spacy_gfl.trees.labels import split_label
from spacy_gfl.trees.tree import Constituent, Tree


def rooted_nodes(tree: Tree) -> list[Node]:
    """The nodes of a tree in pre-order: TOP, ROOT, and all else without functions.

    Every sentence stands under ROOT, as in the trees of Stanford's parser, and labels
    such as NP-SBJ lose what follows the hyphen.
    """
    labels = (
        Constituent(split_label(label)[0], start, end)
        for label, start, end in tree.constituents
    )
    root = Constituent("ROOT", 0, len(tree))
    return tree_nodes(Tree(tree.words, tree.tags, (root, *labels)))
