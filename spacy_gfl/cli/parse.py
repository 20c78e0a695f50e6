"""`spacy-gfl parse`: text or treebanks in, trees out."""

import math
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from spacy.language import Language
from spacy.tokens import Doc
from tqdm import tqdm

from spacy_gfl.annotation.storage import get_trees
from spacy_gfl.cli.app import app
from spacy_gfl.cli.cluster import (
    RayAddress,
    Work,
    know_files,
    map_files,
    whole_name,
)
from spacy_gfl.cli.files import STDIN, check_input, check_output, errors_said, warn
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
from spacy_gfl.parser.parses import RankedTree
from spacy_gfl.parser.pipelines import (
    DEFAULT_MODEL,
    get_parser,
    get_parsers,
    load_pipeline,
    use_device,
)
from spacy_gfl.pictures.page import picture_file

# Enough for the search to have full batches, and no more than fits everywhere.
BATCH_SIZE = 128
_PATH_LIKE = re.compile(rf"\S*[/{re.escape(os.sep)}]\S*")


class OutputFormat(str, Enum):
    """How trees are written."""

    BRACKETS = "brackets"
    JSON = "json"
    CONLL = "conll"
    TREE = "tree"


@app.command("parse")
def parse_command(
    inputs: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="INPUT",
            help="Files to parse, - for standard input, or, where there is no such "
            "file, texts: 'We left.'. Standard input without any.",
        ),
    ] = None,
    model: Annotated[
        str,
        typer.Option(
            "--model",
            "-m",
            help="A pipeline with a constituency_parser: package or folder.",
        ),
    ] = DEFAULT_MODEL,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="The file to write: .spacy for Docs, .jsonl, .conll, .parquet, "
            ".tex, or .ptb and .txt for brackets; with --format, any name. Without it "
            "trees go to standard output. With --ray, a folder for a file of each "
            "input, with an ending like the folder's (.spacy if it has none).",
        ),
    ] = None,
    output_format: Annotated[
        OutputFormat | None,
        typer.Option(
            "--format",
            "-f",
            help="brackets: one tree a line. json: one Doc a line, with offsets. "
            "conll: CoNLL-2012's columns. tree: drawings. [brackets]",
        ),
    ] = None,
    input_format: Annotated[
        InputFormat,
        typer.Option(
            "--input-format",
            help="text: the pipeline finds words and sentences; a blank line ends a "
            "Doc. lines: every line does. tokens: one sentence a line, words parted by "
            "spaces. brackets, spacy, json, conll: a treebank, whose words, tags and "
            "sentences are kept and whose trees are not looked at. auto: by the file's "
            "ending; .txt, standard input and texts are text.",
        ),
    ] = InputFormat.AUTO,
    beam_width: Annotated[
        int | None,
        typer.Option(
            min=1, help="Hypotheses a sentence, 1 is greedy. [the pipeline's]"
        ),
    ] = None,
    n_best: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Print so many trees of each sentence, the most probable first, each "
            "after its log-probability and a tab, and a blank line after each "
            "sentence.",
        ),
    ] = None,
    probabilities: Annotated[
        bool,
        typer.Option(
            "--probabilities",
            help="Say how probable each constituent is, in json and .spacy.",
        ),
    ] = False,
    unconstrained: Annotated[
        bool,
        typer.Option(
            "--unconstrained",
            help="Search freely and repair what is no tree, as the paper does; says "
            "how many sentences that were.",
        ),
    ] = False,
    gpu_id: Annotated[
        int, typer.Option("--gpu-id", "-g", help="GPU to use; -1: the CPU.")
    ] = -1,
    n_process: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Worker processes, on the CPU; with --ray, workers. [1; with --ray as "
            "many as there are CPUs, or GPUs with --gpu-id]",
        ),
    ] = None,
    batch_size: Annotated[
        int | None,
        typer.Option(
            min=1,
            help="Docs parsed at a time; trees are written when those of a batch are "
            f"there. [{BATCH_SIZE}; 1 where one types]",
        ),
    ] = None,
    ray: RayAddress = None,
) -> None:
    """Parse texts, files or standard input, and print their trees.

    Files are read and trees are written bit by bit, whatever their size; only the
    Docs of a .spacy file are all in memory.

    To score a pipeline on a treebank: parse the treebank to a .spacy file, then
    `spacy-gfl evaluate` the two.
    """
    with errors_said():
        if not inputs and sys.stdin.isatty():
            raise ValueError(
                "Give texts or files to parse, or - to parse what you type; --help "
                "tells the rest."
            )
        names = inputs or [STDIN]
        files = [Path(name) for name in names if _is_file(name)]
        for file in files:
            check_input(file)
        if ray is None:
            endings = () if output_format else (*WRITERS, *sorted(BRACKET_SUFFIXES))
            check_output(output, inputs=files, endings=endings)
        suffix = "" if output is None else output.suffix.lower()
        if suffix == DOCBIN_SUFFIX and output_format is not None:
            raise ValueError(f"{output} is to hold Docs; leave out --format.")
        is_other = output_format not in (None, OutputFormat.BRACKETS)
        if n_best is not None and (is_other or _writer(output, output_format)):
            raise ValueError(
                "--n-best prints brackets: leave out --format, or give --format "
                "brackets and another file."
            )
        load = partial(
            _load, whole_name(model), beam_width, unconstrained, probabilities
        )
        if ray is not None:
            if output is None or len(files) < len(names) or output_format or n_best:
                raise ValueError(
                    "--ray parses files to a folder: give files and --output, and "
                    "leave out --format and --n-best."
                )
            if len({file.stem for file in files}) < len(files):
                raise ValueError("--ray needs files whose names differ before the dot.")
            how = [beam_width, unconstrained, probabilities, input_format]
            made_by = [fingerprint(model), *how]
            made_of = {
                f"{file.stem}{suffix or DOCBIN_SUFFIX}": [fingerprint(file), *made_by]
                for file in files
            }
            know_files(output, made_of)
            batch = batch_size or BATCH_SIZE
            work = partial(_worker, load, gpu_id, output.resolve(), input_format, batch)
            with tqdm(unit=" sentences", disable=None) as bar:
                for number in map_files(work, files, ray, n_process, gpu_id >= 0):
                    bar.update(number)
            return
        if gpu_id >= 0 and (n_process or 1) > 1:
            raise ValueError("--n-process is for the CPU; leave it out with --gpu-id.")
        use_device(gpu_id)
        nlp = load()
        parser = get_parser(nlp)
        key = parser.spans_key
        is_typed = STDIN in names and sys.stdin.isatty()
        parsed = nlp.pipe(
            (doc for name in names for doc in _read(nlp, name, input_format)),
            n_process=n_process or 1,
            batch_size=batch_size or (1 if is_typed else BATCH_SIZE),
        )
        # Trees on a terminal show the progress themselves.
        is_shown = files and (output is not None or not sys.stdout.isatty())
        flags: Counter[str] = Counter()
        with tqdm(unit=" sentences", disable=None if is_shown else True) as bar:
            if n_best is None:
                _write(_count(parsed, key, flags, bar), key, output, output_format)
            else:
                with nlp.select_pipes(disable=[*get_parsers(nlp)]):
                    found = (parser.n_best(doc, n_best) for doc in parsed)
                    _write_texts(_n_best_texts(found, flags, bar), output)
        _report(flags)


