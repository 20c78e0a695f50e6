"""`spacy-gfl parse`: text or treebanks in, trees out."""

import math
import os
import re
import sys
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator
from enum import Enum
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import Annotated, Any, NamedTuple, TypeAlias

import typer
from spacy.language import Language
from spacy.tokens import Doc
from tqdm import tqdm

from spacy_gfl.annotation.storage import SPANS_KEY, get_trees
from spacy_gfl.cli.app import app
from spacy_gfl.cli.cluster import Work, know_files, map_files, require_ray, whole_name
from spacy_gfl.cli.files import STDIN, check_inputs, check_output, errors_said, warn
from spacy_gfl.cli.options import (
    BeamWidth,
    Format,
    GpuId,
    Model,
    PrecisionName,
    Ray,
    load_parser,
    option,
    output_option,
)
from spacy_gfl.data.inputs import (
    BRACKET_SUFFIXES,
    DOCBIN_SUFFIX,
    ENDINGS,
    InputFormat,
    docs_from_lines,
    read_docs,
)
from spacy_gfl.data.shards import fingerprint
from spacy_gfl.formats import WRITERS
from spacy_gfl.formats.conll import doc_to_conll
from spacy_gfl.formats.files import write_text
from spacy_gfl.formats.json_lines import doc_to_json, json_line
from spacy_gfl.pictures.page import picture_file
from spacy_gfl.pipe.parses import RankedTree
from spacy_gfl.pipe.pipelines import (
    DEFAULT_MODEL,
    doc_cleaners,
    get_parser,
    get_parsers,
    use_device,
)
from spacy_gfl.trees.escaping import visible

# Enough for the search to have full batches, and no more than fits everywhere.
BATCH_SIZE = 128
_PATH_LIKE = re.compile(rf"\S*[/{re.escape(os.sep)}]\S*")


class OutputFormat(str, Enum):
    """How trees are written."""

    BRACKETS = "brackets"
    JSON = "json"
    CONLL = "conll"
    TREE = "tree"


