"""Which recurrent cell should read the sentence?

Trains the recipe `configs/sm.cfg` once for each run of `config.json`, which differ in
the encoder's cell, its directions and its width, and scores each on the dev part.

    python making/experiments/cells/cells.py --output training/cells

A run whose folder is there is not trained again, and its figures are kept: the command
goes on where it was stopped. `--only lstm gru` trains these; the table has all that
are done.
"""

import argparse
import json
import os
from pathlib import Path
from typing import Any

import spacy
from spacy.cli.train import train
from spacy.language import Language
from torch import nn
from wasabi import table

from spacy_gfl.data.corpus import TreebankCorpus
from spacy_gfl.decoding.network import Network
from spacy_gfl.evaluation.scorer import score_doc
from spacy_gfl.evaluation.summary import evaluate
from spacy_gfl.model.model import network_shim

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
PIPE = "constituency_parser"


def overrides(run: dict[str, Any], args: argparse.Namespace) -> dict[str, Any]:
    """The settings of the recipe that a run changes."""
    model = {**run, **args.settings.get("model", {})}
    return {
        "paths.train": str(args.train),
        "paths.dev": str(args.dev),
        "paths.vectors": None if args.vectors is None else str(args.vectors),
        "system.seed": args.seed,
        "training.max_steps": args.updates,
        "training.eval_frequency": args.updates,
        "training.optimizer.learn_rate.total_steps": args.updates,
        "training.optimizer.learn_rate.warmup_steps": args.settings["warmup"],
        **{f"components.{PIPE}.model.{name}": value for name, value in model.items()},
    }


def train_run(name: str, run: dict[str, Any], args: argparse.Namespace) -> Path:
    """Train a run, unless it is there; a folder by its name is a whole training."""
    folder = args.output / name
    if not folder.exists():
        unfinished = args.output / f"{name}.unfinished"
        train(ROOT / "configs" / "sm.cfg", unfinished, overrides=overrides(run, args))
        os.replace(unfinished, folder)
    return folder / "model-last"


def network(nlp: Language) -> Network[Any]:
    """The parser's network of PyTorch."""
    return network_shim(nlp.get_pipe(PIPE).model).network


def size(module: nn.Module) -> int:
    """How many parameters a module has."""
    return sum(parameter.numel() for parameter in module.parameters())


def f1_by_length(nlp: Language, dev: Path) -> dict[str, float]:
    """F1 in percent, of all sentences and by their length; gold sentences."""
    examples = list(TreebankCorpus(dev, gold_sents=True)(nlp))
    docs = nlp.pipe([example.predicted for example in examples])
    pairs = zip(examples, docs, strict=True)
    found = evaluate(s for eg, doc in pairs for s in score_doc(eg.reference, doc))
    parts = {"all": found.all, **found.by_length}
    return {name: part.labelled.scores(100.0)[2] for name, part in parts.items()}


def figures(name: str, args: argparse.Namespace) -> dict[str, Any]:
    """The reported figures of a trained run, computed once."""
    path = args.output / f"{name}.json"
    if path.exists():
        return json.loads(path.read_text(encoding="utf-8"))
    nlp = spacy.load(args.output / name / "model-last")
    module = network(nlp)
    settings = module.settings
    found = {
        "run": name,
        **{key: settings[key] for key in ("cell", "bidirectional", "width")},
        "encoder": size(module.encoder),
        "network": size(module),
        "updates": nlp.config["training"]["max_steps"],
        "f1": f1_by_length(nlp, args.dev),
    }
    path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return found


def arguments(about: str, folder: Path) -> argparse.ArgumentParser:
    """The command line of a study in `folder` that trains runs of the recipe."""
    parser = argparse.ArgumentParser(description=about.partition("\n")[0])
    add, models = parser.add_argument, Path("training") / folder.name
    add("--output", type=Path, default=models, help="Models, figures.")
    add("--train", type=Path, default=Path("corpus/sm/train-gum.spacy"))
    add("--dev", type=Path, default=Path("corpus/sm/dev-gum.spacy"))
    add("--vectors", type=Path, help="A pipeline with static vectors.")
    add("--updates", type=int, help="Of each run; 1,330 are six epochs of GUM.")
    add("--seed", type=int, default=0)
    add("--small", action="store_true", help="A tiny model, for a test.")
    return parser


def configured(args: argparse.Namespace, folder: Path) -> dict[str, Any]:
    """A study's runs; its settings are added to the arguments."""
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    args.settings = config["small" if args.small else "large"]
    args.updates = args.updates or args.settings["updates"]
    return config["runs"]


def main() -> None:
    parser = arguments(__doc__, HERE)
    parser.add_argument("--only", nargs="*", metavar="RUN", help="Train no others.")
    args = parser.parse_args()
    runs = configured(args, HERE)
    for name in args.only if args.only is not None else runs:
        train_run(name, runs[name], args)
    args.output.mkdir(parents=True, exist_ok=True)
    done = [figures(name, args) for name in runs if (args.output / name).exists()]
    header = ["run", "cell", "directions", "width", "parameters of the encoder"]
    header += ["of the network", "updates", "F1"]
    print(
        table(
            [
                [
                    *(row["run"], row["cell"], 1 + row["bidirectional"], row["width"]),
                    *(f"{row['encoder']:,}", f"{row['network']:,}", row["updates"]),
                    f"{row['f1']['all']:.2f}",
                ]
                for row in done
            ],
            header=header,
        )
    )
    lengths = sorted({n for row in done for n in row["f1"]} - {"all"}, key=_first)
    by_length = [
        [row["run"], *(f"{row['f1'].get(name, 0.0):.1f}" for name in lengths)]
        for row in done
    ]
    print(table(by_length, header=["F1 by words", *lengths]))


def _first(length_class: str) -> int:
    return int(length_class.rstrip("+").split("-")[0])


if __name__ == "__main__":
    main()
