"""`spacy-gfl convert`: treebank files to a .spacy file of Docs with gold trees."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Annotated, TypeAlias

import typer
from tqdm import tqdm
from wasabi import table

from spacy_gfl.data.docbins import DOCBIN
from spacy_gfl.tools.cli.app import GroupedCommand, app
from spacy_gfl.tools.cli.input_files import (
    STDIN,
    check_output,
    errors_said,
    shown_name,
    warn,
)
from spacy_gfl.tools.cli.options import (
    INPUT,
    OUTPUT,
    choice,
    option,
    reads_files,
)
from spacy_gfl.tools.treebanks.conversion import Conversion
from spacy_gfl.tools.treebanks.formats import BRACKET_ENDINGS, WRITERS
from spacy_gfl.tools.treebanks.formats.reading import Reading
from spacy_gfl.tools.treebanks.formats.text_files import PACKED
from spacy_gfl.tools.treebanks.inputs import treebank_files
from spacy_gfl.tools.treebanks.schemes import find_scheme

_Paths: TypeAlias = Annotated[
    list[str],
    typer.Argument(
        metavar="IN... OUT",
        help=(
            "Files of trees, folders (with all folders below them), or - for "
            "standard input; then the file to write: .spacy for Docs with gold "
            "trees, "
            f"{', '.join((ending for ending in WRITERS if ending != DOCBIN))}, or "
            f"{', '.join(BRACKET_ENDINGS)} for one cleaned tree per line."
        ),
    ),
]
_NSents: TypeAlias = Annotated[
    int,
    option(
        "Sentences per Doc, never across files or documents of CoNLL-U; 0 makes one "
        "Doc per file or document. Formats with Docs keep theirs.",
        min=0,
        group=OUTPUT,
    ),
]


@app.command("convert", cls=GroupedCommand, no_args_is_help=True)
@errors_said()
@reads_files()
def convert_command(
    paths: _Paths,
    n_sents: _NSents = 10,
    *,
    reading: Reading,
    keep_functions: Annotated[
        bool,
        option(
            "Keep function tags in labels, such as NP-SBJ.",
            "--keep-functions",
            group="Cleaning",
        ),
    ] = False,
    trees: Annotated[
        Path | None,
        option(
            "Also write the cleaned trees to this file, one per line.",
            group=OUTPUT,
        ),
    ] = None,
    skip_errors: Annotated[
        bool,
        option(
            "Leave out bracketed trees and sentences of CoNLL-U that cannot be read.",
            "--skip-errors",
            group="Cleaning",
        ),
    ] = False,
    no_repair: Annotated[
        bool,
        option(
            "Reject trees with a word beside subtrees instead of repairing them.",
            "--no-repair",
            group="Cleaning",
        ),
    ] = False,
    lang: Annotated[
        str,
        option(
            "The language, for its spaces and its interrogative words.",
            "--lang",
            group=INPUT,
        ),
    ] = "",
    labels: Annotated[
        str,
        choice(
            "own keeps labels and tags. common converts those of the treebanks "
            "of --lang to the scheme that all languages share.",
            "--labels",
            ("own", "common"),
            group="Cleaning",
        ),
    ] = "own",
    force: Annotated[
        bool,
        option(
            "Let OUT and --trees overwrite any kind of file.",
            "--force",
            group=OUTPUT,
        ),
    ] = False,
) -> None:
    """Convert a treebank to a corpus for training, or to another format.

    Cleans bracketed trees: it removes outer brackets, traces, constituents that have
    only traces, function tags and indices. Docs from the files of a folder get the
    names of these files. If a tree cannot be read, convert prints its place, writes
    nothing, and exits with status 1; --skip-errors leaves such trees out.
    """
    if len(paths) < 2:
        raise ValueError(
            "Name at least one file or folder to read, and then the file to write."
        )
    paths, out = paths[:-1], Path(paths[-1])
    outputs = [out] if trees is None else [out, trees]
    of_paths = (_sources(name, reading, outputs) for name in paths)
    sources = dict(chain.from_iterable(of_paths))
    _check_outputs(outputs, list(sources), force=force)
    scheme = find_scheme(reading.scheme.name, keep_functions=keep_functions)
    reading = replace(reading, scheme=scheme)
    conversion = Conversion(
        n_sents, not no_repair, lang, labels == "common", keep_functions
    )
    for source, own_name in tqdm(sources.items(), unit=" files", disable=None):
        conversion.read(source, reading, name=own_name)
    _report(conversion)
    if (n := len(conversion.rejected)) and not skip_errors:
        raise ValueError(
            f"{n} tree{' was' if n == 1 else 's were'} rejected, so nothing was "
            "written. Correct the input, or leave out such trees with "
            "--skip-errors."
        )
    if not conversion.words:
        raise ValueError("The input has no trees, so nothing was written.")
    for path in outputs:
        conversion.write(path)
        typer.echo(f"Wrote {path}")


def _sources(
    name: str, reading: Reading, outputs: Sequence[Path]
) -> Iterator[tuple[Path | None, str | None]]:
    """The files that a name stands for, with the names of documents in a folder."""
    if name == STDIN:
        yield None, None
        return
    path = Path(name)
    written = {output.resolve() for output in outputs}
    for file in treebank_files(path, reading, docbins=True, tell=warn):
        if not path.is_dir():
            yield file, None
        elif file.resolve() not in written:
            inner = file.relative_to(path)
            if inner.suffix.lower() == PACKED:
                inner = inner.with_suffix("")
            yield file, shown_name(inner.with_suffix(""))


def _check_outputs(
    outputs: Sequence[Path], sources: Sequence[Path | None], *, force: bool
) -> None:
    """Raise ValueError if OUT or the file of --trees, in this order, cannot be written.

    Without `force`, only a .spacy file is overwritten.
    """
    read = [source for source in sources if source is not None]
    endings_of_each = ([*WRITERS, *BRACKET_ENDINGS], BRACKET_ENDINGS)
    for path, endings in zip(outputs, endings_of_each, strict=False):
        check_output(path, inputs=read, endings=endings)
    for path in outputs:
        if path.suffix.lower() != DOCBIN and path.exists() and not force:
            raise ValueError(
                f"{path} exists and may be a treebank. convert writes to its "
                "last name and to --trees. Add --force to overwrite it."
            )


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
        "Trees without words removed": counts.vanished,
        **({"Parts moved over gaps": counts.moved} if counts.moved else {}),
        "Trees rejected": sum(counts.rejected.values()),
        **{f"- {reason}": n for reason, n in sorted(counts.rejected.items())},
    }
    cells = [(name, f"{number:,}") for name, number in rows.items()]
    typer.echo(table(cells, aligns=("l", "r")))
