"""`spacy-gfl parse`: text or treebanks in, trees out."""

import os
import re
import sys
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import Annotated, TypeAlias

import typer
from spacy.language import Language
from spacy.tokens import Doc

from spacy_gfl.pipe.pipelines import (
    DEFAULT_MODEL,
    MULTILINGUAL_MODEL,
    load_pipeline,
    use_device,
)
from spacy_gfl.sentences.sentence_rules import end_sentences_with_lines
from spacy_gfl.tools.cli.app import GroupedCommand, app
from spacy_gfl.tools.cli.input_files import (
    STDIN,
    check_inputs,
    errors_said,
    is_file_name,
)
from spacy_gfl.tools.cli.on_ray import BY_LINE, RayJob, parse_on_ray, whole_name
from spacy_gfl.tools.cli.options import (
    CLUSTER,
    INPUT,
    OUTPUT,
    PIPELINE,
    SEARCH,
    SPEED,
    BeamWidth,
    Format,
    GpuId,
    PrecisionName,
    load_parser,
    option,
    output_option,
    reads_files,
)
from spacy_gfl.tools.cli.worker_processes import end_with_this_process
from spacy_gfl.tools.cli.written import Output, OutputFormat, write_parsed
from spacy_gfl.tools.treebanks.formats import find_format
from spacy_gfl.tools.treebanks.formats.reading import AUTO, Reading
from spacy_gfl.tools.treebanks.formats.text_files import UTF_8, lines_of
from spacy_gfl.tools.treebanks.inputs import docs_from_lines, read_docs

FUNCTIONS = "constituent_functions"
# Enough for the search to have full batches, and no more than fits everywhere.
BATCH_SIZE = 128
NOT_ON_RAY = (
    "--ray needs input files of one format that has one Doc per line (lines, "
    "tokens or json, in UTF-8), and a folder as --output. It does not work with "
    "--format, --n-best, --dependencies, --sentences or --functions, nor with "
    "--probabilities if --output ends in .parquet."
)
#: A pattern of names that the shell has left as it is, because none matches: *.txt.
_GLOB = re.compile(r"[^\s*\[]*[*\[]\S*\.\w+|\S*[/\\]\S*[*\[]\S*")


_Inputs: TypeAlias = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="INPUT",
        help=(
            "Files to parse, texts such as 'We left.', or - for standard input (the "
            "default). A treebank keeps its words, tags and sentences."
        ),
    ),
]
_Model: TypeAlias = Annotated[
    str | None,
    option(
        "The pipeline that parses: a package or folder with a "
        f"constituency_parser. [default: {DEFAULT_MODEL}; {MULTILINGUAL_MODEL} "
        "with --lang]",
        "--model",
        "-m",
        group=PIPELINE,
    ),
]
_Lang: TypeAlias = Annotated[
    str,
    option(
        "The language of the text, as spaCy's code, for a pipeline of many languages.",
        "--lang",
        group=PIPELINE,
    ),
]
_Path: TypeAlias = Annotated[
    Path | None,
    output_option(
        "The file to write: .spacy for Docs, .jsonl, .conll, .tex, or .ptb and "
        ".txt for brackets. With --format, it may have any name. Without it, "
        "trees go to standard output. With --ray, a new folder, of Parquet files "
        "if its name ends in .parquet, otherwise of JSON lines."
    ),
]
_As: TypeAlias = Annotated[
    OutputFormat | None,
    option(
        "brackets: one tree per line. json: one Doc per line, with offsets. "
        "conll: the columns of CoNLL-2012. tree: drawings. [default: brackets]",
        "--format",
        "-f",
        group=OUTPUT,
    ),
]
_NBest: TypeAlias = Annotated[
    int | None,
    option(
        "Print this many trees per sentence, the most probable first. Each line "
        "has the log-probability, a tab and the tree; a blank line ends the "
        "sentence.",
        min=1,
        group=OUTPUT,
    ),
]
_Probabilities: TypeAlias = Annotated[
    bool,
    option(
        "Write the probability of each constituent (json and .spacy only).",
        "--probabilities",
        group=OUTPUT,
    ),
]
_Unconstrained: TypeAlias = Annotated[
    bool,
    option(
        "Search freely and repair malformed trees, as the paper does. Prints how "
        "many sentences needed a repair.",
        "--unconstrained",
        group=SEARCH,
    ),
]
_Processes: TypeAlias = Annotated[
    int | None,
    option(
        "Worker processes on the CPU, or workers of --ray. [default: 1; with "
        "--ray as many as fit]",
        min=1,
        group=SPEED,
    ),
]
_BatchSize: TypeAlias = Annotated[
    int | None,
    option(
        "Docs to parse at a time. Trees are written after each batch. [default: "
        f"{BATCH_SIZE}; 1 for interactive input]",
        min=1,
        group=SPEED,
    ),
]


