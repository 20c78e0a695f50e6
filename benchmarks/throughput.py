"""How fast trained pipelines parse, and what share of the machine's peak that is.

    python benchmarks/throughput.py MODEL... --treebank FILE [--length 25]

Times the whole component, from ready-made Docs with gold tokens and sentences to
trees on them, with the transformer or tok2vec that it listens to. Every measurement
takes the next sentences of the treebank, because a parser keeps the features of words
that it has met: the same text twice would be too fast. All pipelines and settings are
measured in turn within one run, so that their ratios hold where the machine's speed
drifts; medians of several rounds. The peak is that of single-precision matrix products
in the same run.
"""

import statistics
import time
from collections import defaultdict
from collections.abc import Iterable
from functools import partial
from itertools import product
from pathlib import Path
from typing import Annotated

import spacy
import torch
import typer
from ready_made import doc_of, seconds_of
from spacy.language import Language
from spacy.pipeline import Pipe
from spacy.tokens import Doc
from wasabi import table

from spacy_gfl.data.corpus import TreebankCorpus
from spacy_gfl.decoding import threads as threads_of_searches
from spacy_gfl.decoding.threads import MOST_THREADS

#: Sides of the matrices whose product is timed.
SIDE = 1024
NAME = "constituency_parser"


def flops_of_word(nlp: Language) -> float:
    """Floating-point operations of one word in the matrices of the network."""
    module = nlp.get_pipe(NAME).model.get_ref("network").shims[0]._model
    matrices = (p for n, p in module.named_parameters() if p.dim() == 2)
    return 2.0 * sum(matrix.numel() for matrix in matrices)


def listened_to(nlp: Language) -> list[Pipe]:
    """The components whose vectors the parser takes, such as a transformer."""
    pipes = (pipe for _, pipe in nlp.pipeline)
    return [p for p in pipes if NAME in getattr(p, "listening_components", ())]


def sentences(treebank: Path, length: int) -> list[list[str]]:
    """The words of each sentence; only of those of `length` words, if it is not 0."""
    found = []
    for example in TreebankCorpus(treebank)(spacy.blank("xx")):
        for sent in example.reference.sents:
            if length in (0, len(sent)):
                found.append([token.text for token in sent])
    if not found:
        raise typer.BadParameter(f"{treebank} has no sentence of {length} words")
    return found


class Supply:
    """The sentences of a treebank as Docs, some at a time, and from the start again."""

    def __init__(self, texts: list[list[str]], number: int) -> None:
        self.texts, self.number, self.at = texts, number or len(texts), 0

    def take(self, nlp: Language) -> list[Doc]:
        """The next Docs, one a sentence."""
        chosen = range(self.at, self.at + self.number)
        self.at += self.number
        return [doc_of(nlp.vocab, self.texts[i % len(self.texts)]) for i in chosen]


def numbers(text: str) -> Iterable[int]:
    """Read "1,2"."""
    return map(int, text.split(","))


