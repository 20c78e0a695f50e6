"""`spacy-gfl silver`: a treebank of what parsers agree on, or are sure of."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import accumulate
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer
from tqdm import tqdm
from wasabi import table

from spacy_gfl.apps.silver import (
    EXACT,
    SilverMaker,
    gold_lengths,
    gold_sentences,
    has_learnt_sentences,
    join_kept,
    sentence_key,
)
from spacy_gfl.cli.app import app
from spacy_gfl.cli.cluster import Work, map_files, whole_name
from spacy_gfl.cli.files import check_inputs, check_output, errors_said, warn
from spacy_gfl.cli.options import (
    BeamWidth,
    Format,
    GpuId,
    PrecisionName,
    Ray,
    load_parser,
    option,
    output_option,
)
from spacy_gfl.data.inputs import ENDINGS, InputFormat, read_docs
from spacy_gfl.data.shards import ShardFolder, fingerprint, shards
from spacy_gfl.evaluation.summary import percent
from spacy_gfl.formats import WRITERS
from spacy_gfl.layers.products import Precision
from spacy_gfl.pipe.pipelines import (
    DEFAULT_MODEL,
    get_parsers,
    load_pipeline,
    use_device,
)

_Texts: TypeAlias = Annotated[
    list[Path],
    typer.Argument(metavar="TEXT...", help="Files to parse: text, or Docs (.spacy)."),
]
_Output: TypeAlias = Annotated[
    Path,
    output_option(
        "The file to write, a sentence a Doc: .spacy, .jsonl, .parquet; or a folder, "
        "for .spacy files of some thousand sentences each. What is done so far is kept "
        "in the folder OUTPUT.parts."
    ),
]
_Models: TypeAlias = Annotated[
    list[str] | None,
    option(
        "A pipeline with a constituency_parser: package or folder. The first one's "
        "trees are kept; give it again for others that are to agree. "
        f"[{DEFAULT_MODEL}]",
        "--model",
        "-m",
    ),
]
_Agreement: TypeAlias = Annotated[
    str | None,
    option(
        "Keep trees on which the models agree: in all constituents, or with so high a "
        "labelled F1 of the sentence (0 to 1). [exact, if there are several models]",
        metavar="exact|NUMBER",
    ),
]
_MinProbability: TypeAlias = Annotated[
    float,
    option(
        "Keep trees that the first model finds so probable: the geometric mean over "
        "the sentence's words.",
        min=0,
        max=1,
    ),
]
_Exclude: TypeAlias = Annotated[
    list[Path] | None,
    option(
        "A treebank, such as a dev or test part, whose sentences are left out: those "
        "of the same letters and digits. May be given again."
    ),
]
_Match: TypeAlias = Annotated[
    Path | None,
    option(
        "A treebank: of what is kept, take at random as many sentences as have its "
        "sentences' lengths.",
        "--match-lengths",
        metavar="GOLD",
    ),
]
_Splitter: TypeAlias = Annotated[
    str | None,
    option(
        "The pipeline that finds words and sentences. [the first model that has learnt "
        "to find sentences, or else the first model]",
        "--sentences",
        metavar="MODEL",
    ),
]
_Dependencies: TypeAlias = Annotated[
    bool,
    option(
        "Let trees agree with the dependencies of the Docs (.spacy), as `spacy "
        "convert` reads them of a treebank, and keep the Docs' tags.",
        "--dependencies",
    ),
]
_Workers: TypeAlias = Annotated[
    int | None,
    option(
        "Workers of --ray. [as many as there are CPUs, or GPUs with --gpu-id]", min=1
    ),
]


@app.command("silver", no_args_is_help=True)
@errors_said()
def silver_command(
    inputs: _Texts,
    output: _Output,
    models: _Models = None,
    agreement: _Agreement = None,
    min_probability: _MinProbability = 0.0,
    exclude: _Exclude = None,
    match: _Match = None,
    min_length: Annotated[int, option("Words of a sentence at least.", min=1)] = 1,
    max_length: Annotated[
        int | None, option("Words of a sentence at most.", min=1)
    ] = None,
    limit: Annotated[int | None, option("Stop once so many are kept.", min=1)] = None,
    splitter: _Splitter = None,
    input_format: Format = InputFormat.AUTO,
    precision: PrecisionName = "auto",
    dependencies: _Dependencies = False,
    beam_width: BeamWidth = None,
    gpu_id: GpuId = -1,
    ray: Ray = None,
    n_process: _Workers = None,
) -> None:
    """Make silver trees: parse text, and keep the trees that are likely to be right.

    Interrupted, it goes on where it stopped if it is started again. It ends with a
    table of how many sentences were kept, and why the others were not.
    """
    check_inputs(inputs)
    excluded, matched = exclude or [], [match] if match else []
    _check_output(output, [*inputs, *excluded, *matched])
    loading = {
        "names": list(map(whole_name, models or [DEFAULT_MODEL])),
        "splitter": splitter and whole_name(splitter),
        "precision": precision,
        "exclude": [str(path.resolve()) for path in excluded],
        "agreement": _agreement(agreement, models or []),
        "min_probability": min_probability,
        "min_length": min_length,
        "max_length": max_length,
        "dependencies": dependencies,
        "beam_width": beam_width,
    }
    gold = gold_lengths(match, min_length, max_length) if match else None
    parts = output.with_name(output.name + ".parts").resolve()
    folder = ShardFolder(parts, _settings(loading, inputs, input_format))
    make = partial(_worker, loading, folder, input_format)
    try:
        _make_parts(make, inputs, limit, gpu_id, ray, n_process)
    except KeyboardInterrupt:
        warn(f"{parts} has what is done; the same command goes on from there.")
        raise
    typer.echo(_table(join_kept(folder, output, limit, gold)))


def _check_output(output: Path, inputs: Iterable[Path]) -> None:
    """Raise ValueError if silver trees cannot be written there, whatever they are."""
    if (ending := output.suffix.lower()) not in WRITERS:
        if ending in ENDINGS:
            raise ValueError(
                f"{output}: silver trees are not written as {ending}. Name a .spacy "
                "file, which `spacy-gfl convert` turns into other formats."
            )
        if output.exists():
            raise ValueError(f"{output} exists; name a folder to be made.")
    for folder in filter(Path.is_dir, inputs):
        if output.resolve().is_relative_to(folder.resolve()):
            # What is written would change what the next run reads.
            raise ValueError(f"{output} is in {folder}, which is read; name another.")
    check_output(output, inputs=inputs)


def _settings(
    loading: dict[str, Any], inputs: list[Path], input_format: InputFormat
) -> dict[str, Any]:
    """All that the parts depend on: settings, and the content of files and models."""
    names = [str(path.resolve()) for path in inputs]
    read = [*names, *loading["exclude"], *loading["names"], loading["splitter"]]
    contents = {name: fingerprint(name) for name in read if name}
    return {**loading, "inputs": names, "input_format": input_format, **contents}


def _make_parts(
    make: Callable[..., Work],
    inputs: list[Path],
    limit: int | None,
    gpu_id: int,
    ray: str | None,
    n_workers: int | None,
) -> None:
    """Have the parts made that are missing, here or by Ray's workers."""
    with tqdm(unit=" sentences", disable=None) as bar:
        found: Iterable[int]
        if ray is None:
            work = make(gpu_id, bar.update)
            found = (n for i, path in enumerate(inputs) for n in work(i, path))
        else:
            # A worker sees no GPU but its own.
            make = partial(make, min(gpu_id, 0))
            found = map_files(make, inputs, ray, n_workers, gpu_id >= 0)
        for n_kept in accumulate(found):
            bar.set_postfix(kept=n_kept)
            # Workers need not do the first files first.
            if limit is not None and n_kept >= limit and ray is None:
                break