_Sentences: TypeAlias = Annotated[
    str | None,
    option(
        "The pipeline that finds words and sentences in text. [default: the "
        "model itself]",
        "--sentences",
        metavar="MODEL",
        group=INPUT,
    ),
]
_LineEnds: TypeAlias = Annotated[
    bool,
    option(
        "End a sentence at every line end.",
        "--line-ends",
        group=INPUT,
    ),
]
_Dependencies: TypeAlias = Annotated[
    bool,
    option(
        "Search for trees that agree with the dependencies in .spacy files, which "
        "`spacy convert` makes from a treebank.",
        "--dependencies",
        group=SEARCH,
    ),
]
_Functions: TypeAlias = Annotated[
    bool,
    option(
        "Write function tags behind labels, in brackets and drawings: NP-SBJ. Needs a "
        "pipeline with constituent_functions.",
        "--functions",
        group=OUTPUT,
    ),
]
_Ray: TypeAlias = Annotated[
    str | None,
    option(
        "Parse on a cluster: distribute the lines of the files to workers of "
        "Ray, on this machine (local) or at an address. Each line is one Doc: "
        "text, tokens or JSON.",
        metavar="local|ADDRESS",
        group=CLUSTER,
    ),
]


@app.command("parse", cls=GroupedCommand)
@errors_said()
@reads_files(Format)
def parse_command(
    inputs: _Inputs = None,
    model: _Model = None,
    lang: _Lang = "",
    output: _Path = None,
    output_format: _As = None,
    *,
    reading: Reading,
    beam_width: BeamWidth = None,
    n_best: _NBest = None,
    probabilities: _Probabilities = False,
    functions: _Functions = False,
    unconstrained: _Unconstrained = False,
    dependencies: _Dependencies = False,
    sentences: _Sentences = None,
    line_ends: _LineEnds = False,
    precision: PrecisionName = None,
    gpu_id: GpuId = -1,
    n_process: _Processes = None,
    batch_size: _BatchSize = None,
    ray: _Ray = None,
) -> None:
    """Parse texts, files or standard input, and print their trees.

    Files may have any size, since parse reads and writes them piece by piece. Only
    the Docs of a .spacy file are in memory all at once.

    To score a pipeline on a treebank, parse the treebank to a .spacy file, and give
    both to `spacy-gfl evaluate`.
    """
    is_silent = sys.stdin is None or sys.stdin.isatty()
    if is_silent and not inputs:
        raise ValueError(
            "Give texts or files to parse, or - to type a text. See --help."
        )
    model = model or (MULTILINGUAL_MODEL if lang else DEFAULT_MODEL)
    names = inputs or [STDIN]
    for name in names:
        if _GLOB.fullmatch(name) and not os.path.exists(name):
            raise ValueError(f"No file matches {name}.")
    files = [Path(name) for name in names if is_file_name(name)]
    check_inputs(files)
    load = partial(
        load_parser,
        model,
        lang=lang,
        beam_width=beam_width,
        constrained=False if unconstrained else None,
        probabilities=probabilities or None,
        dependencies=dependencies or None,
        precision=precision,
        line_ends=line_ends,
    )
    if ray is not None:
        kind = _format_of_lines(names, reading.format)
        others = (output_format, n_best, dependencies, sentences, functions)
        if (
            output is None
            or kind is None
            or len(files) < len(names)
            or any(others)
            or reading.encoding != UTF_8
        ):
            raise ValueError(NOT_ON_RAY)
        batch = batch_size or BATCH_SIZE
        job = RayJob(files, output, ray, kind, batch, n_process, gpu_id)
        if probabilities and job.is_table:
            raise ValueError(NOT_ON_RAY)
        parse_on_ray(partial(load_parser, whole_name(model), **load.keywords), job)
        return
    out = Output(output, output_format, n_best, functions)
    out.check(files)
    if probabilities and not out.has_probabilities:
        raise ValueError(
            "--probabilities can only be written as JSON or to .spacy: add "
            "--format json, or an --output with such an ending."
        )
    if gpu_id >= 0 and (n_process or 1) > 1:
        raise ValueError(
            "--n-process works on the CPU only: leave it out, or leave out --gpu-id."
        )
    use_device(gpu_id)
    nlp = load()
    if functions and FUNCTIONS not in nlp.pipe_factories.values():
        raise ValueError(
            f"--functions needs a pipeline with {FUNCTIONS}; the pipeline {model} has "
            f"{', '.join(nlp.pipe_names)}."
        )
    docs: Iterable[Doc]
    if sentences is None:
        docs = (doc for name in names for doc in _read(nlp, name, reading))
    else:
        splitter = load_pipeline(sentences, need_parser=False)
        if line_ends:
            end_sentences_with_lines(splitter)
        docs = _split(nlp, splitter, names, reading)
    if dependencies:
        docs = map(_with_dependencies, docs)
    is_typed = STDIN in names and sys.stdin is not None and sys.stdin.isatty()
    batch = batch_size or (1 if is_typed else BATCH_SIZE)
    parsed = _piped(nlp, docs, n_process or 1, batch)
    try:
        write_parsed(nlp, parsed, out, is_shown=bool(files))
    except Exception:
        # Ctrl+C, which is no Exception, has ended the processes already.
        parsed.close()
        raise


