"""A small trained pipeline that `spacy.load("en_gfl_sm")` finds, as an installed one.

It has the names and components of the pipeline that guides and examples load, and
learns by heart the sentences that they show and a few of tests/data, so that what
the guides promise of a parse can be tested.
"""

from pathlib import Path

from helpers.pipelines import (
    ATTACH_JUXTAPOSE,
    features,
    make_examples,
    make_pipeline,
    train,
)
from helpers.reading import read_tree_file

PACKAGE = "en_gfl_sm"
#: The sentences whose trees guides show as a parser's answer.
SHOWN = (
    "(S (NP (NP (DT The) (NNS keys)) (PP (IN to) (NP (DT the) (NN cabinet))))"
    " (VP (VBP are) (PP (IN on) (NP (DT the) (NN table)))) (. .))",
    "(SBARQ (WHNP (WP Who)) (SQ (VP (VBZ needs) (NP (PRP them)))) (. ?))",
    "(S (NP (DT The) (NN bridge)) (VP (VBD was) (VP (VBN closed)"
    " (PP (IN by) (NP (DT the) (NN council))))) (. .))",
)
#: Trees of tests/data/train.ptb that are learned too: those of few words.
N_TREES, MAX_WORDS = 24, 8


def treebank(data: Path) -> list[str]:
    """The trees that the pipeline learns, in brackets."""
    trees = read_tree_file(data / "train.ptb")
    short = [tree.brackets() for tree in trees if len(tree) <= MAX_WORDS]
    return [*SHOWN, *short[:N_TREES]]


def install(folder: Path, data: Path) -> None:
    """Train the pipeline and lay it out in a folder as pip would.

    Whatever has the folder on its path (PYTHONPATH) can load it by name.
    """
    nlp = make_pipeline(
        features(), architecture=ATTACH_JUXTAPOSE, width=64, tag_loss=1.0
    )
    examples = make_examples(nlp, treebank(data))
    nlp.initialize(lambda: examples)
    train(nlp, examples, steps=120, enough=1.0)
    nlp.meta.update(name="gfl_sm", version="0.1.0")
    package = folder / PACKAGE
    package.mkdir()
    nlp.to_disk(package / "model")
    (package / "__init__.py").write_text(
        "from pathlib import Path\n"
        "from spacy.util import load_model_from_path\n\n\n"
        "def load(**overrides):\n"
        '    path = Path(__file__).parent / "model"\n'
        "    return load_model_from_path(path, **overrides)\n",
        encoding="utf-8",
    )
    info = folder / f"{PACKAGE}-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {PACKAGE}\nVersion: 0.1.0\n", encoding="utf-8"
    )
