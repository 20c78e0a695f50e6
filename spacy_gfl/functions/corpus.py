"""Treebanks with function tags as a corpus to train and evaluate on."""

from collections.abc import Iterator
from pathlib import Path

from spacy.language import Language
from spacy.training import Example

from spacy_gfl.annotation.building import set_trees
from spacy_gfl.annotation.storage import get_trees
from spacy_gfl.data.corpus import TreebankCorpus
from spacy_gfl.trees.labels import split_label
from spacy_gfl.trees.tree import Tree


class FunctionCorpus:
    """Examples whose gold trees have function tags in their labels.

    It is registered as the reader `spacy_gfl.FunctionCorpus.v1`.

    Args:
        path: A treebank. A .spacy file must have function tags from `spacy-gfl convert
            --keep-functions` or `constituent_functions`.
        gold_trees: Give predicted Docs gold tags, and gold trees without function tags.
            Set false for a pipeline with a parser.
        limit: Read only this many Docs of each path; 0 reads all.
        paths: Several files or folders instead, by names of your own.
        weights: How often an epoch has each of `paths`, by the same names.
    """

    def __init__(
        self,
        path: str | Path | None = None,
        *,
        gold_trees: bool = True,
        limit: int = 0,
        paths: dict[str, str | Path | None] | None = None,
        weights: dict[str, float] | None = None,
    ) -> None:
        self.gold_trees = gold_trees
        self._corpus = TreebankCorpus(
            path,
            paths=paths,
            weights=weights,
            limit=limit,
            gold_sents=True,
            gold_tags=gold_trees,
            keep_functions=True,
        )

    def __call__(self, nlp: Language) -> Iterator[Example]:
        """Read the Examples for a pipeline."""
        for example in self._corpus(nlp):
            trees = get_trees(example.reference, functions=True)
            if any(span.kb_id for span in example.reference.spans["constituents"]):
                set_trees(example.reference, trees)
            if self.gold_trees:
                set_trees(example.predicted, list(map(without_functions, trees)))
            yield example


def without_functions(tree: Tree) -> Tree:
    """The tree without function tags and indices in its labels."""
    nodes = [
        node._replace(label=split_label(node.label)[0]) for node in tree.constituents
    ]
    return Tree(tree.words, tree.tags, tuple(nodes))