def _load(
    model: str, beam_width: int | None, unconstrained: bool, probabilities: bool
) -> Language:
    """Load a pipeline whose parsers search as the options say."""
    nlp = load_pipeline(model)
    for parser in get_parsers(nlp).values():
        if beam_width is not None:
            parser.search.beam_width = beam_width
        if unconstrained:
            parser.search.constrained = False
        if probabilities:
            parser.search.probabilities = True
    return nlp


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
    parser = get_parser(nlp)
    folder.mkdir(parents=True, exist_ok=True)

    def work(number: int, path: Path) -> Iterator[int]:
        written = folder / f"{path.stem}{folder.suffix.lower() or DOCBIN_SUFFIX}"
        if not written.exists():
            docs, flags = read_docs(nlp, path, input_format), Counter[str]()
            with tqdm(disable=True) as bar:
                parsed = nlp.pipe(docs, batch_size=batch_size)
                found = _count(parsed, parser.spans_key, flags, bar)
                _write(found, parser.spans_key, written, None)
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


def _writer(
    output: Path | None, output_format: OutputFormat | None
) -> Callable[..., None] | None:
    """The function that writes Docs to a file of this ending; None for plain text."""
    if output is None or output_format is not None:
        return None
    return WRITERS.get(output.suffix.lower())


def _write(
    docs: Iterable[Doc],
    key: str,
    output: Path | None,
    output_format: OutputFormat | None,
) -> None:
    """Write parsed Docs as they come."""
    if output is not None and (writer := _writer(output, output_format)):
        writer(output, docs, key=key)
    else:
        _write_texts(_texts(docs, key, output_format), output)


def _write_texts(texts: Iterable[str], output: Path | None) -> None:
    """Write texts as they come; a file changes only once all are written."""
    if output is not None:
        write_text(output, texts)
        return
    for text in texts:
        sys.stdout.write(text)
        sys.stdout.flush()


def _n_best_texts(
    docs: Iterable[list[list[RankedTree]]], flags: Counter[str], bar: tqdm
) -> Iterator[str]:
    for of_doc in docs:
        for ranked in of_doc:
            flags["flat" if math.isnan(ranked[0].log_prob) else "ok"] += 1
            bar.update()
            lines = (f"{one.log_prob:.4f}\t{one.tree.brackets()}\n" for one in ranked)
            if len(ranked[0].tree):
                yield "".join([*lines, "\n"])


def _texts(
    docs: Iterable[Doc], key: str, output_format: OutputFormat | None
) -> Iterator[str]:
    """The text of each Doc, brackets where nothing else is asked for."""
    for number, doc in enumerate(docs):
        trees = [tree for tree in get_trees(doc, key=key) if len(tree)]
        if output_format is OutputFormat.JSON:
            yield json_line(doc_to_json(doc, key=key))
        elif output_format is OutputFormat.CONLL:
            yield doc_to_conll(doc, document=str(number), key=key)
        elif not len(doc):
            yield "\n"
        elif output_format is OutputFormat.TREE:
            drawings = (picture_file(tree, ".txt").decode() for tree in trees)
            yield "".join(f"{drawing}\n" for drawing in drawings)
        else:
            yield "".join(f"{tree.brackets()}\n" for tree in trees)


def _count(
    docs: Iterable[Doc], key: str, flags: Counter[str], bar: tqdm
) -> Iterator[Doc]:
    for doc in docs:
        found = doc.spans[key].attrs["flags"]
        flags.update(found)
        bar.update(len(found))
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
