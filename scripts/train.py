"""Train with a recipe, for as many updates as a corpus is worth.

    python scripts/train.py configs/sm.cfg --corpus corpus/mine --output training/mine

A corpus of fewer than 320,000 words is read some forty times, however long the
recipe's own training is. Settings may follow the recipe: training.dropout=0.2.

A training that was cut off goes on from its last evaluation if it is started again with
the same settings.

--workers 4 trains with four processes: each update learns from four batches instead of
one, so that the same words take a fourth of the updates. --batch-factor 4 makes batches
four times as large instead, as suits a GPU.
"""

import math
import shutil
import sys
from collections import Counter
from configparser import RawConfigParser
from pathlib import Path
from typing import Annotated, Any

import spacy
import srsly
import typer
from spacy.cli._util import parse_config_overrides, setup_gpu
from spacy.language import Language
from spacy.schemas import ConfigSchemaTraining
from spacy.training.initialize import init_nlp
from spacy.training.loop import (
    create_evaluation_callback,
    create_train_batches,
    train_while_improving,
    update_meta,
)
from spacy.util import (
    fix_random_seed,
    load_config,
    registry,
    resolve_dot_names,
)
from thinc.api import Config, set_gpu_allocator

from spacy_gfl import get_parser
from spacy_gfl.pipe.pipelines import load_pipeline
from spacy_gfl.tools.cli.input_files import errors_said
from spacy_gfl.tools.training.checkpoint import (
    read_checkpoint,
    resume,
    write_checkpoint,
)
from spacy_gfl.tools.training.config_paths import check_paths
from spacy_gfl.tools.training.workers import Workers, run
from spacy_gfl.tools.treebanks.formats import docbin

#: An update is on some 840 words.
WORDS_PER_STEP = 20
LEAST_STEPS = 300
#: Updates that larger batches do not replace: the first ones gain little from them.
LEAST_JOINED = 1000
#: Constituents of a corpus with labels that a parser does not know, which it unlearns.
MOST_UNKNOWN = 0.02
#: What a parser may listen to learns with it.
LAYERS = {"tok2vec", "transformer"}


