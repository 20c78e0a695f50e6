"""How fast trained pipelines parse: sentences and words per second.

    python making/benchmarks/throughput.py MODEL... --treebank FILE [--length 25]

Times the whole component, from ready-made Docs with gold tokens and sentences to
trees on them, with the transformer or tok2vec that it listens to. Every measurement
takes the next sentences of the treebank, because a parser keeps the features of words
that it has met: the same text twice would be too fast. All pipelines and settings are
measured in turn within one run, so that their ratios hold where the machine's speed
drifts; medians of several rounds.
"""

import statistics
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import cycle, islice, product
from pathlib import Path
from typing import Annotated

import spacy
import torch
import typer
from ready_made import doc_of, seconds_of
from spacy.language import Language
from spacy.tokens import Doc
from wasabi import table

from spacy_gfl import get_parser
from spacy_gfl.data.corpus import TreebankCorpus


def components(nlp: Language) -> list[str]:
    """The parser, after the components whose vectors it takes."""
    pipes = dict(nlp.pipeline)
    [parser] = [name for name, pipe in pipes.items() if pipe is get_parser(nlp)]
    heard = (
        n for n in pipes if parser in getattr(pipes[n], "listening_components", ())
    )
    return [*heard, parser]


def sentences(treebank: Path, length: int) -> Iterator[list[str]]:
    """The words of each sentence, again and again; `length` words, if it is not 0."""
    found = []
    for example in TreebankCorpus(treebank)(spacy.blank("xx")):
        for sent in example.reference.sents:
            if length in (0, len(sent)):
                found.append([token.text for token in sent])
    if not found:
        raise typer.BadParameter(f"{treebank} has no sentence of {length} words")
    return cycle(found)


def main(
    models: Annotated[list[str], typer.Argument(help="Pipelines.")],
    treebank: Annotated[Path, typer.Option(help=".spacy file or brackets.")],
    length: Annotated[int, typer.Option(help="Words per sentence; 0: all.")] = 25,
    number: Annotated[int, typer.Option(help="Sentences per measurement.")] = 320,
    threads: Annotated[str, typer.Option(help="Threads of torch.")] = "1",
    beams: Annotated[
        str, typer.Option(help="Beam widths; 0: each pipeline's own.")
    ] = "1",
    precision: Annotated[str, typer.Option(help="Of the search.")] = "fp32,bf16,int8",
    rounds: Annotated[int, typer.Option(help="Counted rounds.")] = 3,
    gpu_id: Annotated[int, typer.Option(help="GPU; -1 for the CPU.")] = -1,
) -> None:
    """Time the constituency parsers of pipelines on a treebank's sentences."""
    if gpu_id >= 0:
        spacy.require_gpu(gpu_id)
    pipelines = {name: spacy.load(name) for name in models}
    own = {name: get_parser(nlp).search.beam_width for name, nlp in pipelines.items()}
    texts = {name: sentences(treebank, length) for name in pipelines}
    numbers = [[int(n) for n in option.split(",")] for option in (threads, beams)]
    settings = list(product(*numbers, precision.split(",")))
    rates: dict[tuple, list[tuple[float, float]]] = defaultdict(list)
    for _, (name, nlp) in product(range(rounds + 1), pipelines.items()):
        parser = get_parser(nlp)
        for n_threads, given, bits in settings:
            beam = given or own[name]
            torch.set_num_threads(n_threads)
            parser.search.beam_width, parser.search.precision = beam, bits
            words = list(islice(texts[name], number))
            pipe: Iterable[Doc] = [doc_of(nlp.vocab, some) for some in words]
            for component in components(nlp):
                pipe = nlp.get_pipe(component).pipe(pipe, batch_size=1000)
            # Of one thread the processor's time, whatever else it is doing.
            clock = time.perf_counter if n_threads > 1 else time.process_time
            seconds = seconds_of(lambda p=pipe: list(p), clock=clock)
            rate = len(words) / seconds, sum(map(len, words)) / seconds
            rates[name, n_threads, beam, bits].append(rate)
    rows = []
    for key, found in rates.items():
        # The first round computes what is kept of weights.
        medians = (statistics.median(values) for values in zip(*found[1:], strict=True))
        rows.append((*map(str, key), *(f"{value:.0f}" for value in medians)))
    header = ("model", "threads", "beam", "precision", "sentences/s", "words/s")
    print(table(rows, header=header, divider=True))


if __name__ == "__main__":
    typer.run(main)
