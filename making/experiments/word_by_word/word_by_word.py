"""Does a parser that predicts words know what a reader knows?

Perplexity beside 5-grams and an LSTM of the same words, agreement with attractors, and
surprisal where garden paths end.

    python making/experiments/word_by_word/word_by_word.py --model en_gfl_inc
"""

import argparse
import csv
import math
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import spacy
import srsly
import torch
from spacy.tokens import Doc

from spacy_gfl import Tree, get_parser, get_trees
from spacy_gfl.left_to_right.beam_columns import surprisal
from spacy_gfl.left_to_right.growth import GrowthTask
from spacy_gfl.model.model import ModelInput, network_shim
from spacy_gfl.tools.treebanks.inputs import read_treebank, treebank_files

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "language_model"), str(HERE.parent / "agreement")]
from items import find_items, inflections  # noqa: E402
from kneser_ney import KneserNey, windows  # noqa: E402
from language_model import LanguageModel, in_rows, train  # noqa: E402
from open_text import normalize, settings  # noqa: E402

Sentences = list[tuple[str, ...]]
#: Words of the longest n-grams.
ORDER = 5


def read_trees(paths: Sequence[Path]) -> Iterator[Tree]:
    """The trees of treebanks."""
    vocab = spacy.blank("en").vocab
    for path in paths:
        for file in treebank_files(path, docbins=True):
            for doc in read_treebank(file, vocab):
                yield from (tree for tree in get_trees(doc) if len(tree))


class Reader:
    """A parser that predicts words."""

    def __init__(self, model: str, beam_width: int) -> None:
        self.nlp = spacy.load(model)
        self.parser, self.beam_width = get_parser(self.nlp), beam_width
        self.codec: Any = self.parser.codec

    def __call__(self, sentences: Sentences) -> list[list[float]]:
        """The surprisal (bits) of each word of sentences, and of their ends."""
        found = []
        for at in range(0, len(sentences), 64):
            part = sentences[at : at + 64]
            docs = [Doc(self.nlp.vocab, list(words)) for words in part]
            sents = [(i, range(len(words))) for i, words in enumerate(part)]
            ids = [self.codec.word_ids(words) for words in part]
            task = GrowthTask(beam_width=self.beam_width, words=ids)
            for growth in self.parser.model.predict(ModelInput(docs, sents, task)):
                found.append(list(map(surprisal, growth.beams)))
        return found

    def spelling_bits(self, sentences: Sentences) -> float | None:
        """What the spelling of all unknown words costs; None if it has not learnt."""
        spelling = network_shim(self.parser.model).network.spelling
        if spelling is None:
            return None
        unknown = [w for words in sentences for w in self.codec.word_ids(words).spelled]
        kinds, forms = [word.kind for word in unknown], [word.form for word in unknown]
        with torch.inference_mode():
            return -spelling(kinds, forms).sum().item() / math.log(2)


class Model:
    """An LSTM language model with the words and classes of a parser."""

    def __init__(self, path: Path, reader: Reader) -> None:
        saved = torch.load(path, weights_only=True)
        self.lstm = LanguageModel(*saved["sizes"])
        self.lstm.load_state_dict(saved["weights"])
        self.lstm.eval()
        self.codec = reader.codec

    @torch.no_grad()
    def __call__(self, sentences: Sentences) -> list[list[float]]:
        """The surprisal (bits) of each word of sentences, and of their ends."""
        found = []
        for words in sentences:
            ids = torch.from_numpy(self.codec.word_ids(words).numbers)
            states, _ = self.lstm(ids.roll(1).unsqueeze(0))
            nats = self.lstm.log_prob(states, ids.unsqueeze(0))[0]
            found.append((-nats / math.log(2)).tolist())
        return found


class NGrams:
    """5-grams of the same words, with Kneser-Ney smoothing."""

    def __init__(self, text: list[np.ndarray], reader: Reader) -> None:
        self.codec = reader.codec
        ids = np.concatenate([self.codec.word_ids([]).numbers, *text])
        self.model = KneserNey(ids, len(self.codec.words), ORDER)

    def __call__(self, sentences: Sentences) -> list[list[float]]:
        """The surprisal (bits) of each word of sentences, and of their ends."""
        found = []
        for words in sentences:
            ids = self.codec.word_ids(words).numbers
            padded = np.concatenate([np.repeat(ids[-1:], ORDER - 1), ids])
            nats = self.model.log_prob(windows(padded, ORDER)[ORDER - 1 :])
            found.append((-nats / math.log(2)).tolist())
        return found


def read_words(reader: Reader, banks: list[Path], seed: int) -> list[np.ndarray]:
    """The numbers of the words of all different sentences, in random order."""
    sentences = list(dict.fromkeys(tree.words for tree in read_trees(banks)))
    order = np.random.default_rng(seed).permutation(len(sentences))
    return [reader.codec.word_ids(sentences[i]).numbers for i in order]


