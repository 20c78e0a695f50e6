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


def option(help: str, *names: str, **settings: Any) -> Any:
    """An option of a command; without names it is called as its parameter."""
    return typer.Option(*names, help=help, **settings)


def choice(help: str, name: str, values: Iterable[str]) -> Any:
    """An option that has one of some values, which are only known at run time."""
    known = "|".join(values)

    def check(value: str) -> str:
        if value not in known.split("|"):
            raise typer.BadParameter(f"{value!r} is none of {known}.")
        return value

    return option(help, name, metavar=known, callback=check)


def format_option(help: str) -> Any:
    """The option that names the format of what is read."""
    names = [row.name for row in FORMATS.values() if row.trees or row.docs or row.texts]
    return choice(help, "--input-format", [AUTO, *names])


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
    str,
    format_option(
        f"{describe_formats()}; auto: by the file's ending; .txt and what has none are "
        "text."
    ),
]
TreeFormat: TypeAlias = Annotated[
    str,
    format_option(
        f"{describe_formats(trees=True)}; auto: by the file's ending, or brackets."
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
    ),
]
_Encoding: TypeAlias = Annotated[
    str, option("The encoding of text, such as utf-16, latin-1 or cp1252.")
]
_TextColumn: TypeAlias = Annotated[
    str, option("The column of a table, CSV or TSV, that has the texts.")
]
BeamWidth: TypeAlias = Annotated[
    int | None, option("Hypotheses per sentence, 1 is greedy. [the pipeline's]", min=1)
]
PrecisionName: TypeAlias = Annotated[
    str | None,
    option(
        "Numbers of fewer bits take half the time on processors that have instructions "
        "for them; some trees come out differently. auto: the processor decides.",
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
        "COLLINS, new; COMMON, ICON or GREYNIR, which are COLLINS with the punctuation "
        "of those trees; or one of EVALB's parameter files."
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


def reads_files(
    formats: Any = TreeFormat,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Let a command say how files are read by options, and take a `Reading`.

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
                    f"There is no encoding {encoding!r}; try cp1252."
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