@errors_said()
def main(
    recipe: Annotated[Path, typer.Argument(help="A config file.")],
    output: Annotated[Path, typer.Option(help="Where model-best is written.")],
    further: Annotated[
        list[str] | None,
        typer.Argument(metavar="SECTION.NAME=VALUE...", help="Further settings."),
    ] = None,
    changes: Annotated[
        Path | None, typer.Option(help="A config file of what differs.")
    ] = None,
    corpus: Annotated[
        Path | None, typer.Option(help="A folder with train.spacy and dev.spacy.")
    ] = None,
    start: Annotated[
        str, typer.Option(help="The pipeline that continue.cfg continues from.")
    ] = "null",
    vectors: Annotated[str, typer.Option(help="A pipeline, or null.")] = "null",
    lang: str = "en",
    steps: Annotated[
        int, typer.Option(help="Updates; 0 computes them from the corpus.", min=0)
    ] = 0,
    seed: int = 0,
    gpu_id: int = -1,
    anew: Annotated[
        bool, typer.Option("--anew", help="Start again from the beginning.")
    ] = False,
    workers: Annotated[
        int,
        typer.Option(help="Processes that share the processor's cores.", min=1),
    ] = 1,
    batch_factor: Annotated[
        int, typer.Option(help="How much larger a batch is than the recipe's.", min=1)
    ] = 1,
) -> None:
    """Train a pipeline; the best one by F1 on the dev part is kept."""
    if workers > 1 and gpu_id >= 0:
        sys.exit("--workers is for training on a processor, not on a GPU.")
    config = load_config(recipe, overrides=read_changes(changes) if changes else {})
    # What a recipe of one's own leaves out.
    config = Config(Language.default_config).merge(config)
    goes_on = "start" in config["paths"]
    settings: dict[str, Any] = {"system.seed": seed, "nlp.lang": lang}
    if vectors != "null":
        settings["paths.vectors"] = vectors
    if corpus is not None:
        settings |= {f"paths.{p}": str(corpus / f"{p}.spacy") for p in ("train", "dev")}
        vocab = spacy.blank(lang).vocab
        docs = list(docbin.read(corpus / "train.spacy", vocab, need_trees=False))
        steps = steps or length(config["training"]["max_steps"], sum(map(len, docs)))
    if steps:
        settings["training.max_steps"] = steps
        often = min(config["training"]["eval_frequency"], max(steps // 10, 1))
        settings["training.eval_frequency"] = often
    if goes_on != (start != "null"):
        sys.exit(
            "Only configs/continue.cfg continues from a pipeline, and it needs "
            "one: --vars.config continue --vars.start en_gfl_sm."
        )
    if goes_on:
        settings["paths.start"] = start
        nlp = load_pipeline(start)
        if corpus is not None:
            refuse_unknown_labels(nlp, start, docs)
        names = nlp.pipe_names
        config["nlp"]["pipeline"] = names
        config["components"] = {name: {"source": start} for name in names}
        parser = next(name for name in names if nlp.get_pipe(name) is get_parser(nlp))
        frozen = [name for name in names if name not in {parser, *LAYERS}]
        config["training"]["frozen_components"] = frozen
    output.mkdir(parents=True, exist_ok=True)
    config.to_disk(output / "recipe.cfg")
    settings |= parse_config_overrides([f"--{setting}" for setting in further or ()])
    setup_gpu(gpu_id)
    config = load_config(output / "recipe.cfg", overrides=settings, interpolate=False)
    check_paths(config)
    if workers > 1 or batch_factor > 1:
        join_updates(config, workers * batch_factor)
        config["training"]["batcher"]["size"] *= batch_factor
    run(workers, train, config, output, gpu_id, anew)


def join_updates(config: Config, number: float) -> None:
    """Change the settings of updates to those of fewer that read more words each.

    The words of so many updates are read in one, at a rate that is higher by the square
    root of their number, as suits Adam. A training keeps `LEAST_JOINED` updates, or as
    many as it had, and then reads more words.
    """
    training = config["training"]
    if training["max_epochs"] > 0 or training["seed"] is None:
        sys.exit(
            "--workers and --batch-factor need training.seed, and training.max_epochs "
            "= 0 or -1."
        )
    rate, size = training["optimizer"]["learn_rate"], training["batcher"].get("size")
    if not (isinstance(rate, dict) and isinstance(size, int)):
        sys.exit(
            "--workers and --batch-factor need a schedule of the learning rate, and "
            "batches of one size (training.batcher.size)."
        )
    if steps := training["max_steps"]:
        left = max(steps / number, min(steps, LEAST_JOINED))
        number = steps / left
    settings = [(training, x) for x in ("max_steps", "eval_frequency", "patience")]
    for section, name in [*settings, (rate, "warmup_steps")]:
        if name in section:
            section[name] = math.ceil(section[name] / number)
    if "initial_rate" in rate:
        rate["initial_rate"] *= math.sqrt(number)


def train(
    workers: Workers, config: Config, output: Path, gpu_id: int, anew: bool
) -> None:
    """Train as `spacy train` does, from the last checkpoint of the same training.

    The checkpoint is written beside model-best and model-last at each evaluation, and
    removed in the end. The update before it is made again, with other sentences: the
    order of the corpus is another.

    Args:
        workers: The processes that train together.
        config: The recipe.
        output: Where model-best and model-last are written.
        gpu_id: The GPU; -1 for the CPU.
        anew: Whether to begin anew where there is a checkpoint.
    """
    # Alike in all processes; batches and dropout are not.
    nlp = init_nlp(config, use_gpu=gpu_id)
    path = output / "checkpoint.pt"
    state = None if anew or not path.exists() else read_checkpoint(path)
    settings = nlp.config.to_str()
    if state is not None and state["progress"]["settings"] != settings:
        print(
            "The checkpoint has other settings, so training starts again from the "
            "beginning."
        )
        state = None
    done = 0 if state is None else state["progress"]["step"]
    best = None if state is None else state["progress"]["best"]
    config = Config(nlp.config).interpolate()
    training = config["training"]
    if training["seed"] is not None:
        fix_random_seed(training["seed"] + done + workers.place)
    if done or workers.place:
        train_corpus = config["corpora"][training["train_corpus"].split(".")[1]]
        train_corpus["seed"] = train_corpus.get("seed", 0) + done + workers.place
    if gpu_id >= 0 and training["gpu_allocator"]:
        set_gpu_allocator(training["gpu_allocator"])
    made = registry.resolve(training, schema=ConfigSchemaTraining)
    corpora = resolve_dot_names(config, [made["train_corpus"], made["dev_corpus"]])
    optimizer = made["optimizer"]
    if state is not None:
        resume(state, nlp, optimizer)
        for _ in range(done):
            optimizer.step_schedules()
        print(f"Training continues after update {done:,}.")
    elif workers.writes:
        for name in ("model-best", "model-last"):
            shutil.rmtree(output / name, ignore_errors=True)
    try:
        workers.share_gradients(nlp)
    except TypeError as error:
        sys.exit(str(error) if workers.writes else 1)
    evaluate = create_evaluation_callback(nlp, corpora[1], made["score_weights"])
    before_to_disk = made["before_to_disk"] or (lambda nlp: nlp)
    frozen = made["frozen_components"]
    updates = train_while_improving(
        nlp,
        optimizer,
        create_train_batches(nlp, corpora[0], made["batcher"], made["max_epochs"]),
        workers.share_scores(evaluate),
        dropout=made["dropout"],
        accumulate_gradient=made["accumulate_gradient"],
        patience=made["patience"],
        max_steps=made["max_steps"] and max(made["max_steps"] - done, 1),
        eval_frequency=made["eval_frequency"],
        exclude=frozen,
        annotating_components=made["annotating_components"],
        before_update=made["before_update"],
    )
    if not workers.writes:
        for _ in updates:
            pass
        return
    with nlp.select_pipes(disable=frozen):
        log, finish_log = made["logger"](nlp, sys.stdout, sys.stderr)
    try:
        for _, info, is_best in updates:
            info["step"] += done
            if is_best is None:
                log(None)
                continue
            with nlp.select_pipes(disable=frozen):
                update_meta(made, nlp, info)
            with nlp.use_params(optimizer.averages or {}):
                before_to_disk(nlp).to_disk(output / "model-last")
            if best is None or info["score"] > best:
                best = info["score"]
                replace_folder(output / "model-last", output / "model-best")
            progress = {"settings": settings, "step": info["step"], "best": best}
            write_checkpoint(path, nlp, optimizer, **progress)
            info["output_path"] = str(output / "model-last")
            log(info)
    finally:
        finish_log()
    with nlp.use_params(optimizer.averages or {}):
        before_to_disk(nlp).to_disk(output / "model-last")
    path.unlink(missing_ok=True)


def replace_folder(source: Path, target: Path) -> None:
    """Copy a folder to a place that another may hold until the copy is whole."""
    part = target.with_name(f"{target.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    shutil.copytree(source, part)
    shutil.rmtree(target, ignore_errors=True)
    part.rename(target)


def read_changes(path: Path) -> dict[str, Any]:
    """The settings of a config file by their whole names; not all of its sections."""
    parser = RawConfigParser(delimiters=["="])
    parser.optionxform = str  # as it is written
    parser.read_string(path.read_text(encoding="utf-8"))
    return {
        f"{section}.{name}": srsly.json_loads(value)
        for section in parser.sections()
        for name, value in parser[section].items()
    }


def length(most: int, n_words: int) -> int:
    """Updates that a corpus of so many words is worth, `most` at the most."""
    return min(most, max(LEAST_STEPS, n_words // WORDS_PER_STEP))


def refuse_unknown_labels(
    nlp: Language, start: str, docs: list[spacy.tokens.Doc]
) -> None:
    """Exit if many constituents have labels that a parser never writes.

    They would be left out, and the parser would unlearn what it knows of their words.
    """
    known = set(get_parser(nlp).labels)
    labels = Counter(
        s.label_ for doc in docs for s in doc.spans.get("constituents", [])
    )
    unknown = Counter({k: n for k, n in labels.items() if k not in known})
    if unknown.total() > MOST_UNKNOWN * labels.total():
        most = ", ".join(f"{label} ({n})" for label, n in unknown.most_common(5))
        sys.exit(
            f"{unknown.total():,} of {labels.total():,} constituents have labels "
            f"that {start} does not know: {most}. The parser would unlearn such "
            "constituents. Train from scratch instead: --vars.config sm."
        )


if __name__ == "__main__":
    typer.run(main)