def train_model(
    path: Path, reader: Reader, ids: list[np.ndarray], config: dict
) -> None:
    """Train the language model on words, sentence by sentence."""
    torch.manual_seed(config["seed"])
    n_dev = max(len(ids) // 50, config["streams"])
    dev, text = (
        in_rows(np.concatenate(part), config["streams"])
        for part in (ids[:n_dev], ids[n_dev:])
    )
    width, n_words = config["width"], len(reader.codec.words)
    cutoffs = [c for c in config["cutoffs"] if c < n_words] or [n_words - 1]
    sizes = [n_words, width, cutoffs, config["dropout"]]
    model = LanguageModel(*sizes)
    print(f"{text.numel()} words", sum(p.numel() for p in model.parameters()))
    epochs = train(model, text, dev, config)
    weights = model.state_dict()
    torch.save({"sizes": sizes, "epochs": epochs, "weights": weights}, path)


def perplexities(models: dict[str, Any], banks: dict[str, list[Path]]) -> dict:
    """Perplexity of words and ends in treebanks, and the share of unknown words.

    Of words that are not known, it is that of their classes. If the parser spells them,
    there are the bits of their spellings per word too, and the bits of all words and
    ends per word, which have the same spellings for each model.
    """
    found: dict[str, Any] = {}
    reader = models["parser"]
    for name, paths in banks.items():
        sentences = [tree.words for tree in read_trees(paths)]
        words = [word for sentence in sentences for word in sentence]
        unknown = np.mean([not reader.codec.is_known(word) for word in words])
        found[name] = {"words": len(words), "unknown": float(unknown)}
        spelled = reader.spelling_bits(sentences)
        if spelled is not None:
            found[name]["spelling"] = spelled / len(words)
        for kind, model in models.items():
            bits = np.concatenate(model(sentences))
            if spelled is not None:
                # The parser's bits have the spellings in them.
                whole = bits.sum() + (0.0 if kind == "parser" else spelled)
                found[name][f"{kind}, bits per word"] = float(whole / len(words))
                bits = bits - (spelled / len(bits) if kind == "parser" else 0.0)
            found[name][kind] = float(2 ** bits.mean())
        print(name, found[name], flush=True)
    return found


def agreement(
    models: dict[str, Any], test: list[Path], forms_of: list[Path], most: int
) -> dict[str, dict[str, Any]]:
    """By attractors, the share of verbs whose other form is less surprising."""
    forms: dict[str, Counter] = {tag: Counter() for tag in ("VBZ", "VBP", "VB")}
    for tree in read_trees(forms_of):
        for word, tag in zip(tree.words, tree.tags, strict=True):
            if tag in forms:
                forms[tag][normalize(word)] += 1
    table = inflections(forms)
    pairs = table | {other: one for one, other in table.items()}
    groups: dict[str, list[tuple[tuple[str, ...], str, str]]] = defaultdict(list)
    codec, tally = models["parser"].codec, Counter()
    for tree in read_trees(test):
        for item in find_items(tree, tally):
            verb, other = item["verb"], pairs.get(item["verb"])
            if other and codec.is_known(verb) and codec.is_known(other):
                name = str(min(item["attractors"], 2))
                prefix = tree.words[: len(item["words"])]
                groups[name].append((prefix, verb, other))
    found: dict[str, dict[str, Any]] = {}
    for name, items in sorted(groups.items()):
        items = items[:most]
        row = found.setdefault(name, {"items": len(items)})
        for kind, model in models.items():
            right, wrong = (
                [bits[-2] for bits in model([(*item[0], item[n]) for item in items])]
                for n in (1, 2)
            )
            row[kind] = float(np.mean(np.array(right) >= np.array(wrong)))
        print(f"{name} attractors", row, flush=True)
    return found


def garden_paths(models: dict[str, Any], items: Path) -> dict[str, dict[str, Any]]:
    """By kind, bits at the disambiguating word in both conditions, and pairs."""
    with items.open(encoding="utf8") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    found: dict[str, dict[str, Any]] = {}
    for kind in dict.fromkeys(row["kind"] for row in rows):
        chosen = [row for row in rows if row["kind"] == kind]
        for name, model in models.items():
            both = [
                [
                    bits[-2]
                    for bits in model(
                        [(*row[part].split(), row["word"]) for row in chosen]
                    )
                ]
                for part in ("ambiguous", "control")
            ]
            ambiguous, control = map(np.array, both)
            cost = ambiguous - control
            found.setdefault(kind, {"pairs": len(chosen)})[name] = {
                "ambiguous": float(ambiguous.mean()),
                "control": float(control.mean()),
                "cost": float(cost.mean()),
                "error": float(cost.std(ddof=1) / len(cost) ** 0.5),
                "higher": int((cost > 0).sum()),
            }
            print(kind, name, found[kind][name], flush=True)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--model", default="en_gfl_inc", help="a pipeline that predicts words")
    add("--beam-width", type=int, default=20)
    add("--train", type=Path, nargs="*", default=[], help="what the parser learnt from")
    add("--lstm", action="store_true", help="train an LSTM on it, too")
    add("--forms", type=Path, nargs="*", default=[], help="trees with forms of verbs")
    add("--test", metavar="NAME=TREES", nargs="*", default=[])
    add("--agreement", type=Path, nargs="*", default=[], help="trees with verbs")
    add("--most", type=int, default=1000, help="verbs by number of attractors")
    add("--output", type=Path, default=Path("output/word_by_word"))
    add("--small", action="store_true", help="in seconds")
    args = parser.parse_args()
    config = settings(HERE, args.small)
    args.output.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    models: dict[str, Any] = {"parser": Reader(args.model, args.beam_width)}
    path = args.output / "lstm.pt"
    if args.train:
        text = read_words(models["parser"], args.train, config["seed"])
        models["5-grams"] = NGrams(text, models["parser"])
        if args.lstm and not path.exists():
            train_model(path, models["parser"], text, config)
    if path.exists():
        models["LSTM"] = Model(path, models["parser"])
    banks = {name: [Path(p)] for name, p in (one.split("=", 1) for one in args.test)}
    results = {"garden paths": garden_paths(models, HERE / "garden_paths.tsv")}
    results["perplexity"] = perplexities(models, banks)
    if args.agreement:
        results["agreement"] = agreement(
            models, args.agreement, args.forms or args.agreement, args.most
        )
    srsly.write_json(args.output / "results.json", results)


if __name__ == "__main__":
    main()
