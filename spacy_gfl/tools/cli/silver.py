"""`spacy-gfl silver`: of parsed files, the trees that are likely to be right."""

import math
from collections.abc import Iterable, Iterator
from itertools import compress, islice
from operator import not_
from pathlib import Path
from typing import Annotated, TypeAlias

import typer
from spacy.tokens import Doc, Span
from spacy.vocab import Vocab
from tqdm import tqdm
from wasabi import table

from spacy_gfl.annotation.sentence_words import is_word, sentences
from spacy_gfl.evaluation.summary import percent
from spacy_gfl.tools.cli.app import GroupedCommand, app
from spacy_gfl.tools.cli.input_files import check_output, errors_said
from spacy_gfl.tools.cli.options import option, output_option, reads_files
from spacy_gfl.tools.training.silver import (
    Selection,
    match_lengths,
    sentence_key,
    trees_by_words,
)
from spacy_gfl.tools.treebanks.formats import WRITERS
from spacy_gfl.tools.treebanks.formats.reading import AUTO, Reading
from spacy_gfl.tools.treebanks.inputs import read_treebank, treebank_files

_Parsed: TypeAlias = Annotated[
    list[Path],
    typer.Argument(
        metavar="PARSED...",
        help="Files that `spacy-gfl parse` has written: .spacy or .jsonl.",
    ),
]
_AgreeWith: TypeAlias = Annotated[
    list[Path] | None,
    option(
        "A file of the same sentences from another pipeline, whose trees must "
        "agree. Repeatable."
    ),
]
_Agreement: TypeAlias = Annotated[
    float | None,
    option(
        "How much they must agree: the lowest labelled F1 between the trees of a "
        "sentence, 0 to 1. [default: all constituents]",
        min=0,
        max=1,
    ),
]
_MinProbability: TypeAlias = Annotated[
    float,
    option(
        "Keep trees with at least this probability per word (the geometric mean "
        "over the sentence's words).",
        min=0,
        max=1,
    ),
]
_Exclude: TypeAlias = Annotated[
    list[Path] | None,
    option(
        "Leave out the sentences of this treebank, such as a dev or test part. "
        "Compares letters and digits. Repeatable."
    ),
]
_Match: TypeAlias = Annotated[
    Path | None,
    option(
        "Leave out random sentences until the lengths are distributed as in this "
        "treebank.",
        "--match-lengths",
        metavar="GOLD",
    ),
]


@app.command("silver", cls=GroupedCommand, no_args_is_help=True)
@errors_said()
@reads_files()
def silver_command(
    parsed: _Parsed,
    output: Annotated[
        Path,
        output_option(
            "The file to write, with one sentence per Doc: .spacy or .jsonl."
        ),
    ],
    agree_with: _AgreeWith = None,
    agreement: _Agreement = None,
    min_probability: _MinProbability = 0.0,
    exclude: _Exclude = None,
    match: _Match = None,
    min_length: Annotated[int, option("The fewest words per sentence.", min=1)] = 1,
    max_length: Annotated[
        int | None, option("The most words per sentence.", min=1)
    ] = None,
    limit: Annotated[
        int | None, option("Stop after this many sentences.", min=1)
    ] = None,
    *,
    reading: Reading,
) -> None:
    """Select trees of parsed text that are likely to be right, for training.

    Prints how many sentences it kept, and why it left out the others. --input-format,
    --scheme and --encoding are for the treebanks.
    """
    others, excluded = agree_with or [], exclude or []
    if agreement is not None and not others:
        raise ValueError(
            "--agreement needs --agree-with, a file of another pipeline's trees."
        )
    read = [*parsed, *others, *excluded, *([match] if match else [])]
    check_output(output, inputs=read, endings=tuple(WRITERS))
    lengths = min_length, max_length or math.inf
    selection = Selection(
        [trees_by_words(_docs([path])) for path in others],
        agreement,
        min_probability,
        *lengths,
        frozenset(sentence_key(sent.text) for sent in _sentences(excluded, reading)),
    )

    def kept() -> Iterator[Doc]:
        selection.fates.clear()
        docs = tqdm(_docs(parsed), unit=" Docs", disable=None)
        return islice(selection.kept(docs), limit)

    writer, fates = WRITERS[output.suffix.lower()], selection.fates
    if match is None:
        writer(output, kept())
    else:
        gold = [sum(map(is_word, sent)) for sent in _sentences([match], reading)]
        gold = [n for n in gold if lengths[0] <= n <= lengths[1]]
        chosen = match_lengths([len(doc) for doc in kept()], gold)
        writer(output, compress(kept(), chosen))
        of_kept = fates.pop("kept", [])
        fates["of no matching length"] = list(compress(of_kept, map(not_, chosen)))
        fates["kept"] = list(compress(of_kept, chosen))
    typer.echo(_table({**fates, "kept": fates.get("kept", [])}))


def _docs(
    paths: Iterable[Path], reading: Reading | str = AUTO, *, need_trees: bool = True
) -> Iterator[Doc]:
    """The Docs of files, and of folders of files."""
    vocab = Vocab()
    for path in paths:
        for file in treebank_files(path, reading, docbins=True):
            yield from read_treebank(file, vocab, reading, need_trees=need_trees)


def _sentences(treebanks: Iterable[Path], reading: Reading) -> Iterator[Span]:
    for doc in _docs(treebanks, reading, need_trees=False):
        yield from sentences(doc)


def _table(fates: dict[str, list[int]]) -> str:
    """The table of how many sentences were kept, and why others were not."""
    every = [length for lengths in fates.values() for length in lengths]
    rows = [
        (
            fate,
            f"{len(lengths):,}",
            f"{percent(len(lengths), len(every)):.1f}",
            f"{sum(lengths):,}",
            f"{percent(sum(lengths), sum(every)):.1f}",
        )
        for fate, lengths in {"read": every, **fates}.items()
        if lengths or fate == "kept"
    ]
    header = ("", "Sentences", "%", "Words", "%")
    return table(rows, header=header, divider=True, aligns=("l", "r", "r", "r", "r"))
