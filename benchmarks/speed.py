"""How fast a trained pipeline parses.

    python benchmarks/speed.py MODEL TREEBANK [--beam-width 1] [--threads 1]

Takes gold tokens and sentences, so that nothing but the parser is timed. Prints
sentences and words a second: the median of several runs over the same Docs, after
one run that is not counted.
"""

import statistics
import time
from pathlib import Path
from typing import Annotated, List

import spacy
import torch
import typer
from spacy.tokens import Doc

from spacy_gfl.data.corpus import TreebankCorpus


def main(
    model: Annotated[Path, typer.Argument(help="Folder or package of a pipeline.")],
    treebank: Annotated[Path, typer.Argument(help=".spacy file or brackets.")],
    beam_width: Annotated[int, typer.Option(help="Hypotheses a sentence.")] = 1,
    free: Annotated[bool, typer.Option(help="The paper's free search.")] = False,
    threads: Annotated[int, typer.Option(help="Threads that torch may use.")] = 1,
    limit: Annotated[int, typer.Option(help="At most so many Docs; 0: all.")] = 0,
    runs: Annotated[int, typer.Option(help="Counted runs.")] = 3,
    gpu_id: Annotated[int, typer.Option(help="GPU; -1 for the CPU.")] = -1,
) -> None:
    """Time the constituency parser of a pipeline on a treebank's sentences."""
    torch.set_num_threads(threads)
    if gpu_id >= 0:
        spacy.require_gpu(gpu_id)
    nlp = spacy.load(model)
    parser = nlp.get_pipe("constituency_parser")
    parser.search.beam_width = beam_width
    parser.search.constrained = not free
    corpus = TreebankCorpus(treebank, limit=limit, gold_sents=True)
    docs: List[Doc] = [example.predicted for example in corpus(nlp)]
    n_sents = sum(len(list(doc.sents)) for doc in docs)
    n_words = sum(len(doc) for doc in docs)
    times = []
    for _ in range(runs + 1):
        start = time.perf_counter()
        for _ in parser.pipe((doc.copy() for doc in docs), batch_size=1000):
            pass
        times.append(time.perf_counter() - start)
    seconds = statistics.median(times[1:])
    print(
        f"{n_sents} sentences, {n_words} words, beam {beam_width}, {threads} threads: "
        f"{n_sents / seconds:.1f} sentences/s, {n_words / seconds:.0f} words/s "
        f"(median of {runs} runs, {min(times[1:]):.1f} to {max(times[1:]):.1f} s)"
    )


if __name__ == "__main__":
    typer.run(main)
