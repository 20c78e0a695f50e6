"""How long the paper's decoder would take for the trees that a pipeline finds.

    python benchmarks/decoders.py MODEL --treebank FILE [--length 25]

Compares a pipeline's parser, from ready-made Docs to trees on them, with the network
alone of `configs/gfl.cfg`, greedy. That network is not trained: it is made to write as
many symbols as the pipeline's trees have, without looking whether they are a tree.
Both are timed in turn, in one thread's processor time; medians of several rounds.
"""

import statistics
import time
from pathlib import Path
from typing import Annotated

import spacy
import torch
import typer
from ready_made import seconds_of
from throughput import NAME, Supply, sentences
from wasabi import table

from spacy_gfl.annotation.storage import get_trees
from spacy_gfl.decoding.beam import beam_search
from spacy_gfl.seq2seq.grammar import CLOSE, END, OPEN, WORD
from spacy_gfl.seq2seq.network import Seq2SeqNetwork

#: As in `configs/gfl.cfg`.
WIDTH, DEPTH, LABELS = 256, 3, 31


def untrained() -> Seq2SeqNetwork:
    """The paper's network at random, which never ends a tree by itself."""
    torch.manual_seed(0)
    parser = Seq2SeqNetwork(
        input_width=WIDTH,
        symbol_kinds=[END, WORD] + [OPEN] * LABELS + [CLOSE] * LABELS,
        symbol_labels=[-1, -1, *range(LABELS), *range(LABELS)],
        longest_opening_run=8,
        width=WIDTH,
        depth=DEPTH,
        cell="lstm",
        attention=True,
        input_feeding=True,
        reverse_input=True,
    ).eval()
    with torch.no_grad():
        parser.decoder.output.bias[END] = -1e9
    return parser


def main(
    model: Annotated[str, typer.Argument(help="A pipeline.")],
    treebank: Annotated[Path, typer.Option(help=".spacy file or brackets.")],
    length: Annotated[int, typer.Option(help="Words a sentence.")] = 25,
    number: Annotated[int, typer.Option(help="Sentences, of one batch.")] = 160,
    rounds: Annotated[int, typer.Option(help="Counted rounds.")] = 3,
) -> None:
    """Time a pipeline's parser and the paper's network on the same sentences."""
    torch.set_num_threads(1)
    nlp = spacy.load(model)
    parser = nlp.get_pipe(NAME)
    docs = Supply(sentences(treebank, length), number).take(nlp)
    parsed = list(parser.pipe(doc.copy() for doc in docs))
    trees = [tree for doc in parsed for tree in get_trees(doc)]
    symbols = [len(tree) + 2 * len(tree.constituents) + 1 for tree in trees]
    paper = untrained()
    sizes = [length] * number
    vectors = [torch.randn(length, WIDTH) for _ in sizes]

    @torch.inference_mode()
    def write() -> None:
        steps = paper.decoder_of(paper.encode(vectors, sizes, 0.0))
        beam_search(steps, symbols)

    times = []
    for _ in range(rounds + 1):
        some = [doc.copy() for doc in docs]
        work = (lambda some=some: list(parser.pipe(some, batch_size=1000)), write)
        times.append(tuple(seconds_of(one, time.thread_time) for one in work))
    medians = [statistics.median(part) for part in zip(*times[1:], strict=True)]
    a_sentence = f"{statistics.mean(symbols):.0f} symbols"
    rows = [
        (name, steps, f"{number / seconds:.0f}")
        for name, steps, seconds in zip(
            (model, "configs/gfl.cfg, untrained"),
            (f"{length} words", a_sentence),
            medians,
            strict=True,
        )
    ]
    header = ("network", "steps a sentence", "sentences/s")
    print(table(rows, header=header, divider=True))


if __name__ == "__main__":
    typer.run(main)
