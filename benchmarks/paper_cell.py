"""How the paper's cell, h = m * o, trains: a table of tries.

    python benchmarks/paper_cell.py TREEBANK tries.jsonl

Every try is a small LSTM+A whose weights start uniformly in [-0.08, 0.08], with three
layers, and batches of 16 short sentences, the shortest first: at each update they are
drawn from the part of the sentences whose length has been reached. Tries differ in
optimizer and rate, input feeding, and the norm to which gradients are clipped; the
last ones have the usual cell instead, to compare. A line of OUT is a try,
and those that are there already are not done again.
"""

import itertools
import json
import math
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import spacy
import srsly
import torch
import typer
from torch import nn
from wasabi import table

from spacy_gfl.annotation.storage import get_trees
from spacy_gfl.data.corpus import TreebankCorpus
from spacy_gfl.decoding.network import LossTask
from spacy_gfl.seq2seq.codec import Symbols
from spacy_gfl.seq2seq.network import Seq2SeqNetwork
from spacy_gfl.trees.tree import Tree

START, BATCH = 0.08, 16
#: Of Adam those around ours, of SGD those around Sutskever et al. (2014), 0.7.
RATES = {"SGD": (0.1, 0.7, 2.0), "Adam": (0.0003, 0.001, 0.003)}


@dataclass(frozen=True)
class Try:
    cell: str
    optimizer: str
    rate: float
    input_feeding: bool
    clip: float


def all_tries() -> Iterator[Try]:
    for cell, feeding, clips in (
        ("paper", True, (5.0, 1.0)),
        ("paper", False, (5.0, 1.0)),
        ("lstm", True, (5.0,)),
    ):
        for clip, (optimizer, rates) in itertools.product(clips, RATES.items()):
            for rate in rates:
                yield Try(cell, optimizer, rate, feeding, clip)


class Trial(nn.Module):
    """A network and the words and trees that it is to learn."""

    def __init__(self, one: Try, trees: list[Tree], width: int) -> None:
        super().__init__()
        codec = Symbols.from_trees(trees)
        counts = Counter(word for tree in trees for word in tree.words)
        several = [word for word, n in counts.items() if n > 1]
        known = {word: i for i, word in enumerate(several)}
        self.words = [
            torch.tensor([known.get(word, len(known)) for word in tree.words])
            for tree in trees
        ]
        self.targets = [codec.encode(tree) for tree in trees]
        self.table = nn.Embedding(len(known) + 1, width)
        self.parser = Seq2SeqNetwork(
            input_width=width,
            **codec.network_settings(),
            width=width,
            depth=3,
            cell=one.cell,
            attention=True,
            input_feeding=one.input_feeding,
            reverse_input=True,
        )
        for name, parameter in self.named_parameters():
            if "bias" not in name:
                nn.init.uniform_(parameter, -START, START)

    def forward(self, chosen: list[int]) -> torch.Tensor:
        """The summed loss of some sentences (nats)."""
        vectors = self.table(torch.cat([self.words[i] for i in chosen]))
        lengths = [len(self.words[i]) for i in chosen]
        task = LossTask([self.targets[i] for i in chosen], batch_words=10**6)
        return self.parser(vectors, lengths, task)

    @torch.no_grad()
    def loss_a_symbol(self) -> float:
        self.eval()
        total = float(self(list(range(len(self.words)))))
        return total / sum(map(len, self.targets))


def attempt(one: Try, trees: list[Tree], updates: int, width: int) -> dict[str, float]:
    """Train; gives the loss a symbol before and after, and the largest norm."""
    torch.manual_seed(0)
    rng = random.Random(0)
    trial = Trial(one, trees, width)
    optimizer = getattr(torch.optim, one.optimizer)(trial.parameters(), lr=one.rate)
    before, largest, left_out = trial.loss_a_symbol(), 0.0, 0
    trial.train()
    for t in range(updates):
        reached = math.ceil(len(trees) * min(1.0, 0.1 + 1.2 * t / updates))
        chosen = rng.sample(range(max(BATCH, reached)), BATCH)
        optimizer.zero_grad()
        (trial(chosen) / BATCH).backward()
        norm = float(nn.utils.clip_grad_norm_(trial.parameters(), one.clip))
        if math.isfinite(norm):
            largest = max(largest, norm)
            optimizer.step()
        else:
            left_out += 1
    return {
        "before": before,
        "after": trial.loss_a_symbol(),
        "norm": largest,
        "left_out": left_out,
    }


def main(
    treebank: Path,
    out: Path,
    sentences: Annotated[int, typer.Option(help="How many are learnt.")] = 400,
    least_words: Annotated[int, typer.Option(help="Of a sentence.")] = 4,
    max_words: Annotated[int, typer.Option(help="Of a sentence.")] = 12,
    updates: int = 150,
    width: int = 64,
    only: Annotated[
        str, typer.Option(help='Tries with this in their line, such as "Adam".')
    ] = "",
) -> None:
    """Try what has not been tried, and print the table."""
    torch.set_num_threads(1)
    corpus = TreebankCorpus(treebank, max_length=max_words)
    trees = [
        tree
        for example in corpus(spacy.blank("en"))
        for tree in get_trees(example.reference)
        if len(tree) >= least_words
    ]
    if len(trees) < BATCH:
        raise typer.BadParameter(f"{treebank} has only {len(trees)} such sentences")
    random.Random(0).shuffle(trees)
    trees = sorted(trees[:sentences], key=len)
    lines = out.read_text(encoding="utf-8").splitlines() if out.exists() else []
    # srsly's reader does not give back the same numbers: 0.7 is not 0.7 any more.
    done = [json.loads(line) for line in lines]
    for one in all_tries():
        settings = {**asdict(one), "width": width, "updates": updates}
        if only in str(one) and not any(settings.items() <= d.items() for d in done):
            line = {**settings, **attempt(one, trees, updates, width)}
            done.append(line)
            srsly.write_jsonl(out, [line], append=True, append_new_line=False)
    symbols = Counter(
        symbol for tree in trees for symbol in Symbols.from_trees(trees).encode(tree)
    )
    total = symbols.total()
    entropy = -sum(n / total * math.log(n / total) for n in symbols.values())
    words = sum(map(len, trees))
    print(
        f"{len(trees)} sentences of {words} words; a symbol by frequency: {entropy:.2f}"
    )
    rows = [
        [
            f"{value:.4g}" if isinstance(value, float) else value
            for value in line.values()
        ]
        for line in done
    ]
    print(table(rows, header=list(done[0])))


if __name__ == "__main__":
    typer.run(main)
