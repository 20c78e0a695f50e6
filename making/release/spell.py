"""Let a parser that predicts words learn to spell those that its vocabulary lacks.

    python spell.py training/en_gfl_inc/model-best output trees.spacy text.txt

What is new in the network learns; all other weights stay as they are. Text has a
paragraph per line. `spacy_gfl.GenerativeAttachJuxtapose.v1` learns to spell in training
by itself: this is for a pipeline that was trained without (`spelling_width = 0`), or
that is to learn the spelling of words that have no trees.
"""

import argparse
import math
import random
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import spacy
import torch
from spacy.language import Language

from spacy_gfl import get_parser
from spacy_gfl.left_to_right.generative_network import GenerativeNetwork
from spacy_gfl.left_to_right.spelling import Spelling
from spacy_gfl.model.model import network_shim
from spacy_gfl.model.weights import OTHER_BITS, SAVED_BITS
from spacy_gfl.tools.treebanks.formats import docbin

#: A class and a normal form, and how often it occurs.
Forms = Counter[tuple[int, str]]
#: Words of an update, the rate that falls to 0, and dropout.
BATCH, RATE, DROPOUT = 256, 0.004, 0.1


def sentences(nlp: Language, paths: Iterable[Path]) -> Iterator[list[str]]:
    """The words of .spacy files, and of the lines of texts."""
    for path in paths:
        if path.suffix == ".spacy":
            docs = docbin.read(path, spacy.blank(nlp.lang).vocab, need_trees=False)
        else:
            lines = path.read_text(encoding="utf-8").splitlines()
            docs = nlp.tokenizer.pipe(filter(str.strip, lines))
        for doc in docs:
            yield [token.text for token in doc if not token.is_space]


def unknown_forms(codec: Any, words: Iterable[Sequence[str]]) -> Forms:
    """How often each word is spelled."""
    found: Forms = Counter()
    for sentence in words:
        of_sentence = codec.word_ids(sentence).spelled
        found.update((word.kind, word.form) for word in of_sentence)
    return found


def fit(spelling: Spelling, forms: Forms, epochs: int, seed: int = 0) -> None:
    """Train on all words, each as often as it occurs, but three times at most."""
    words = [word for word, n in sorted(forms.items()) for _ in range(min(n, 3))]
    rng = random.Random(seed)
    optimizer = torch.optim.AdamW(spelling.parameters(), weight_decay=0.01)
    n_steps = epochs * math.ceil(len(words) / BATCH)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, RATE, n_steps, pct_start=0.05
    )
    spelling.train()
    for epoch in range(1, epochs + 1):
        rng.shuffle(words)
        nats = 0.0
        for at in range(0, len(words), BATCH):
            kinds, texts = zip(*words[at : at + BATCH], strict=True)
            loss = -spelling(kinds, texts, DROPOUT).mean()
            optimizer.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(spelling.parameters(), 1.0)
            optimizer.step()
            schedule.step()
            nats += loss.item() * len(kinds)
        print(f"epoch {epoch}: {nats / len(words) / math.log(2):.2f} bits", flush=True)
    spelling.eval()


def bits_per_word(spelling: Spelling, forms: Forms) -> float:
    """How many bits the spelling of a word takes, on average."""
    kinds, texts = zip(*forms, strict=True)
    with torch.inference_mode():
        nats = -spelling(kinds, texts)
    counts = torch.tensor(list(forms.values()))
    return float((nats * counts).sum() / counts.sum()) / math.log(2)


def with_spelling(network: GenerativeNetwork, width: int) -> GenerativeNetwork:
    """A network with the same weights that can learn to spell."""
    made = GenerativeNetwork(**{**network.settings, "spelling_width": width})
    kept = {
        name: weight
        for name, weight in network.state_dict().items()
        if not name.startswith("spelling.")
    }
    made.load_state_dict(made.state_dict() | kept)
    for name in (SAVED_BITS, OTHER_BITS):
        if hasattr(network, name):
            setattr(made, name, getattr(network, name))
    return made.eval()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("model", help="a pipeline with a parser that predicts words")
    add("output", type=Path, help="a folder for the pipeline")
    add("inputs", type=Path, nargs="+", help=".spacy files and texts")
    add("--dev", type=Path, nargs="*", default=[], help="held out, to be measured")
    add("--width", type=int, default=192, help="units of the LSTM")
    add("--epochs", type=int, default=12)
    args = parser.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    nlp = spacy.load(args.model)
    parser_pipe = get_parser(nlp)
    shim, codec = network_shim(parser_pipe.model), parser_pipe.codec
    forms = unknown_forms(codec, sentences(nlp, args.inputs))
    print(f"{len(forms)} words, {forms.total()} times")
    network = with_spelling(shim.network, args.width)
    assert network.spelling is not None
    fit(network.spelling, forms, args.epochs)
    for path in args.dev:
        held_out = unknown_forms(codec, sentences(nlp, [path]))
        bits = bits_per_word(network.spelling, held_out)
        print(f"{path.name}: {held_out.total()} words, {bits:.2f} bits per word")
    shim.network = network
    nlp.to_disk(args.output)


if __name__ == "__main__":
    main()
