"""Does a parser that never saw a part-of-speech tag know them?

Two parsers of the recipe `configs/sm.cfg`: one with its tagger, one without
(`tag_loss = 0`). A linear probe reads tags off the frozen states of the latter's
encoder; to compare, others read them off its word vectors, and off an encoder of the
same shape that is left as it was drawn.

    python making/experiments/tagging/tagging.py --output training/tagging

A parser whose folder is there (`tags`, `no-tags`) is not trained again.
"""

import sys
from collections import Counter, defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import spacy
import torch
from spacy.language import Language
from spacy.tokens import Doc
from torch import Tensor, nn
from torch.nn import functional
from wasabi import table

from spacy_gfl.decoding.batches import length_batches
from spacy_gfl.layers.encoder import RecurrentStack
from spacy_gfl.tools.treebanks.inputs import read_treebank

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "cells"))
import cells  # noqa: E402

#: What is read: a parser, and where in it.
FREQUENT, WORDS = "most frequent tag of the word", "word vectors"
DRAWN, STATES = "untrained encoder", "parser without tags"
TAUGHT, TAGGER = "parser with tags", "its own tagger"


class Reader:
    """The frozen states of a trained parser.

    Args:
        nlp: The pipeline.
        drawn: Whether to put an encoder in the place of the trained one that is as
            training begins with it.
    """

    def __init__(self, nlp: Language, drawn: bool = False) -> None:
        module = cells.network(nlp)
        self.tok2vec = nlp.get_pipe(cells.PIPE).model.get_ref("tok2vec")
        self.encoder, self.tagger = module.encoder.eval(), module.tagger
        self.tags = nlp.get_pipe(cells.PIPE).codec.tags
        if drawn:
            names = ("input_width", "width", "depth", "cell", "bidirectional")
            shape = (module.settings[name] for name in names)
            self.encoder = RecurrentStack(*shape).eval()

    @torch.no_grad()
    def words(self, docs: list[Doc]) -> Tensor:
        """The word vectors of all Docs, `(words, width)`."""
        return torch.cat([torch.tensor(v) for v in self.tok2vec.predict(docs)])

    @torch.no_grad()
    def states(self, docs: list[Doc]) -> Tensor:
        """The encoder's states in both directions, of Docs that are a sentence each."""
        parts = self.words(docs).split([len(doc) for doc in docs])
        found: list[Any] = [None] * len(docs)
        for group in length_batches([len(doc) for doc in docs], 4000):
            lengths = torch.tensor([len(docs[i]) for i in group])
            padded = nn.utils.rnn.pad_sequence([parts[i] for i in group])
            both = self.encoder(padded.transpose(0, 1), lengths)
            for i, states in zip(group, both, strict=True):
                found[i] = states[: len(docs[i])].clone()
        return torch.cat(found)

    def own_tags(self, docs: list[Doc]) -> list[str]:
        """The tags that the parser's tagger predicts."""
        with torch.no_grad():
            best = self.tagger(self.states(docs)).argmax(1)
        return [self.tags[i] for i in best.tolist()]


Read = Callable[[list[Doc]], Tensor]


def probe(read: Read, train: list[Doc], dev: list[Doc], config: dict) -> list[str]:
    """The tags of dev that a linear layer tells, trained on what is read of train."""
    torch.manual_seed(0)
    inputs, gold = read(train), [token.tag_ for doc in train for token in doc]
    mean, scale = inputs.mean(0), inputs.std(0).clamp(min=1e-6)
    inputs = (inputs - mean) / scale
    names = sorted(set(gold))
    number = {tag: i for i, tag in enumerate(names)}
    targets = torch.tensor([number[tag] for tag in gold])
    layer = nn.Linear(inputs.shape[1], len(names))
    optimizer = torch.optim.Adam(layer.parameters(), lr=config["learn_rate"])
    for _ in range(config["epochs"]):
        for rows in torch.randperm(len(inputs)).split(config["batch"]):
            optimizer.zero_grad()
            functional.cross_entropy(layer(inputs[rows]), targets[rows]).backward()
            optimizer.step()
    with torch.no_grad():
        best = layer((read(dev) - mean) / scale).argmax(1)
    return [names[i] for i in best.tolist()]


def most_frequent(train: list[Doc], dev: list[Doc]) -> list[str]:
    """Every word's most frequent tag in training; that of all for a new word."""
    counts: dict[str, Counter] = defaultdict(Counter)
    for token in (token for doc in train for token in doc):
        counts[token.lower_][token.tag_] += 1
    [(of_all, _)] = sum(counts.values(), Counter()).most_common(1)
    best = {word: tags.most_common(1)[0][0] for word, tags in counts.items()}
    return [best.get(token.lower_, of_all) for doc in dev for token in doc]


def share(hits: list[bool]) -> float:
    """How many are right, in percent."""
    return 100 * sum(hits) / len(hits) if hits else 0.0


def main() -> None:
    args = cells.arguments(__doc__, HERE).parse_args()
    pipelines = {
        name: spacy.load(cells.train_run(name, run, args))
        for name, run in cells.configured(args, HERE).items()
    }
    without, taught = pipelines["no-tags"], pipelines["tags"]
    # With the vectors of the pipelines' vocabulary, which both have.
    train, dev = (
        [
            sent.as_doc()
            for doc in read_treebank(path, without.vocab)
            for sent in doc.sents
        ]
        for path in (args.train, args.dev)
    )
    train = train[:: max(1, len(train) // args.settings["sentences"])]
    reads: dict[str, Read] = {
        WORDS: Reader(without).words,
        DRAWN: Reader(without, drawn=True).states,
        STATES: Reader(without).states,
        TAUGHT: Reader(taught).states,
    }
    found = {FREQUENT: most_frequent(train, dev)}
    for name, read in reads.items():
        found[name] = probe(read, train, dev, args.settings)
    found[TAGGER] = Reader(taught).own_tags(dev)
    gold = [token.tag_ for doc in dev for token in doc]
    seen = {token.lower_ for doc in train for token in doc}
    is_new = [token.lower_ not in seen for doc in dev for token in doc]
    hits = {
        name: [a == b for a, b in zip(tags, gold, strict=True)]
        for name, tags in found.items()
    }
    rows = []
    for name, right in hits.items():
        new = [hit for hit, new in zip(right, is_new, strict=True) if new]
        rows.append([name, f"{share(right):.2f}", f"{share(new):.2f}"])
    print(f"{len(train):,} sentences; {len(gold):,} words, {sum(is_new):,} of them new")
    print(table(rows, header=["tags read off", "accuracy", "of new words"]))
    shown, by_tag = [FREQUENT, WORDS, DRAWN, STATES, TAGGER], []
    for tag, n in Counter(gold).items():
        if n >= args.settings["least"]:
            of_tag = [i for i, other in enumerate(gold) if other == tag]
            shares = [share([hits[name][i] for i in of_tag]) for name in shown]
            by_tag.append([tag, n, *shares])
    # What the parser adds to the better of what it is given and what is drawn.
    by_tag.sort(key=lambda row: max(row[3], row[4]) - row[5])
    cells_of = [[*row[:2], *(f"{value:.1f}" for value in row[2:])] for row in by_tag]
    print(table(cells_of, header=["tag", "words", *shown]))


if __name__ == "__main__":
    main()
