"""What the component needs of its training data before it builds a network."""

from typing import Any, Dict, Iterable, Iterator, List, Optional

from spacy.training import Example

from spacy_gfl.annotation.storage import SPANS_KEY, get_trees
from spacy_gfl.parser.codecs.symbols import SymbolLinearization
from spacy_gfl.trees.tree import Tree

NO_TREES = (
    "The training data have no constituency trees: no Doc has "
    f'doc.spans["{SPANS_KEY}"] with constituents. Convert a treebank with '
    "`spacy-gfl convert` and read it with @readers = "
    '"spacy_gfl.TreebankCorpus.v1". (spacy.Corpus.v1 loses the trees of Docs that '
    "it splits: gold_preproc = true, or max_length.)"
)


def has_trees(example: Example) -> bool:
    """Whether the reference has trees, be they without constituents."""
    return SPANS_KEY in example.reference.spans


def collect_vocabulary(
    examples: Iterable[Example],
    *,
    labels: Optional[Dict[str, Any]] = None,
    added: Iterable[str] = (),
) -> SymbolLinearization:
    """The output vocabulary of the training data.

    examples: Read to their end if there is no label data.
    labels: Label data as `spacy init labels` writes them, instead of the trees.
    added: Further labels, after the others.

    Raises ValueError for anything but label data, and for data without labels.
    """
    if labels is None:
        found = SymbolLinearization.from_trees(gold_trees(examples))
    else:
        found = SymbolLinearization.from_json(labels)
    if not found.labels:
        raise ValueError(NO_TREES if labels is None else "The label data are empty.")
    new: List[str] = [label for label in added if label not in found.labels]
    return SymbolLinearization([*found.labels, *new], found.longest_opening_run)


def gold_trees(examples: Iterable[Example]) -> Iterator[Tree]:
    """The trees of all references that have some."""
    for example in examples:
        if has_trees(example):
            yield from get_trees(example.reference)


def check_readers(config: Dict[str, Any]) -> None:
    """Raise ValueError if a corpus in this config would lose its trees silently.

    `spacy.Corpus.v1` with gold_preproc or max_length splits Docs into sentences,
    and a sentence made into a Doc has no span groups.

    config: A pipeline's config without variables (`Config.interpolate`).
    """
    for name, corpus in (config.get("corpora") or {}).items():
        reader = corpus.get("@readers") if isinstance(corpus, dict) else None
        if reader != "spacy.Corpus.v1":
            continue
        for setting, harmless in (("gold_preproc", "false"), ("max_length", "0")):
            if corpus.get(setting):
                raise ValueError(
                    f"[corpora.{name}] would lose constituency trees: spacy.Corpus.v1 "
                    f"with {setting} = {corpus[setting]} makes new Docs of sentences, "
                    "without their span groups. Use @readers = "
                    '"spacy_gfl.TreebankCorpus.v1", which has max_length too, or set '
                    f"{setting} to {harmless}."
                )
