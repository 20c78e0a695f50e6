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
from spacy_gfl.tools.cli.app import app
from spacy_gfl.tools.cli.input_files import STDIN, check_inputs, errors_said
from spacy_gfl.tools.cli.on_ray import BY_LINE, RayJob, parse_on_ray, whole_name
from spacy_gfl.tools.cli.options import (
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
from spacy_gfl.tools.treebanks.formats import ENDINGS, ending_of, find_format
from spacy_gfl.tools.treebanks.formats.reading import AUTO, Reading
from spacy_gfl.tools.treebanks.formats.text_files import UTF_8, lines_of
from spacy_gfl.tools.treebanks.inputs import docs_from_lines, read_docs

FUNCTIONS = "constituent_functions"
# Enough for the search to have full batches, and no more than fits everywhere.
BATCH_SIZE = 128
NOT_ON_RAY = (
    "--ray parses files of one format that have a Doc per line (lines, tokens or json, "
    "in UTF-8) to an --output folder, without --format, --n-best, --dependencies, "
    "--sentences and --functions, and with --probabilities if --output does not end in "
    ".parquet."
)
#: A pattern of names that the shell has left as it is, because none matches: *.txt.
_GLOB = re.compile(r"[^\s*\[]*[*\[]\S*\.\w+|\S*[/\\]\S*[*\[]\S*")
_PATH_LIKE = re.compile(rf"\S*[/{re.escape(os.sep)}]\S*")


_Inputs: TypeAlias = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="INPUT",
        help="Files to parse, - for standard input, or, where there is no such file, "
        "texts: 'We left.'. Standard input without any. Of treebanks words, tags and "
        "sentences are kept.",
    ),
]
_Model: TypeAlias = Annotated[
    str | None,
    option(
        "A pipeline with a constituency_parser: package or folder. "
        f"[{DEFAULT_MODEL}; with --lang {MULTILINGUAL_MODEL}]",
        "--model",
        "-m",
    ),
]
_Lang: TypeAlias = Annotated[
    str,
    option(
        "spaCy's code of the text's language, for a pipeline of many languages.",
        "--lang",
    ),
]
_Path: TypeAlias = Annotated[
    Path | None,
    output_option(
        "The file to write: .spacy for Docs, .jsonl, .conll, .tex, or .ptb and .txt "
        "for brackets; with --format, any name. Without it trees go to standard "
        "output. With --ray, a new folder: of Parquet if its name ends in .parquet, "
        "else of JSON lines."
    ),
]
_As: TypeAlias = Annotated[
    OutputFormat | None,
    option(
        "brackets: one tree per line. json: one Doc per line, with offsets. conll: "
        "CoNLL-2012's columns. tree: drawings. [brackets]",
        "--format",
        "-f",
    ),
]
_NBest: TypeAlias = Annotated[
    int | None,
    option(
        "Print so many trees of each sentence, the most probable first, each after its "
        "log-probability and a tab, and a blank line after each sentence.",
        min=1,
    ),
]
_Probabilities: TypeAlias = Annotated[
    bool,
    option(
        "Say how probable each constituent is, in json and .spacy.", "--probabilities"
    ),
]
_Unconstrained: TypeAlias = Annotated[
    bool,
    option(
        "Search freely and repair what is no tree, as the paper does; says how many "
        "sentences that were.",
        "--unconstrained",
    ),
]
_Processes: TypeAlias = Annotated[
    int | None,
    option(
        "Worker processes, on the CPU; with --ray, workers. [1; with --ray as many as "
        "there is room for]",
        min=1,
    ),
]
_BatchSize: TypeAlias = Annotated[
    int | None,
    option(
        "Docs parsed at a time; trees are written when those of a batch are there. "
        f"[{BATCH_SIZE}; 1 where one types]",
        min=1,
    ),
]


_Sentences: TypeAlias = Annotated[
    str | None,
    option(
        "The pipeline that finds words and sentences of text. [the model itself]",
        "--sentences",
        metavar="MODEL",
    ),
]
_LineEnds: TypeAlias = Annotated[
    bool,
    option("A line end ends a sentence, whatever the text.", "--line-ends"),
]
_Dependencies: TypeAlias = Annotated[
    bool,
    option(
        "Let trees agree with the dependencies of the Docs (.spacy), as `spacy "
        "convert` reads them of a treebank.",
        "--dependencies",
    ),
]
_Functions: TypeAlias = Annotated[
    bool,
    option(
        "Write function tags behind labels, in brackets and drawings: NP-SBJ. Needs a "
        "pipeline with constituent_functions.",
        "--functions",
    ),
]
_Ray: TypeAlias = Annotated[
    str | None,
    option(
        "Give the lines of the files to workers of Ray, on this machine or on a "
        "cluster. Each line is a Doc: of text, tokens or JSON.",
        metavar="local|ADDRESS",
    ),
]


@app.command("parse")
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

    Files are read and trees are written bit by bit, whatever their size; only the
    Docs of a .spacy file are all in memory.

    To score a pipeline on a treebank: parse the treebank to a .spacy file, then
    `spacy-gfl evaluate` the two.
    """
    is_silent = sys.stdin is None or sys.stdin.isatty()
    if is_silent and not inputs:
        raise ValueError(
            "Give texts or files to parse, or - to parse what you type; --help "
            "tells the rest."
        )
    model = model or (MULTILINGUAL_MODEL if lang else DEFAULT_MODEL)
    names = inputs or [STDIN]
    for name in names:
        if _GLOB.fullmatch(name) and not os.path.exists(name):
            raise ValueError(f"No file matches {name}.")
    files = [Path(name) for name in names if _is_file(name)]
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
            "--probabilities are written as JSON and to .spacy: give --format json or "
            "such an --output."
        )
    if gpu_id >= 0 and (n_process or 1) > 1:
        raise ValueError("--n-process is for the CPU; leave it out with --gpu-id.")
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
    found = {_format(name, input_format) for name in names}
    if found == {"text"} and input_format == AUTO:
        found = {"lines"}
    return found.pop() if len(found) == 1 and found <= {*BY_LINE} else None


def _split(
    nlp: Language, splitter: Language, names: list[str], reading: Reading
) -> Iterator[Doc]:
    """Docs of a pipeline with the words and sentences that another one finds."""
    kinds = {_format(name, reading.format) for name in names}
    if not kinds <= {"text", "lines"}:
        raise ValueError("--sentences is for text: treebanks keep their sentences.")
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
        raise ValueError("There is a Doc without dependencies to agree with.")
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


def _is_file(name: str) -> bool:
    """Whether an input is a file, or can only have been meant for one."""
    has_ending = ending_of(Path(name)) in ENDINGS and not re.search(r"\s", name)
    is_meant = has_ending or _PATH_LIKE.fullmatch(name) is not None
    return name != STDIN and (is_meant or os.path.exists(name))


def _format(name: str, input_format: str) -> str:
    """The format of an input, which "auto" leaves to its ending."""
    return find_format(Path(name) if _is_file(name) else None, input_format).name


def _read(nlp: Language, name: str, reading: Reading) -> Iterator[Doc]:
    if name == STDIN:
        return read_docs(nlp, None, reading)
    if _is_file(name):
        return read_docs(nlp, Path(name), reading)
    return docs_from_lines(nlp, lines_of(name), reading)
