"""`spacy-gfl parse`: text or treebanks in, one bracketed tree a line out."""

import os
import sys
from pathlib import Path
from typing import Annotated, Iterable, Iterator, List, Optional, TextIO

import spacy
import typer
from spacy.language import Language
from spacy.tokens import Doc, DocBin
from tqdm import tqdm

from spacy_gfl.annotation.storage import SPANS_KEY, get_trees
from spacy_gfl.cli.app import app
from spacy_gfl.cli.errors import explain
from spacy_gfl.data.inputs import InputFormat, read_docs, text_docs
from spacy_gfl.data.splits import DOCBIN_SUFFIX

FACTORY = "constituency_parser"
STDIN = "-"

_Model = Annotated[
    str,
    typer.Argument(help="A pipeline with a constituency_parser: package or folder."),
]
_Inputs = Annotated[
    Optional[List[str]],
    typer.Argument(
        metavar="[FILES]", help="Files to parse; - or none for standard input."
    ),
]
_Texts = Annotated[
    Optional[List[str]],
    typer.Option("--text", help="Parse this text instead of files. Repeatable."),
]
_Output = Annotated[
    Optional[Path],
    typer.Option(
        "--output",
        "-o",
        help="The file to write: .spacy for Docs, any other name for one tree a line. "
        "Without it trees go to standard output.",
    ),
]
_Format = Annotated[
    InputFormat,
    typer.Option(
        "--input-format",
        help="text: the pipeline finds words and sentences. tokens: one sentence a "
        "line, words parted by spaces. brackets, spacy: a treebank, whose words, tags "
        "and sentences are kept and whose trees are not looked at. auto: by the "
        "file's ending, .txt and standard input being text.",
    ),
]
_BeamWidth = Annotated[
    Optional[int],
    typer.Option(min=1, help="Hypotheses a sentence, 1 is greedy. [the pipeline's]"),
]
_Unconstrained = Annotated[
    bool,
    typer.Option(
        "--unconstrained",
        help="Search freely and repair what is no tree, as the paper does; says how "
        "many sentences that were.",
    ),
]
_GpuId = Annotated[int, typer.Option("--gpu-id", "-g", help="GPU to use; -1: the CPU.")]
_NProcess = Annotated[int, typer.Option(min=1, help="Worker processes, on the CPU.")]
_BatchSize = Annotated[
    Optional[int],
    typer.Option(min=1, help="Docs parsed at a time. [the pipeline's]"),
]


@app.command("parse", no_args_is_help=True)
def parse_command(
    model: _Model,
    inputs: _Inputs = None,
    texts: _Texts = None,
    output: _Output = None,
    input_format: _Format = InputFormat.AUTO,
    beam_width: _BeamWidth = None,
    unconstrained: _Unconstrained = False,
    gpu_id: _GpuId = -1,
    n_process: _NProcess = 1,
    batch_size: _BatchSize = None,
) -> None:
    """Parse text, and print one tree a line in brackets.

    To score a pipeline on a treebank: parse the treebank to a .spacy file, then
    `spacy-gfl evaluate` the two.
    """
    try:
        paths = _paths(inputs or [], texts or [], output)
        _use_device(gpu_id, n_process)
        nlp = load_parser(model)
        _set_search(nlp, beam_width, unconstrained)
        if texts:
            docs: Iterable[Doc] = text_docs(nlp, "\n\n\n".join(texts).splitlines(True))
        else:
            docs = (doc for path in paths for doc in read_docs(nlp, path, input_format))
        parsed = nlp.pipe(docs, n_process=n_process, batch_size=batch_size)
        _write(parsed, output)
    except BrokenPipeError:
        # Whoever reads the trees has had enough of them, as `head` has.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(1) from None
    except (OSError, ValueError) as error:
        typer.secho(f"Error: {explain(error)}", fg="red", err=True)
        raise typer.Exit(1) from None


