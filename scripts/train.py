"""Train a parser with a recipe, for as many steps as a corpus is worth.

A corpus of fewer than 320,000 words is read some forty times, however many steps the
recipe has. Where it has fewer than 2,000 trees, the recipe sm goes on from a trained
pipeline, which knows more than so few trees tell. In another language than English, sm
without vectors gets what its overfitting asks for (`WITHOUT_VECTORS`).
"""

from pathlib import Path
from typing import Annotated, Any

import spacy
import typer
from spacy.cli.train import train
from spacy.util import load_config

from spacy_gfl.annotation.storage import is_word, sentences
from spacy_gfl.formats import docbin

CONFIGS = Path(__file__).parents[1] / "configs"
#: Fewer trees do not make a parser by themselves.
FEW_TREES = 2000
#: An update is on some 840 words.
WORDS_PER_STEP = 20
LEAST_STEPS = 300
TOK2VEC = "components.constituency_parser.model.tok2vec"
#: Overrides of the recipe sm where words have no vectors from elsewhere: characters say
#: more, and words are forgotten more often.
WITHOUT_VECTORS = {
    f"{TOK2VEC}.char_features": 128,
    f"{TOK2VEC}.word_dropout": 0.25,
    "training.dropout": 0.4,
    "training.batcher.size": 700,
    "training.optimizer.learn_rate.initial_rate": 0.0015,
}


def main(
    recipe: Annotated[str, typer.Argument(help="A file in configs/, without ending.")],
    corpus: Annotated[Path, typer.Argument(help="train.spacy, dev.spacy and labels.")],
    output: Annotated[Path, typer.Argument(help="Where model-best is written.")],
    start: Annotated[
        str, typer.Option(help="Where few trees go on from; null: nowhere.")
    ] = "en_gfl_sm",
    vectors: str = "null",
    lang: str = "en",
    seed: int = 0,
    gpu_id: int = -1,
) -> None:
    """Train on corpus/train.spacy, and keep what is best on corpus/dev.spacy."""
    docs = docbin.read(corpus / "train.spacy", spacy.blank(lang).vocab)
    lengths = [sum(map(is_word, sent)) for doc in docs for sent in sentences(doc)]
    goes_on = (
        recipe == "sm"
        and len(lengths) < FEW_TREES
        and lang == "en"
        and start != "null"
        and vectors == "null"
    )
    paths = {"dev": str(corpus / "dev.spacy")}
    overrides: dict[str, Any] = {"system.seed": seed, "nlp.lang": lang}
    if goes_on:
        typer.echo(f"{len(lengths)} trees are few: going on from {start}.")
        recipe = "silver"
        paths["parser"] = start
        overrides |= {
            "corpora.train.path": str(corpus / "train.spacy"),
            "corpora.train.paths": None,
            "corpora.train.weights": None,
            "training.optimizer.learn_rate.initial_rate": 0.0005,
        }
    else:
        paths |= {
            "train": str(corpus / "train.spacy"),
            "labels": str(corpus / "labels" / "constituency_parser.json"),
        }
        overrides["paths.vectors"] = None if vectors == "null" else vectors
        if recipe == "sm" and vectors == "null" and lang != "en":
            overrides |= WITHOUT_VECTORS
    config = CONFIGS / f"{recipe}.cfg"
    overrides |= {f"paths.{name}": path for name, path in paths.items()}
    overrides |= steps(load_config(config)["training"], sum(lengths))
    train(config, output, use_gpu=gpu_id, overrides=overrides)


def steps(training: dict[str, Any], n_words: int) -> dict[str, int]:
    """The settings of a recipe that say how long training is, for so many words."""
    recipe = training["max_steps"]
    n_steps = min(recipe, max(LEAST_STEPS, n_words // WORDS_PER_STEP))
    if n_steps == recipe:
        return {}
    found = {
        "training.max_steps": n_steps,
        "training.eval_frequency": min(training["eval_frequency"], n_steps // 10),
    }
    rate = training["optimizer"]["learn_rate"]
    if isinstance(rate, dict) and "total_steps" in rate:
        warmup = min(rate["warmup_steps"], n_steps // 10)
        found["training.optimizer.learn_rate.total_steps"] = n_steps
        found["training.optimizer.learn_rate.warmup_steps"] = warmup
    return found


if __name__ == "__main__":
    typer.run(main)