def _agreement(given: str | None, models: Sequence[str]) -> str | float:
    """The value of `--agreement`, or its default for these models."""
    if given is not None and len(models) < 2:
        raise ValueError("--agreement needs two models; give --model again.")
    if given is None or given == EXACT:
        return EXACT
    with suppress(ValueError):
        if 0 <= (least := float(given)) <= 1:
            return least
    raise ValueError(f"--agreement is exact or an F1 from 0 to 1, not {given}.")


def _worker(
    loading: dict[str, Any],
    folder: ShardFolder,
    input_format: InputFormat,
    gpu_id: int,
    progress: Callable[[int], Any] = lambda number: None,
) -> Work:
    """A function that makes the shards of a file that are missing."""
    use_device(gpu_id)
    maker = load_maker(**loading)

    def work(number: int, path: Path) -> Iterator[int]:
        docs = read_docs(maker.splitter, path, input_format)
        for part, shard in enumerate(shards(docs)):
            name = f"{number:05}-{part:06}"
            if name not in folder:
                folder.write(name, *maker(shard, progress))
            yield len(folder.fates(name)["kept"])

    return work


def load_maker(
    names: Sequence[str],
    *,
    splitter: str | None = None,
    precision: Precision = "auto",
    exclude: Iterable[str | Path] = (),
    dependencies: bool = False,
    beam_width: int | None = None,
    **settings: Any,
) -> SilverMaker:
    """Load models, a splitter and treebanks to exclude into a SilverMaker.

    Without a splitter, sentences are found by the first model that has learnt to find
    them, or else by the first model. The models compute in `precision`, and search with
    `beam_width` or, if it is None, with their own beams. With `dependencies` the Docs
    keep their tags.

    Raises:
        OSError: If a treebank cannot be read.
        ValueError: If there is no such pipeline, treebank or precision.
    """
    search = {"precision": precision, "beam_width": beam_width}
    loaded = {name: load_parser(name, **search) for name in names}
    models = [loaded[name] for name in names]
    if splitter is not None and splitter not in loaded:
        loaded[splitter] = load_pipeline(splitter, need_parser=False)
    for nlp in models:
        for parser in get_parsers(nlp).values():
            parser.predict_tags = not dependencies
    learnt = filter(has_learnt_sentences, models)
    return SilverMaker(
        models,
        next(learnt, models[0]) if splitter is None else loaded[splitter],
        excluded=frozenset(
            sentence_key(sent) for path in exclude for sent in gold_sentences(path)
        ),
        dependencies=dependencies,
        **settings,
    )


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