_Inputs: TypeAlias = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="INPUT",
        help="Files to parse, - for standard input, or, where there is no such file, "
        "texts: 'We left.'. Standard input without any.",
    ),
]
_Path: TypeAlias = Annotated[
    Path | None,
    output_option(
        "The file to write: .spacy for Docs, .jsonl, .conll, .parquet, .tex, or .ptb "
        "and .txt for brackets; with --format, any name. Without it trees go to "
        "standard output. With --ray, a folder for a file of each input, with an "
        "ending like the folder's (.spacy if it has none)."
    ),
]
_As: TypeAlias = Annotated[
    OutputFormat | None,
    option(
        "brackets: one tree a line. json: one Doc a line, with offsets. conll: "
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
        "there are CPUs, or GPUs with --gpu-id]",
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


@app.command("parse")
@errors_said()
def parse_command(
    inputs: _Inputs = None,
    model: Model = DEFAULT_MODEL,
    output: _Path = None,
    output_format: _As = None,
    input_format: Format = InputFormat.AUTO,
    beam_width: BeamWidth = None,
    n_best: _NBest = None,
    probabilities: _Probabilities = False,
    unconstrained: _Unconstrained = False,
    precision: PrecisionName = None,
    gpu_id: GpuId = -1,
    n_process: _Processes = None,
    batch_size: _BatchSize = None,
    ray: Ray = None,
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
    names = inputs or [STDIN]
    files = [Path(name) for name in names if _is_file(name)]
    check_inputs(files)
    out = _Output(output, output_format)
    out.check(files, is_folder=ray is not None, n_best=n_best)
    load = partial(
        load_parser,
        whole_name(model),
        beam_width=beam_width,
        constrained=False if unconstrained else None,
        probabilities=probabilities or None,
        precision=precision,
    )
    if ray is None:
        _parse(load, names, out, input_format, gpu_id, n_process, batch_size, n_best)
    elif output is None or len(files) < len(names) or output_format or n_best:
        raise ValueError(
            "--ray parses files to a folder: give files and --output, and leave "
            "out --format and --n-best."
        )
    else:
        made_by = [fingerprint(model), load.keywords, input_format]
        _know_parses(files, output, made_by)
        batch = batch_size or BATCH_SIZE
        work = partial(_worker, load, gpu_id, output.resolve(), input_format, batch)
        with tqdm(unit=" sentences", disable=None) as bar:
            for number in map_files(work, files, ray, n_process, gpu_id >= 0):
                bar.update(number)


def _know_parses(files: list[Path], folder: Path, made_by: list[Any]) -> None:
    """Note which file each parse in a folder is of; refuse parses of other files."""
    parses = {_parse_of(file, folder).name: file for file in files}
    if len(parses) < len(files):
        raise ValueError("--ray needs files whose names differ before the dot.")
    require_ray()
    made_of = {name: [fingerprint(file), *made_by] for name, file in parses.items()}
    know_files(folder, made_of)


class _Output(NamedTuple):
    """Where trees are written, standard output if there is no path, and how."""

    path: Path | None
    format: OutputFormat | None = None

    @property
    def suffix(self) -> str:
        return "" if self.path is None else self.path.suffix.lower()

    @property
    def writer(self) -> Callable[..., None] | None:
        """The writer of Docs to a file of this ending; None for plain text."""
        return None if self.format else WRITERS.get(self.suffix)

    def check(self, files: list[Path], *, is_folder: bool, n_best: int | None) -> None:
        """Raise ValueError if it cannot be written, whatever the trees are."""
        is_any = self.format or (is_folder and not self.suffix)
        endings = () if is_any else (*WRITERS, *sorted(BRACKET_SUFFIXES))
        check_output(self.path, inputs=files, endings=endings, is_folder=is_folder)
        if self.format and self.suffix == DOCBIN_SUFFIX:
            raise ValueError(f"{self.path} is to hold Docs; leave out --format.")
        is_other = self.format not in (None, OutputFormat.BRACKETS)
        if n_best is not None and (is_other or self.writer):
            raise ValueError(
                "--n-best prints brackets: leave out --format, or give --format "
                "brackets and another file."
            )

    def write(self, docs: Iterable[Doc]) -> None:
        """Write parsed Docs as they come."""
        if self.writer is not None:
            self.writer(self.path, docs)
        else:
            self.write_texts(_texts(docs, self.format))

    def write_texts(self, texts: Iterable[str]) -> None:
        """Write texts as they come; a file changes only once all are written."""
        if self.path is not None:
            write_text(self.path, texts)
            return
        for text in texts:
            sys.stdout.write(visible(text) if sys.stdout.isatty() else text)
            sys.stdout.flush()


def _parse(
    load: Callable[[], Language],
    names: list[str],
    out: _Output,
    input_format: InputFormat,
    gpu_id: int,
    n_process: int | None,
    batch_size: int | None,
    n_best: int | None,
) -> None:
    """Parse in this process and in processes that it starts."""
    if gpu_id >= 0 and (n_process or 1) > 1:
        raise ValueError("--n-process is for the CPU; leave it out with --gpu-id.")
    use_device(gpu_id)
    nlp = load()
    parser = get_parser(nlp)
    is_typed = STDIN in names and sys.stdin is not None and sys.stdin.isatty()
    parsed = _piped(
        nlp,
        (doc for name in names for doc in _read(nlp, name, input_format)),
        n_process or 1,
        batch_size or (1 if is_typed else BATCH_SIZE),
    )
    # Trees on a terminal show the progress themselves.
    is_shown = any(map(_is_file, names)) and not (
        out.path is None and sys.stdout.isatty()
    )
    flags: Counter[str] = Counter()
    try:
        with tqdm(unit=" sentences", disable=None if is_shown else True) as bar:
            if n_best is None:
                out.write(_count(parsed, flags, bar.update))
            else:
                with nlp.select_pipes(disable=[*get_parsers(nlp), *doc_cleaners(nlp)]):
                    found = (parser.n_best(doc, n_best) for doc in parsed)
                    out.write_texts(_n_best_texts(found, flags, bar.update))
    except Exception:
        # Ctrl+C, which is no Exception, has ended the processes already.
        parsed.close()
        raise
    _report(flags)


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


def _parse_of(file: Path, folder: Path) -> Path:
    return folder / f"{file.stem}{folder.suffix.lower() or DOCBIN_SUFFIX}"


def _worker(
    load: Callable[[], Language],
    gpu_id: int,
    folder: Path,
    input_format: InputFormat,
    batch_size: int,
) -> Work:
    """A function that parses a file into a folder, unless its output is there."""
    # A worker sees no GPU but its own.
    use_device(min(gpu_id, 0))
    nlp = load()
    folder.mkdir(parents=True, exist_ok=True)

    def work(number: int, path: Path) -> Iterator[int]:
        out = _parse_of(path, folder)
        if not out.exists():
            flags: Counter[str] = Counter()
            docs = nlp.pipe(read_docs(nlp, path, input_format), batch_size=batch_size)
            _Output(out).write(_count(docs, flags))
            yield flags.total()

    return work


def _is_file(name: str) -> bool:
    """Whether an input is a file, or can only have been meant for one."""
    has_ending = Path(name).suffix.lower() in ENDINGS and not re.search(r"\s", name)
    is_meant = has_ending or _PATH_LIKE.fullmatch(name) is not None
    return name != STDIN and (is_meant or os.path.exists(name))


def _read(nlp: Language, name: str, input_format: InputFormat) -> Iterator[Doc]:
    if name == STDIN:
        return read_docs(nlp, None, input_format)
    if _is_file(name):
        return read_docs(nlp, Path(name), input_format)
    return docs_from_lines(nlp, name.splitlines(True), input_format, source="the text")


def _n_best_texts(
    docs: Iterable[list[list[RankedTree]]],
    flags: Counter[str],
    progress: Callable[[int], Any],
) -> Iterator[str]:
    for of_doc in docs:
        for ranked in of_doc:
            flags["flat" if math.isnan(ranked[0].log_prob) else "ok"] += 1
            progress(1)
            lines = (f"{one.log_prob:.4f}\t{one.tree.brackets()}\n" for one in ranked)
            if len(ranked[0].tree):
                yield "".join([*lines, "\n"])


def _texts(docs: Iterable[Doc], output_format: OutputFormat | None) -> Iterator[str]:
    """The text of each Doc, brackets where nothing else is asked for."""
    for number, doc in enumerate(docs):
        trees = [tree for tree in get_trees(doc) if len(tree)]
        if output_format is OutputFormat.JSON:
            yield json_line(doc_to_json(doc))
        elif output_format is OutputFormat.CONLL:
            yield doc_to_conll(doc, document=str(number))
        elif not len(doc):
            yield "\n"
        elif output_format is OutputFormat.TREE:
            drawings = (picture_file(tree, ".txt").decode() for tree in trees)
            yield "".join(f"{drawing}\n" for drawing in drawings)
        else:
            yield "".join(f"{tree.brackets()}\n" for tree in trees)


def _count(
    docs: Iterable[Doc],
    flags: Counter[str],
    progress: Callable[[int], Any] = lambda number: None,
) -> Iterator[Doc]:
    for doc in docs:
        found = doc.spans[SPANS_KEY].attrs["flags"]
        flags.update(found)
        progress(len(found))
        yield doc


def _report(flags: Counter[str]) -> None:
    """Say on standard error what the trees themselves do not show."""
    total = flags.total()
    sentences = f"of {total} sentence{'' if total == 1 else 's'}"
    if n_repaired := flags["repaired"]:
        warn(f"{n_repaired} {sentences} had a malformed tree, which was repaired.")
    if n_flat := flags["flat"]:
        meaning = "could not be searched (too long?) and got a flat tree"
        warn(f"{n_flat} {sentences} {meaning}.")
