"""`spacy-gfl convert`: treebank files to a .spacy file of Docs with gold trees."""

import os
from pathlib import Path
from typing import Annotated, FrozenSet, Iterable, List, Optional

import typer
from tqdm import tqdm
from wasabi import Printer

from spacy_gfl.cli.app import app
from spacy_gfl.cli.errors import explain
from spacy_gfl.data.conversion import Conversion
from spacy_gfl.data.splits import (
    BRACKET_SUFFIXES,
    DOCBIN_SUFFIX,
    Selection,
    genre,
    read_ids,
    read_split,
    treebank_files,
)
from spacy_gfl.formats import WRITERS

STDIN = "-"

_Paths = Annotated[
    List[str],
    typer.Argument(
        metavar="IN... OUT",
        help="Bracket files, folders (searched with the folders below them), or - "
        "for standard input; last the file to write: .spacy for Docs with gold "
        "trees, .ptb, .mrg, .tree or .txt for one cleaned tree a line, .jsonl for "
        "JSON lines with offsets, .conll for CoNLL-2012 columns, .tex for LaTeX.",
    ),
]
_Ids = Annotated[
    Optional[List[Path]],
    typer.Option(help="Take the documents named in this file, one a line. Repeatable."),
]
_Splits = Annotated[
    Optional[Path],
    typer.Option(help="A Markdown file with a list of documents a split (GUM's)."),
]
_Split = Annotated[
    Optional[str],
    typer.Option(help="Take the documents of this split of --splits, beside --ids."),
]
_Genres = Annotated[
    str,
    typer.Option(
        help="Take documents of these genres only (GUM_genre_name): bio,news."
    ),
]
_ExcludeGenres = Annotated[
    str, typer.Option(help="Leave out documents of these genres: fiction,whow.")
]
_NSents = Annotated[
    int,
    typer.Option(
        min=0, help="Sentences to a Doc, never across files; 0: a Doc a file."
    ),
]
_Trees = Annotated[
    Optional[Path],
    typer.Option(help="Write the cleaned trees to this file too, one a line."),
]
_SkipErrors = Annotated[
    bool, typer.Option("--skip-errors", help="Leave out trees that cannot be read.")
]
_NoRepair = Annotated[
    bool,
    typer.Option(
        "--no-repair",
        help="Reject trees with a word beside subtrees instead of repairing them.",
    ),
]
_Force = Annotated[
    bool, typer.Option("--force", help="Let OUT overwrite a file that is no .spacy.")
]


@app.command("convert", no_args_is_help=True)
def convert_command(
    paths: _Paths,
    ids: _Ids = None,
    splits: _Splits = None,
    split: _Split = None,
    genres: _Genres = "",
    exclude_genres: _ExcludeGenres = "",
    n_sents: _NSents = 10,
    trees: _Trees = None,
    skip_errors: _SkipErrors = False,
    no_repair: _NoRepair = False,
    force: _Force = False,
) -> None:
    """Convert bracketed trees to a corpus for training.

    Cleans the trees: the root becomes TOP; traces, constituents of traces alone,
    function tags and indices go. A tree that cannot be read is reported with
    its place, and then nothing is written and the exit status is 1, unless
    --skip-errors is given.
    """
    try:
        outputs = _outputs(paths, trees, force)
        names = _document_names(ids or [], splits, split)
        selection = Selection(names, _listed(genres), _listed(exclude_genres))
        sources = _sources(paths[:-1], selection)
        _refuse_overwriting(sources, outputs)
        conversion = Conversion(n_sents=n_sents, repair=not no_repair)
        _read(conversion, sources)
        _report(conversion)
        _write(conversion, outputs, skip_errors)
    except (OSError, ValueError) as error:
        _say("fail", explain(error))
        raise typer.Exit(1) from None


def _say(kind: str, text: str) -> None:
    """Print one of wasabi's messages; what is good to standard output."""
    message = getattr(Printer(no_print=True), kind)(text)
    typer.echo(message, err=kind != "good")


def _outputs(paths: List[str], trees: Optional[Path], force: bool) -> List[Path]:
    """The files to write; whatever can be seen to be wrong with them is raised."""
    if len(paths) < 2:
        raise ValueError(
            "Name at least one file or folder to read, and last the file to write."
        )
    out = Path(paths[-1])
    is_docbin = out.suffix.lower() == DOCBIN_SUFFIX
    others = sorted(BRACKET_SUFFIXES | set(WRITERS))
    if not is_docbin and out.suffix.lower() not in others:
        raise ValueError(
            f"The last name is the file to write, and {out} does not end in "
            f"{DOCBIN_SUFFIX}, nor in one of {', '.join(others)}."
        )
    if not is_docbin and out.exists() and not force:
        raise ValueError(
            f"{out} exists and may be a treebank. The last name is the file to "
            "write; give --force to overwrite it."
        )
    if trees is not None and trees.suffix.lower() in {DOCBIN_SUFFIX, *WRITERS}:
        raise ValueError(f"--trees writes brackets; {trees} is no name for them.")
    outputs = [out] if trees is None else [out, trees]
    for output in outputs:
        if output.is_dir():
            raise ValueError(f"{output} is a folder; name a file to write.")
        output.parent.mkdir(parents=True, exist_ok=True)
        if not os.access(output if output.exists() else output.parent, os.W_OK):
            raise PermissionError(f"{output} cannot be written: permission denied.")
    return outputs


