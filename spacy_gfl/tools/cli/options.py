"""Options of several commands as annotated types, and pipelines loaded by them."""

import codecs
from collections.abc import Callable, Iterable
from functools import wraps
from inspect import Parameter, signature
from pathlib import Path
from typing import Annotated, Any, TypeAlias, get_args

import typer
from spacy.language import Language

from spacy_gfl.annotation.storage import SPANS_KEY
from spacy_gfl.layers.precision import Precision
from spacy_gfl.pipe.pipelines import (
    get_parser,
    get_parsers,
    load_language,
    load_pipeline,
)
from spacy_gfl.sentences.sentence_rules import end_sentences_with_lines
from spacy_gfl.tools.treebanks.formats import FORMATS, describe_formats
from spacy_gfl.tools.treebanks.formats.reading import AUTO, TEXT_COLUMN, Reading
from spacy_gfl.tools.treebanks.formats.text_files import UTF_8
from spacy_gfl.tools.treebanks.schemes import PENN, SCHEMES, find_scheme

_NAMED = Parameter.KEYWORD_ONLY
#: Headings of the help text, under which a command lists its options.
PIPELINE, INPUT, OUTPUT = "Pipeline", "Input", "Output"
SEARCH, SPEED, CLUSTER = "Search", "Speed", "Cluster"


def option(help: str, *names: str, group: str | None = None, **settings: Any) -> Any:
    """An option of a command; without names it is called as its parameter.

    Args:
        help: What it does.
        *names: Its names, such as "--output" and "-o".
        group: The heading under which the help text of the command lists it.
        **settings: Further arguments of `typer.Option`.
    """
    return typer.Option(*names, help=help, rich_help_panel=group, **settings)


def choice(
    help: str,
    name: str,
    values: Iterable[str],
    *,
    group: str | None = None,
    metavar: str | None = None,
) -> Any:
    """An option that has one of some values, which are only known at run time."""
    known = "|".join(values)

    def check(value: str) -> str:
        if value not in known.split("|"):
            raise typer.BadParameter(f"{value!r} is not one of {known}.")
        return value

    return option(help, name, metavar=metavar or known, callback=check, group=group)


def format_option(help: str) -> Any:
    """The option that names the format of what is read."""
    names = [row.name for row in FORMATS.values() if row.trees or row.docs or row.texts]
    return choice(help, "--input-format", [AUTO, *names], group=INPUT, metavar="FORMAT")


def output_option(help: str) -> Any:
    """The option that names the file to write."""
    return option(help, "--output", "-o", group=OUTPUT)