def _format_of_lines(names: list[str], input_format: str) -> str | None:
    """What each line is in files whose lines are Docs, all of one format."""
    formats = {_format(name, input_format) for name in names}
    if formats == {"text"} and input_format == AUTO:
        formats = {"lines"}
    return formats.pop() if len(formats) == 1 and formats <= {*BY_LINE} else None


def _split(
    nlp: Language, splitter: Language, names: list[str], reading: Reading
) -> Iterator[Doc]:
    """Docs of a pipeline with the words and sentences that another one finds."""
    kinds = {_format(name, reading.format) for name in names}
    if not kinds <= {"text", "lines"}:
        raise ValueError(
            "--sentences works for text only: treebanks keep their own sentences."
        )
    docs = (doc for name in names for doc in _read(splitter, name, reading))
    for doc in splitter.pipe(docs, batch_size=BATCH_SIZE):
        yield Doc(
            nlp.vocab,
            words=[token.text for token in doc],
            spaces=[bool(token.whitespace_) for token in doc],
            sent_starts=[bool(token.is_sent_start) for token in doc],
        )


def _with_dependencies(doc: Doc) -> Doc:
    if not doc.has_annotation("DEP"):
        raise ValueError(
            "--dependencies needs Docs with dependencies, but there is one without "
            "any. Make the .spacy file with `spacy convert`."
        )
    return doc


def _piped(
    nlp: Language, docs: Iterable[Doc], n_process: int, batch_size: int
) -> Generator[Doc, None, None]:
    """Docs through a pipeline, whose processes end on an error before or after them.

    A process of spaCy whose Docs nobody reads waits for ever, so all are read.
    """
    errors: list[Exception] = []
    is_wanted = True

    def given() -> Iterator[Doc]:
        try:
            yield from takewhile(lambda _: is_wanted, docs)
        except Exception as error:
            errors.append(error)

    if n_process > 1:
        end_with_this_process(nlp)
    parsed = nlp.pipe(given(), n_process=n_process, batch_size=batch_size)
    try:
        for doc in parsed:
            yield doc
    except (Exception, GeneratorExit):
        is_wanted = False
        if n_process > 1:
            deque(parsed, maxlen=0)
        raise
    if errors:
        raise errors[0]


def _format(name: str, input_format: str) -> str:
    """The format of an input, which "auto" leaves to its ending."""
    return find_format(Path(name) if is_file_name(name) else None, input_format).name


def _read(nlp: Language, name: str, reading: Reading) -> Iterator[Doc]:
    if name == STDIN:
        return read_docs(nlp, None, reading)
    if is_file_name(name):
        return read_docs(nlp, Path(name), reading)
    return docs_from_lines(nlp, lines_of(name), reading)