def _document_names(
    ids: Iterable[Path], splits: Optional[Path], split: Optional[str]
) -> Optional[FrozenSet[str]]:
    """The documents that files of ids and a split name; None if there are none."""
    if (splits is None) != (split is None):
        raise ValueError("--splits FILE and --split NAME go together.")
    names = [name for path in ids for name in read_ids(path)]
    if splits is not None and split is not None:
        names += read_split(splits, split)
    return frozenset(names) if names else None


def _listed(text: str) -> FrozenSet[str]:
    return frozenset(name.strip() for name in text.split(",") if name.strip())


def _sources(inputs: List[str], selection: Selection) -> List[Optional[Path]]:
    """The files to read, each once; None is standard input."""
    if STDIN in inputs and selection:
        raise ValueError(
            "Standard input has no document names, so documents cannot be chosen "
            "from it by ids, splits or genres."
        )
    paths = [Path(name) for name in inputs if name != STDIN]
    files = list(dict.fromkeys(file for path in paths for file in treebank_files(path)))
    for file in files:
        if file.suffix.lower() == DOCBIN_SUFFIX:
            raise ValueError(f"{file} is a .spacy file already, not brackets.")
    _warn_of_missing(files, selection)
    sources: List[Optional[Path]] = list(selection.select(files))
    if not sources and STDIN not in inputs:
        raise ValueError(
            f"None of the {len(files)} files is a document that the ids, splits or "
            "genres ask for."
        )
    return sources + [None] * (STDIN in inputs)


def _warn_of_missing(files: List[Path], selection: Selection) -> None:
    if missing := selection.missing(files):
        number, names = len(missing), ", ".join(missing)
        _say("warn", f"No file for {number} of the documents: {names}")
    asked = selection.genres | selection.without_genres
    if unknown := sorted(asked - {genre(file.stem) for file in files}):
        _say("warn", f"No document is of the genre {', '.join(unknown)}.")


def _refuse_overwriting(sources: List[Optional[Path]], outputs: List[Path]) -> None:
    written = {output.resolve() for output in outputs}
    for source in sources:
        if source is not None and source.resolve() in written:
            raise ValueError(f"{source} would be both read and written.")


def _read(conversion: Conversion, sources: List[Optional[Path]]) -> None:
    """Read the files, with a progress bar over their bytes on a terminal."""
    size = None if None in sources else sum(s.stat().st_size for s in sources if s)
    with tqdm(total=size, unit="B", unit_scale=True, disable=None) as bar:
        for source in sources:
            conversion.read(source, bar.update)


def _report(conversion: Conversion) -> None:
    """Print every rejected tree, and the table of counts."""
    for line in conversion.rejected:
        typer.echo(line, err=True)
    counts = conversion.counts
    rows = {
        "Trees read": counts.read,
        "Trees kept": counts.kept,
        "Words kept": conversion.words,
        "Docs": len(conversion.docs),
        "Trees repaired": counts.repaired,
        "Repairs": counts.repairs,
        "Words without tag, now XX": counts.untagged,
        "Traces removed": counts.traces,
        "Emptied constituents removed": counts.emptied,
        "Trees of traces alone removed": counts.vanished,
        "Trees rejected": sum(counts.rejected.values()),
    }
    for reason, number in sorted(counts.rejected.items()):
        rows[f"- {reason}"] = number
    cells = [(name, f"{number:,}") for name, number in rows.items()]
    typer.echo(Printer(no_print=True).table(cells, aligns=("l", "r")))


def _write(conversion: Conversion, outputs: List[Path], skip_errors: bool) -> None:
    """Write the files, unless a tree was rejected that should not be."""
    if conversion.rejected and not skip_errors:
        n = len(conversion.rejected)
        raise ValueError(
            f"{n} tree{' was' if n == 1 else 's were'} rejected, so nothing was "
            "written. Mend them, or leave them out with --skip-errors."
        )
    if not conversion.lines:
        raise ValueError("There are no trees in the input, so nothing was written.")
    for output in outputs:
        conversion.write(output)
        _say("good", f"Wrote {output}")