def main(
    models: Annotated[list[str], typer.Argument(help="Pipelines.")],
    treebank: Annotated[Path, typer.Option(help=".spacy file or brackets.")],
    length: Annotated[int, typer.Option(help="Words a sentence; 0: all.")] = 25,
    number: Annotated[int, typer.Option(help="Sentences; 0: all there are.")] = 640,
    threads: Annotated[str, typer.Option(help="Threads of torch.")] = "1,2",
    beams: Annotated[str, typer.Option(help="Beam widths.")] = "1,10",
    batches: Annotated[str, typer.Option(help="Words of a batch.")] = "1600,4096",
    precision: Annotated[str, typer.Option(help="Of the search.")] = "fp32,bf16",
    side_by_side: Annotated[
        str, typer.Option(help="Batches at a time at most; 1: threads share each.")
    ] = str(MOST_THREADS),
    n_process: Annotated[int, typer.Option(help="Also nlp.pipe so; 1: not.")] = 1,
    rounds: Annotated[int, typer.Option(help="Counted rounds.")] = 3,
    gpu_id: Annotated[int, typer.Option(help="GPU; -1 for the CPU.")] = -1,
) -> None:
    """Time the constituency parsers of pipelines on a treebank's sentences."""
    if gpu_id >= 0:
        spacy.require_gpu(gpu_id)
    pipelines = {name: spacy.load(name) for name in models}
    texts = sentences(treebank, length)
    # Each pipeline has met other words than the others.
    supplies = {name: Supply(texts, number) for name in pipelines}
    # Of each measurement: seconds, sentences, words.
    times: dict[tuple[str, str, int, int, int, str], list[tuple[float, int, int]]]
    times = defaultdict(list)
    peaks: dict[str, list[float]] = defaultdict(list)
    square = torch.randn(SIDE, SIDE)
    seconds = partial(seconds_of, clock=time.perf_counter)
    for _ in range(rounds + 1):
        for n_threads in numbers(threads):
            torch.set_num_threads(n_threads)
            taken = seconds(lambda: [square @ square for _ in range(10)])
            peaks[str(n_threads)].append(10 * 2 * SIDE**3 / taken)
            for name, nlp in pipelines.items():
                parser = nlp.get_pipe(NAME)
                for at_once, beam, words, bits in product(
                    numbers(side_by_side),
                    numbers(beams),
                    numbers(batches),
                    precision.split(","),
                ):
                    threads_of_searches.MOST_THREADS = at_once
                    parser.search.beam_width = beam
                    parser.search.batch_words = words
                    parser.search.precision = bits
                    some = supplies[name].take(nlp)
                    pipe: Iterable[Doc] = some
                    for component in (*listened_to(nlp), parser):
                        pipe = component.pipe(pipe, batch_size=1000)
                    key = (name, str(n_threads), at_once, beam, words, bits)
                    taken = seconds(lambda p=pipe: list(p))
                    times[key].append((taken, len(some), sum(map(len, some))))
                parser.search.beam_width, parser.search.precision = 1, "fp32"
        for name, nlp in pipelines.items() if n_process > 1 else ():
            words = nlp.get_pipe(NAME).search.batch_words
            key = (name, f"{n_process} processes", 1, 1, words, "fp32")
            names = [component.name for component in listened_to(nlp)]
            with nlp.select_pipes(enable=[*names, NAME]):
                some = supplies[name].take(nlp)
                pipe = nlp.pipe(some, n_process=n_process, batch_size=len(some) // 4)
                taken = seconds(lambda p=pipe: list(p))
                times[key].append((taken, len(some), sum(map(len, some))))
    rows = []
    for key, found in times.items():
        rate = statistics.median(n / taken for taken, n, _ in found[1:])
        words_rate = statistics.median(n / taken for taken, _, n in found[1:])
        share = "-"
        if key[1] in peaks and not listened_to(pipelines[key[0]]):
            used = words_rate * flops_of_word(pipelines[key[0]])
            share = f"{100 * used / statistics.median(peaks[key[1]][1:]):.0f} %"
        rows.append((*key, f"{rate:.0f}", f"{words_rate:.0f}", share))
    names = (
        "model threads side_by_side beam batch precision sentences/s words/s of_peak"
    )
    header = tuple(names.split())
    print(table([tuple(map(str, row)) for row in rows], header=header, divider=True))
    most = max(supply.at for supply in supplies.values())
    if most > len(texts):
        print(
            f"{len(texts)} sentences were taken {most / len(texts):.1f} times: take a "
            "larger treebank, another length or a smaller --number."
        )
    for n_threads, peak in peaks.items():
        gflops = statistics.median(peak[1:]) / 1e9
        print(f"Peak, {n_threads} threads: {gflops:.0f} GFLOP/s")


if __name__ == "__main__":
    typer.run(main)
