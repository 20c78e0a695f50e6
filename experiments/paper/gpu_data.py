"""Sentences and weights for `gpu_training.py`, which needs PyTorch alone, and back.

    python experiments/paper/gpu_data.py encode PIPELINE FOLDER --corpus gold.spacy=2 \
        --corpus silver.spacy=0.8 --dev dev.spacy
    python experiments/paper/gpu_training.py FOLDER --seconds 300
    python experiments/paper/gpu_data.py write PIPELINE FOLDER TRAINED_PIPELINE

PIPELINE has been initialised, or trained before.
"""

import json
from pathlib import Path
from typing import Annotated

import numpy
import spacy
import torch
import typer
from spacy.language import Language
from thinc.api import Model

from spacy_gfl import get_parser
from spacy_gfl.data.corpus import TreebankCorpus
from spacy_gfl.embedding.words import find
from spacy_gfl.model.model import network_shim
from spacy_gfl.pipe.gold import gold_of

#: The name of the word table among the weights.
TABLE = "word_table"

app = typer.Typer(help=__doc__, rich_markup_mode=None)


def word_table(nlp: Language) -> Model:
    """The layer of the parser that looks words up."""
    return next(node for node in get_parser(nlp).model.walk() if node.name == TABLE)


def encode_corpus(
    nlp: Language, path: str, max_length: int
) -> dict[str, numpy.ndarray]:
    """The sentences of a treebank as numbers.

    Returns:
        The row of the word table of each word, one sentence after the other, the
        symbols likewise, and both lengths of each sentence.
    """
    parser, table = get_parser(nlp), word_table(nlp)
    words, symbols = [], []
    corpus = TreebankCorpus(path, n_sents=1, gold_sents=True, max_length=max_length)
    for example in corpus(nlp):
        found = example.predicted.to_array([table.attrs["attr"]])
        rows = find(table.attrs["keys"], found) + 1
        gold = gold_of(example, parser.codec)
        for places, target in zip(gold.words, gold.targets, strict=True):
            words.append(rows[list(places)].astype("int32"))
            symbols.append(numpy.array(target, "uint8"))
    return {
        "words": numpy.concatenate(words),
        "symbols": numpy.concatenate(symbols),
        "n_words": numpy.array([len(sentence) for sentence in words]),
        "n_symbols": numpy.array([len(sentence) for sentence in symbols]),
    }


@app.command()
def encode(
    pipeline: str,
    folder: Path,
    corpus: Annotated[list[str], typer.Option(help="FILE=TIMES AN EPOCH.")],
    dev: Annotated[str, typer.Option(help="Trees that symbols are compared with.")],
    max_length: Annotated[int, typer.Option(help="Words of a sentence at most.")] = 120,
    batch_words: Annotated[int, typer.Option(help="Padded words an update.")] = 8192,
    learn_rate: float = 0.0014,
    warmup: Annotated[int, typer.Option(help="Updates.")] = 200,
    dropout: float = 0.1,
    turns: Annotated[int, typer.Option(help="Updates for one of the others.")] = 1,
    keep_best: Annotated[bool, typer.Option(help="By right symbols of dev.")] = False,
    seed: int = 0,
) -> None:
    """Write what a training needs into a folder."""
    nlp = spacy.load(pipeline)
    times = [one.rsplit("=", 1) for one in corpus]
    arrays = {
        f"{i}.{name}": array
        for i, path in enumerate([dev, *(path for path, _ in times)])
        for name, array in encode_corpus(nlp, path, max_length).items()
    }
    folder.mkdir(parents=True, exist_ok=True)
    numpy.savez_compressed(folder / "sentences.npz", **arrays)
    weights = network_shim(get_parser(nlp).model)._model.state_dict()
    table = word_table(nlp).get_param("E")
    numpy.savez(folder / "weights.npz", **weights, **{TABLE: table})
    settings = {
        "times": [0, *(float(number) for _, number in times)],
        "batch_words": batch_words,
        "learn_rate": learn_rate,
        "warmup": warmup,
        "dropout": dropout,
        "turns": turns,
        "keep_best": keep_best,
        "seed": seed,
    }
    (folder / "settings.json").write_text(json.dumps(settings, indent=1))


@app.command()
def write(pipeline: str, folder: Path, output: Path) -> None:
    """Write the pipeline with the weights that `gpu_training.py` left in the folder."""
    nlp = spacy.load(pipeline)
    with numpy.load(folder / "trained.npz") as arrays:
        weights = {name: arrays[name].astype("float32") for name in arrays.files}
    word_table(nlp).set_param("E", weights.pop(TABLE))
    network = network_shim(get_parser(nlp).model)._model
    network.load_state_dict({name: torch.from_numpy(w) for name, w in weights.items()})
    nlp.to_disk(output)


if __name__ == "__main__":
    app()