def load_parser(model: str) -> Language:
    """Load a pipeline that has a constituency parser.

    Raises ValueError if there is none by that name, or it has no such component.
    """
    try:
        nlp = spacy.load(model)
    except OSError as error:
        if Path(model).is_dir():
            raise ValueError(f"{model} is not a pipeline's folder: {error}") from None
        raise ValueError(
            f"There is no pipeline {model}: neither an installed package nor a folder."
        ) from None
    if not _parsers(nlp):
        raise ValueError(
            f"The pipeline {model} has no {FACTORY}; its components are: "
            f"{', '.join(nlp.pipe_names) or 'none'}."
        )
    return nlp


def _parsers(nlp: Language) -> List[str]:
    """The names of the constituency parsers in a pipeline."""
    metas = {name: nlp.get_pipe_meta(name) for name in nlp.pipe_names}
    return [name for name, meta in metas.items() if meta.factory == FACTORY]


def _paths(
    inputs: List[str], texts: List[str], output: Optional[Path]
) -> List[Optional[Path]]:
    """The files to read, None being standard input; wrong names are raised."""
    if texts and inputs:
        raise ValueError("Give files or --text, not both.")
    paths = [None if name == STDIN else Path(name) for name in inputs or [STDIN]]
    for path in paths if not texts else []:
        if path is not None and path.is_dir():
            raise ValueError(f"{path} is a folder; name the files in it.")
        if path is not None and not path.exists():
            raise ValueError(f"There is no file {path}.")
        if path is not None and output is not None and _is_same(path, output):
            raise ValueError(f"{path} would be both read and written.")
    if output is not None:
        if output.is_dir():
            raise ValueError(f"{output} is a folder; name a file to write.")
        output.parent.mkdir(parents=True, exist_ok=True)
        if not os.access(output if output.exists() else output.parent, os.W_OK):
            raise ValueError(f"{output} cannot be written: permission denied.")
    return paths


def _is_same(path: Path, other: Path) -> bool:
    return path.resolve() == other.resolve()


def _use_device(gpu_id: int, n_process: int) -> None:
    if gpu_id < 0:
        return
    if n_process > 1:
        raise ValueError("--n-process is for the CPU; leave it out with --gpu-id.")
    try:
        spacy.require_gpu(gpu_id)
    except Exception as error:
        # thinc, cupy and torch each have their own kind for a missing GPU.
        raise ValueError(f"GPU {gpu_id} cannot be used: {error}") from error


def _set_search(nlp: Language, beam_width: Optional[int], unconstrained: bool) -> None:
    for name in _parsers(nlp):
        search = nlp.get_pipe(name).search  # type: ignore[attr-defined]
        if beam_width is not None:
            search.beam_width = beam_width
        if unconstrained:
            search.constrained = False


def _write(docs: Iterable[Doc], output: Optional[Path]) -> None:
    """Write the trees as they come, or all Docs in the end; then the counts."""
    flags: List[str] = []
    with tqdm(unit=" sentences", disable=None) as bar:
        counted = _count(docs, flags, bar)
        if output is None:
            _write_lines(counted, sys.stdout)
        elif output.suffix.lower() == DOCBIN_SUFFIX:
            docbin = DocBin(docs=counted)
            docbin.to_disk(output)
        else:
            with output.open("w", encoding="utf-8") as file:
                _write_lines(counted, file)
    _report(flags)


def _count(docs: Iterable[Doc], flags: List[str], bar: tqdm) -> Iterator[Doc]:
    for doc in docs:
        found = doc.spans[SPANS_KEY].attrs["flags"]
        flags.extend(found)
        bar.update(len(found))
        yield doc


def _write_lines(docs: Iterable[Doc], file: TextIO) -> None:
    for doc in docs:
        for tree in get_trees(doc):
            if len(tree):
                file.write(f"{tree.brackets()}\n")
    file.flush()


def _report(flags: List[str]) -> None:
    """Say on standard error what the trees themselves do not show."""
    sentences = f"of {len(flags)} sentence{'' if len(flags) == 1 else 's'}"
    for flag, meaning in (
        ("repaired", "had a malformed tree, which was repaired"),
        ("flat", "could not be searched (too long?) and got a flat tree"),
    ):
        if number := flags.count(flag):
            typer.secho(f"{number} {sentences} {meaning}.", fg="yellow", err=True)
