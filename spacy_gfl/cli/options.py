"""Options of several commands as annotated types, and pipelines loaded by them."""

from pathlib import Path
from typing import Annotated, Any, TypeAlias, get_args

import typer
from spacy.language import Language

from spacy_gfl.annotation.storage import SPANS_KEY
from spacy_gfl.data.inputs import InputFormat
from spacy_gfl.layers.products import Precision
from spacy_gfl.pipe.pipelines import get_parser, get_parsers, load_pipeline


def option(help: str, *names: str, **settings: Any) -> Any:
    """An option of a command; without names it is called as its parameter."""
    return typer.Option(*names, help=help, **settings)


def output_option(help: str) -> Any:
    """The option that names the file to write."""
    return option(help, "--output", "-o")


Model: TypeAlias = Annotated[
    str,
    option(
        "A pipeline with a constituency_parser: package or folder.", "--model", "-m"
    ),
]
Format: TypeAlias = Annotated[
    InputFormat,
    option(
        "text: the pipeline finds words and sentences; a blank line ends a Doc. lines: "
        "every line does. tokens: one sentence a line, words parted by spaces. "
        "brackets, spacy, json, conll: a treebank, whose words, tags and sentences are "
        "kept and whose trees are not looked at. auto: by the file's ending; .txt, "
        "standard input and texts are text."
    ),
]
BeamWidth: TypeAlias = Annotated[
    int | None, option("Hypotheses a sentence, 1 is greedy. [the pipeline's]", min=1)
]
PrecisionName: TypeAlias = Annotated[
    str | None,
    option(
        "bf16 takes half the time on processors that have instructions for it; some "
        "trees come out differently. auto: bf16 where it is faster.",
        metavar="|".join(get_args(Precision)),
    ),
]
GpuId: TypeAlias = Annotated[int, option("GPU to use; -1: the CPU.", "--gpu-id", "-g")]
# Of `evaluate` and `analyse`.
Gold: TypeAlias = Annotated[
    Path, typer.Argument(help="Gold trees: brackets, or Docs (.spacy, .jsonl, .conll).")
]
Predicted: TypeAlias = Annotated[
    Path, typer.Argument(help="Predicted trees of the same sentences, in their order.")
]
Params: TypeAlias = Annotated[
    str,
    option(
        "COLLINS, new; ICON or GREYNIR, which are COLLINS with the punctuation of "
        "those treebanks; or one of EVALB's parameter files."
    ),
]
GoldTags: TypeAlias = Annotated[
    bool,
    option(
        "Put the gold tags into predicted brackets first; Docs always have them. A "
        "wrong tag on a comma makes a sentence an error, and XX on all punctuation "
        "nearly all of them.",
        "--gold-tags",
    ),
]
Raw: TypeAlias = Annotated[
    bool, option("Leave root labels (ROOT, S1, none) and words as they are.", "--raw")
]


def load_parser(model: str, **search: Any) -> Language:
    """Load a pipeline and set how its parsers search; None leaves a setting as it is.

    Trees of the last parser are put where all commands look for them, whatever its
    `spans_key`.

    Raises:
        ValueError: If there is no such pipeline or setting.
    """
    nlp = load_pipeline(model)
    get_parser(nlp).spans_key = SPANS_KEY
    given = {name: value for name, value in search.items() if value is not None}
    for parser in get_parsers(nlp).values():
        for name, value in given.items():
            setattr(parser.search, name, value)
    return nlp
