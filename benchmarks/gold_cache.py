"""Measure what it gains in training that gold trees are encoded once.

An epoch over the same sentences is timed with the encoded trees kept, as the component
keeps them, and with none kept, in turns, after an epoch of which nothing is timed.
"""

import statistics
import time
from pathlib import Path
from typing import Annotated

import typer
from spacy.training import Example
from spacy.util import minibatch

from spacy_gfl import get_parser
from spacy_gfl.data.corpus import TreebankCorpus
from spacy_gfl.pipe.gold import GoldCache
from spacy_gfl.pipe.pipelines import load_pipeline


def main(
    corpus: Annotated[Path, typer.Argument(help=".spacy file of gold trees.")],
    model: str = "en_gfl_sm",
    number: Annotated[int, typer.Option(help="Sentences.")] = 640,
    batch: Annotated[int, typer.Option(help="Sentences of an update.")] = 32,
    rounds: int = 5,
) -> None:
    """Print the seconds of each epoch, and how many times as long one takes."""
    nlp = load_pipeline(model)
    parser = get_parser(nlp)
    reader = TreebankCorpus(str(corpus), n_sents=1, limit=number)
    examples: list[Example] = list(reader(nlp))
    optimizer = nlp.resume_training()
    optimizer.learn_rate = 0.00001
    kept = parser._gold

    def epoch(*, keep: bool) -> float:
        began = time.perf_counter()
        for part in minibatch(examples, batch):
            parser._gold = kept if keep else GoldCache()
            parser.update(part, sgd=optimizer, drop=0.2)
        return time.perf_counter() - began

    epoch(keep=True)
    ratios = []
    for _ in range(rounds):
        anew, once = epoch(keep=False), epoch(keep=True)
        ratios.append(anew / once)
        print(f"encoded anew {anew:.2f} s, once {once:.2f} s")
    print(f"median: {statistics.median(ratios):.3f} times as long")


if __name__ == "__main__":
    typer.run(main)