Model: TypeAlias = Annotated[
    str,
    option(
        "The pipeline that parses: a package or folder with a constituency_parser.",
        "--model",
        "-m",
        group=PIPELINE,
    ),
]
Format: TypeAlias = Annotated[
    str,
    format_option(
        "auto: by the ending of the file; .txt and files without an ending are "
        f"text. {describe_formats()}."
    ),
]
TreeFormat: TypeAlias = Annotated[
    str,
    format_option(
        f"auto: by the ending of the file, or brackets. {describe_formats(trees=True)}."
    ),
]
_SchemeName: TypeAlias = Annotated[
    str,
    choice(
        "How trees in brackets are written: "
        + "; ".join(f"{scheme.name}: {scheme.help}" for scheme in SCHEMES.values())
        + ".",
        "--scheme",
        SCHEMES,
        group=INPUT,
    ),
]
_Encoding: TypeAlias = Annotated[
    str,
    option(
        "The encoding of text files, such as utf-16, latin-1 or cp1252.",
        group=INPUT,
    ),
]
_TextColumn: TypeAlias = Annotated[
    str,
    option(
        "The column of a CSV or TSV table that has the texts.",
        group=INPUT,
    ),
]
BeamWidth: TypeAlias = Annotated[
    int | None,
    option(
        "Hypotheses per sentence; 1 is greedy search. [default: the pipeline's]",
        min=1,
        group=SEARCH,
    ),
]
PrecisionName: TypeAlias = Annotated[
    str | None,
    option(
        "The number format to compute in. bf16 and int8 can halve the time on "
        "processors that have instructions for them, but change some trees. auto "
        "chooses by the processor.",
        metavar="|".join(get_args(Precision)),
        group=SPEED,
    ),
]
GpuId: TypeAlias = Annotated[
    int,
    option(
        "The number of the GPU to use; -1 is the CPU.",
        "--gpu-id",
        "-g",
        group=SPEED,
    ),
]
# Of `evaluate` and `analyse`.
Gold: TypeAlias = Annotated[
    Path, typer.Argument(help="Gold trees: brackets, or Docs (.spacy, .jsonl, .conll).")
]
Predicted: TypeAlias = Annotated[
    Path,
    typer.Argument(help="Predicted trees of the same sentences, in the same order."),
]
Params: TypeAlias = Annotated[
    str,
    option(
        "COLLINS or new; COMMON, ICON or GREYNIR, which are COLLINS with the "
        "punctuation tags of those trees; or a parameter file of EVALB."
    ),
]
GoldTags: TypeAlias = Annotated[
    bool,
    option(
        "Give the predicted brackets the gold tags, which Docs always use. "
        "Without this, a sentence with a wrong tag on a comma cannot be compared.",
        "--gold-tags",
    ),
]
Raw: TypeAlias = Annotated[
    bool, option("Keep root labels (ROOT, S1, none) and words as they are.", "--raw")
]


def reads_files(
    formats: Any = TreeFormat,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options that say how to read files, and a `Reading`.

    In the place of its parameter `reading`, the command line has --input-format (of the
    annotated type `formats`), --scheme and --encoding, and where texts are read
    --text-column.
    """
    options = [
        Parameter("input_format", _NAMED, annotation=formats, default=AUTO),
        Parameter("scheme", _NAMED, annotation=_SchemeName, default=PENN.name),
        Parameter("encoding", _NAMED, annotation=_Encoding, default=UTF_8),
    ]
    if formats is Format:
        options.append(
            Parameter(
                "text_column", _NAMED, annotation=_TextColumn, default=TEXT_COLUMN
            )
        )

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def run(
            input_format: str,
            scheme: str,
            encoding: str,
            text_column: str = TEXT_COLUMN,
            **others: Any,
        ) -> None:
            try:
                codecs.lookup(encoding)
            except LookupError:
                raise ValueError(
                    f"There is no encoding {encoding!r}. Try cp1252."
                ) from None
            found = find_scheme(scheme)
            reading = Reading(input_format, found, encoding, text_column)
            command(reading=reading, **others)

        own = signature(command)
        shown: list[Parameter] = []
        for name, parameter in own.parameters.items():
            shown += options if name == "reading" else [parameter.replace(kind=_NAMED)]
        # What typer reads.
        run.__signature__ = own.replace(parameters=shown)  # type: ignore[attr-defined]
        return run

    return decorate


def load_parser(
    model: str, *, lang: str = "", line_ends: bool = False, **search: Any
) -> Language:
    """Load a pipeline and set how its parsers search; None leaves a setting as it is.

    With `lang`, words are those of this language (`load_language`).

    Trees of the last parser are put where all commands look for them, whatever its
    `spans_key`. With `line_ends`, line ends of text end sentences.

    Raises:
        ValueError: If there is no such pipeline or setting.
    """
    nlp = load_language(lang, model) if lang else load_pipeline(model)
    if line_ends:
        end_sentences_with_lines(nlp)
    get_parser(nlp).spans_key = SPANS_KEY
    given = {name: value for name, value in search.items() if value is not None}
    for parser in get_parsers(nlp).values():
        for name, value in given.items():
            setattr(parser.search, name, value)
    return nlp
