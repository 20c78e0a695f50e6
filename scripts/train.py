"""Train with a recipe, for as many updates as a corpus is worth.

    python scripts/train.py configs/sm.cfg --corpus corpus/mine --output training/mine

A corpus of fewer than 320,000 words is read some forty times, however long the
recipe's own training is. Settings may follow the recipe: training.dropout=0.2.
"""

import sys
from collections import Counter
from configparser import RawConfigParser
from pathlib import Path
from typing import Annotated, Any

import spacy
import srsly
import typer
from spacy.cli._util import parse_config_overrides
from spacy.cli.train import train
from spacy.language import Language
from spacy.util import load_config

from spacy_gfl import get_parser
from spacy_gfl.tools.treebanks.formats import docbin

#: An update is on some 840 words.
WORDS_PER_STEP = 20
LEAST_STEPS = 300
#: Constituents of a corpus with labels that a parser does not know, which it unlearns.
MOST_UNKNOWN = 0.02
#: What a parser may listen to learns with it.
LAYERS = {"tok2vec", "transformer"}


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
        str, typer.Option(help="The pipeline that continue.cfg goes on with.")
    ] = "null",
    vectors: Annotated[str, typer.Option(help="A pipeline, or null.")] = "null",
    lang: str = "en",
    steps: Annotated[int, typer.Option(help="Updates; 0: by the corpus.")] = 0,
    seed: int = 0,
    gpu_id: int = -1,
) -> None:
    """Train a pipeline; the best one by F1 on the dev part is kept."""
    config = load_config(recipe, overrides=read_changes(changes) if changes else {})
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
            "configs/continue.cfg goes on with a pipeline, and no other recipe does: "
            "--vars.config continue --vars.start en_gfl_sm."
        )
    if goes_on:
        settings["paths.start"] = start
        nlp = spacy.load(start)
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
    train(output / "recipe.cfg", output, use_gpu=gpu_id, overrides=settings)


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
            f"{unknown.total():,} of {labels.total():,} constituents have labels that "
            f"{start} does not know: {most}. Going on, it would unlearn them. Train "
            "from nothing instead: --vars.config sm."
        )


if __name__ == "__main__":
    typer.run(main)
