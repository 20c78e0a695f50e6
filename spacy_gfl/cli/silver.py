"""`spacy-gfl silver`: a treebank of what parsers agree on, or are sure of."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import compress
from operator import not_
from pathlib import Path
from typing import Annotated, Any, get_args

import typer
from spacy.tokens import Span
from spacy.vocab import Vocab
from tqdm import tqdm
from wasabi import table

from spacy_gfl.annotation.storage import SPANS_KEY, is_word, sentences
from spacy_gfl.cli.app import app
from spacy_gfl.cli.cluster import RayAddress, Work, Workers, map_files, whole_name
from spacy_gfl.cli.files import check_input, check_output, errors_said, warn
from spacy_gfl.data.inputs import InputFormat, read_treebank, treebank_files
from spacy_gfl.data.shards import ShardFolder, fingerprint
from spacy_gfl.data.silver import (
    EXACT,
    SilverMaker,
    fill,
    has_learnt_sentences,
    match_lengths,
    sentence_key,
)
from spacy_gfl.evaluation.summary import percent
from spacy_gfl.formats import WRITERS
from spacy_gfl.parser.pipelines import (
    DEFAULT_MODEL,
    get_parsers,
    load_pipeline,
    use_device,
)
from spacy_gfl.parser.precision import Precision
from spacy_gfl.parser.transformers import compute_in_bfloat16


@app.command("silver", no_args_is_help=True)
def silver_command(
    inputs: Annotated[
        list[Path],
        typer.Argument(
            metavar="TEXT...", help="Files to parse: text, or Docs (.spacy)."
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="The file to write, a sentence a Doc: .spacy, .jsonl, .parquet; or a "
            "folder, for .spacy files of some thousand sentences each. What is done so "
            "far is kept in the folder OUTPUT.parts.",
        ),
    ],
    models: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            "-m",
            help="A pipeline with a constituency_parser: package or folder. The first "
            "one's trees are kept; give it again for others that are to agree. "
            f"[{DEFAULT_MODEL}]",
        ),
    ] = None,
    agreement: Annotated[
        str | None,
        typer.Option(
            metavar="exact|NUMBER",
            help="Keep trees on which the models agree: in all constituents, or with "
            "so high a labelled F1 of the sentence (0 to 1). [exact, if there are "
            "several models]",
        ),
    ] = None,
    min_score: Annotated[
        float,
        typer.Option(
            min=0,
            max=1,
            help="Keep trees that the first model finds so probable: the geometric "
            "mean over the sentence's words.",
        ),
    ] = 0.0,
    exclude: Annotated[
        list[Path] | None,
        typer.Option(
            help="A treebank, such as a dev or test part, whose sentences are left "
            "out: those of the same letters and digits. May be given again."
        ),
    ] = None,
    match: Annotated[
        Path | None,
        typer.Option(
            "--match-lengths",
            metavar="GOLD",
            help="A treebank: of what is kept, take at random as many sentences as "
            "have its sentences' lengths.",
        ),
    ] = None,
    min_length: Annotated[
        int, typer.Option(min=1, help="Words of a sentence at least.")
    ] = 1,
    max_length: Annotated[
        int | None, typer.Option(min=1, help="Words of a sentence at most.")
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Stop once so many are kept.")
    ] = None,
    splitter: Annotated[
        str | None,
        typer.Option(
            "--sentences",
            metavar="MODEL",
            help="The pipeline that finds words and sentences. [the first model that "
            "has learnt to find sentences, or else the first model]",
        ),
    ] = None,
    input_format: Annotated[
        InputFormat,
        typer.Option(
            help="As of `parse`. text: a blank line ends a paragraph. lines: every "
            "line does. auto: by the file's ending."
        ),
    ] = InputFormat.AUTO,
    precision: Annotated[
        str,
        typer.Option(
            metavar="|".join(get_args(Precision)),
            help="bf16 takes half the time on processors that have instructions for "
            "it; some trees come out differently. auto: bf16 where it is faster.",
        ),
    ] = "fp32",
    dependencies: Annotated[
        bool,
        typer.Option(
            "--dependencies",
            help="Let trees agree with the dependencies of the Docs (.spacy), as "
            "`spacy convert` reads them of a treebank, and keep the Docs' tags.",
        ),
    ] = False,
    beam_width: Annotated[
        int | None,
        typer.Option(
            min=1, help="Hypotheses kept for a sentence. [what the model says]"
        ),
    ] = None,
    gpu_id: Annotated[
        int, typer.Option("--gpu-id", "-g", help="GPU to use; -1: the CPU.")
    ] = -1,
    ray: RayAddress = None,
    n_process: Workers = None,
) -> None:
    """Make silver trees: parse text, and keep the trees that are likely to be right.

    Interrupted, it goes on where it stopped if it is started again. It ends with a
    table of how many sentences were kept, and why the others were not.
    """
    with errors_said():
        for file in inputs:
            check_input(file)
        is_file = output.suffix.lower() in WRITERS
        if output.exists() and not is_file:
            raise ValueError(f"{output} exists; name a folder to be made.")
        check_output(output, inputs=inputs)
        loading: dict[str, Any] = {
            "names": list(map(whole_name, models or [DEFAULT_MODEL])),
            "splitter": splitter and whole_name(splitter),
            "precision": precision,
            "exclude": [str(path.resolve()) for path in exclude or []],
            "agreement": _agreement(agreement, models or []),
            "min_score": min_score,
            "min_length": min_length,
            "max_length": max_length,
            "dependencies": dependencies,
            "beam_width": beam_width,
        }
        reading = {
            "inputs": [str(path.resolve()) for path in inputs],
            "input_format": input_format,
        }
        read = [*reading["inputs"], *loading["exclude"], *loading["names"]]
        if splitter:
            read.append(loading["splitter"])
        contents = {name: fingerprint(name) for name in read}
        gold = None
        if match is not None:
            every = (sum(map(is_word, sent)) for sent in _gold(match))
            longest = max_length or math.inf
            gold = [length for length in every if min_length <= length <= longest]
        parts = output.with_name(output.name + ".parts").resolve()
        settings = loading | reading | contents
        folder = ShardFolder(parts, settings)
        n_kept = 0
        try:
            with tqdm(unit=" sentences", disable=None) as bar:
                make = partial(_worker, loading, parts, settings)
                found: Iterable[int]
                if ray is None:
                    work = make(gpu_id, bar.update)
                    found = (n for i, path in enumerate(inputs) for n in work(i, path))
                else:
                    # A worker sees no GPU but its own.
                    make = partial(make, min(gpu_id, 0))
                    found = map_files(make, inputs, ray, n_process, gpu_id >= 0)
                for n_more in found:
                    n_kept += n_more
                    bar.set_postfix(kept=n_kept)
                    # Workers need not do the first files first.
                    if limit is not None and n_kept >= limit and ray is None:
                        break
        except KeyboardInterrupt:
            warn(f"{parts} has what is done; the same command goes on from there.")
            raise
        fates = folder.fates()
        lengths = fates.pop("kept")
        chosen = [True] * len(lengths[:limit])
        fates["beyond --limit"] = lengths[len(chosen) :]
        if gold is not None:
            chosen = match_lengths(lengths[:limit], gold)
            fates["of no matching length"] = list(compress(lengths, map(not_, chosen)))
        fates["kept"] = list(compress(lengths, chosen))
        folder.join(output, chosen)
        typer.echo(_table(fates))


def _agreement(given: str | None, models: Sequence[str]) -> str | float:
    """The value of `--agreement`, or its default for these models."""
    if given is not None and len(models) < 2:
        raise ValueError("--agreement needs two models; give --model again.")
    if given in (None, EXACT):
        return EXACT
    try:
        least = float(given or "")
    except ValueError:
        least = -1.0
    if not 0 <= least <= 1:
        raise ValueError(f"--agreement is exact or an F1 from 0 to 1, not {given}.")
    return least


def _worker(
    loading: dict[str, Any],
    parts: Path,
    settings: dict[str, Any],
    gpu_id: int,
    progress: Callable[[int], Any] = lambda number: None,
) -> Work:
    """A function that makes the shards of a file that are missing."""
    use_device(gpu_id)
    maker, folder = load_maker(**loading), ShardFolder(parts, settings)
    return partial(fill, folder, maker, InputFormat(settings["input_format"]), progress)


def load_maker(
    names: Sequence[str],
    *,
    splitter: str | None = None,
    precision: Precision = "fp32",
    exclude: Iterable[str | Path] = (),
    dependencies: bool = False,
    beam_width: int | None = None,
    **settings: Any,
) -> SilverMaker:
    """Load models, a splitter and treebanks to exclude into a SilverMaker.

    Without a splitter, the first model that has learnt to finds sentences, or else the
    first one. The models compute in `precision` and search with `beam_width` or, if
    this is None, with their own. With `dependencies` the Docs keep their tags.

    Raises:
        OSError: If a treebank cannot be read.
        ValueError: If there is no such pipeline, treebank or precision.
    """
    loaded = {name: load_pipeline(name) for name in names}
    if splitter is not None and splitter not in loaded:
        loaded[splitter] = load_pipeline(splitter, need_parser=False)
    models = [loaded[name] for name in names]
    for nlp in models:
        for parser in get_parsers(nlp).values():
            parser.spans_key, parser.predict_tags = SPANS_KEY, not dependencies
            parser.search.precision = precision
            parser.search.beam_width = beam_width or parser.search.beam_width
        if "transformer" in nlp.pipe_names:
            compute_in_bfloat16("transformer", precision)(nlp)
    learnt = filter(has_learnt_sentences, models)
    return SilverMaker(
        models,
        next(learnt, models[0]) if splitter is None else loaded[splitter],
        excluded=frozenset(
            sentence_key(sent) for path in exclude for sent in _gold(Path(path))
        ),
        dependencies=dependencies,
        **settings,
    )


def _gold(path: Path) -> Iterator[Span]:
    """The sentences of a treebank."""
    vocab = Vocab()
    for file in treebank_files(path, docbins=True):
        for doc in read_treebank(file, vocab, need_trees=False):
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
