"""Does an LSTM know the number of a verb from the words before it?

Present-tense verbs and the heads of their subjects, out of trees, as in Linzen, Dupoux
and Goldberg (2016): an LSTM trained for the task, one that sees nouns alone, and the
models of the study beside this one, which were only taught to predict words.

    python making/experiments/language_model/language_model.py
    python making/experiments/agreement/agreement.py
"""

import argparse
import random
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import srsly
import torch
from items import NUMBER, Places, inflections, open_text, read_items
from language_model import last_log_probs, load
from torch import Tensor, nn
from torch.nn import functional
from wasabi import MarkdownRenderer

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
MANY = 1000
#: Where groups of items begin, by what tells them apart.
BOUNDS = {
    "distance": [1, 2, 3, 4, 6, 9, 13, 20, MANY],
    "attractors": [0, 1, 2, 3, 4, MANY],
}
Item = dict[str, Any]
Data = list[tuple[Tensor, int]]


class Reader(nn.Module):
    """An LSTM that says whether the verb to come is a plural."""

    def __init__(self, n_words: int, width: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(n_words, width)
        self.lstm = nn.LSTM(width, width, batch_first=True)
        self.output = nn.Linear(width, 1)

    def forward(self, rows: list[Tensor]) -> Tensor:
        """Logits of plural for rows of ids."""
        ends = torch.tensor([len(row) - 1 for row in rows])
        states, _ = self.lstm(self.embedding(nn.utils.rnn.pad_sequence(rows, True)))
        return self.output(states[torch.arange(len(rows)), ends]).squeeze(1)

    @torch.no_grad()
    def answers(self, data: Data) -> np.ndarray:
        """For each row whether it takes the verb for a plural, 0 or 1."""
        rows = [row for row, _ in data]
        logits = [self(rows[i : i + 128]) for i in range(0, len(rows), 128)]
        return (torch.cat(logits) > 0).long().numpy()


def train(train: Data, dev: Data, n_words: int, config: dict[str, Any]) -> Reader:
    """Train a Reader; the epoch that is best on dev is kept."""
    torch.manual_seed(config["seed"])
    rng, reader = random.Random(config["seed"]), Reader(n_words, config["width"])
    optimizer = torch.optim.Adam(reader.parameters(), config["learn_rate"])
    # Batches of rows of like length, in random order.
    order = sorted(range(len(train)), key=lambda i: (len(train[i][0]), rng.random()))
    starts, best = list(range(0, len(train), config["batch"])), 2.0
    for epoch in range(1, config["epochs"] + 1):
        rng.shuffle(starts)
        for start in starts:
            batch = [train[i] for i in order[start : start + config["batch"]]]
            target = torch.tensor([number for _, number in batch]).float()
            logits = reader([row for row, _ in batch])
            loss = functional.binary_cross_entropy_with_logits(logits, target)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        error = float(np.mean(reader.answers(dev) != [number for _, number in dev]))
        print(f"epoch {epoch}: {100 * error:.2f} % wrong on dev", flush=True)
        if error < best:
            best, kept = error, {k: v.clone() for k, v in reader.state_dict().items()}
    reader.load_state_dict(kept)
    return reader


def reader_answers(
    items: dict[str, list[Item]], config: dict[str, Any], nouns: bool
) -> np.ndarray:
    """The predictions for the test items of an LSTM trained on words or on nouns."""

    def symbols(item: Item) -> list[str]:
        pairs = zip(item["words"], item["tags"], strict=True)
        return [w if w in known else t for w, t in pairs if t in NUMBER or not nouns]

    counts = Counter(word for item in items["train"] for word in item["words"])
    known = {word for word, _ in counts.most_common(config["vocabulary"])}
    ids: dict[str, int] = {}
    data: dict[str, Data] = {"train": [], "dev": [], "test": []}
    for part in data:
        for item in items[part]:
            row = [ids.setdefault(symbol, len(ids)) for symbol in symbols(item)]
            data[part].append((torch.tensor(row), item["number"]))
    return train(data["train"], data["dev"], len(ids), config).answers(data["test"])


@torch.no_grad()
def compare_forms(
    items: list[Item], table: dict[str, str], path: Path
) -> list[np.ndarray]:
    """Which form of the verb the LSTM and the 5-grams give more, -1 for others."""
    model, vocabulary, ngrams, _ = load(path, 5)
    pairs = {form: pair for pair in table.items() for form in pair}
    answers = np.full((2, len(items)), -1)
    for i, item in enumerate(items):
        item["head in vocabulary"] = item["words"][item["head"]] in vocabulary.ids
        pair = pairs.get(item["verb"], ())
        if not pair or not all(word in vocabulary.ids for word in pair):
            continue
        context = [*[open_text.END] * 4, *item["words"]]
        both = np.stack([vocabulary([*context, form]) for form in pair])
        contexts, forms = torch.from_numpy(both[:, 3:-1]), torch.from_numpy(both[:, -1])
        for n, (one, many) in enumerate(
            (last_log_probs(model, contexts, forms), ngrams.log_prob(both[:, -5:]))
        ):
            answers[n, i] = many > one
    return list(answers)


def group(item: Item, key: str) -> str:
    """The group that an item is in by one of its properties."""
    if key not in BOUNDS:
        return str(item.get(key, ""))
    low, high = max(pair for pair in pairwise(BOUNDS[key]) if pair[0] <= item[key])
    return f"{low}+" if high == MANY else "-".join(map(str, sorted({low, high - 1})))


def errors(items: list[Item], answers: dict[str, np.ndarray]) -> dict[str, Any]:
    """For each group and model the number of items and the share of wrong answers."""
    numbers = np.array([item["number"] for item in items])
    found: dict[str, Any] = {}
    for key in ("all", "source", *BOUNDS, "last", "relative", "head in vocabulary"):
        groups: dict[str, list[int]] = {}
        for i in sorted(range(len(items)), key=lambda i: items[i].get(key, 0)):
            groups.setdefault(group(items[i], key), []).append(i)
        for value, chosen in groups.items():
            row = found.setdefault(key, {}).setdefault(value, {})
            for name, answer in answers.items():
                known = [i for i in chosen if answer[i] >= 0]
                wrong = answer[known] != numbers[known]
                row[name] = (len(known), float(wrong.mean()) if known else None)
    return found


def table(found: dict[str, Any]) -> str:
    """Errors in per cent as a Markdown table."""
    rows = []
    for key, groups in found.items():
        for value, row in groups.items():
            counts = [n for n, _ in row.values()]
            cells = (f"{100 * wrong:.1f}" if n else "" for n, wrong in row.values())
            rows.append([key, value, str(max(counts)), str(min(counts)), *cells])
    header = ["", "", "n", "n, two forms", *found["all"][""]]
    return MarkdownRenderer().table(rows, header)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    add = parser.add_argument
    add("--small", action="store_true", help="in seconds, on our trees")
    add("--train", nargs="+", metavar="NAME=TREES", help="trees to train on")
    add("--test", nargs="+", metavar="NAME=TREES", help="trees to test on")
    add("--silver", nargs="+", help="trees of the text")
    add("--text", type=Path, nargs="+", help="the text that the language model read")
    add("--model", type=Path, default=ROOT / "output/language_model/model.pt")
    add("--output", type=Path, default=ROOT / "output/agreement")
    args = parser.parse_args()
    config = open_text.settings(HERE, args.small)
    args.output.mkdir(parents=True, exist_ok=True)
    cache, counts = args.output / "items.jsonl", args.output / "counts.json"
    if not cache.exists():
        texts = args.text or (open_text.SMALL_TEXTS if args.small else open_text.TEXTS)
        split = open_text.settings(HERE.parent / "language_model", args.small)
        banks = [("train", bank) for bank in args.train or config["train"]]
        banks += [("test", bank) for bank in args.test or config["test"]]
        banks += [("", f"text={path}") for path in args.silver or config["silver"]]
        items, info = read_items(banks, Places(texts, split))
        srsly.write_json(counts, info)
        srsly.write_jsonl(cache, items)
    info, parts = srsly.read_json(counts), {"train": [], "dev": [], "test": []}
    for item in srsly.read_jsonl(cache):
        parts.setdefault(item["part"], []).append(item)
    # What is said in train and again elsewhere is no test.
    seen = {tuple(item["words"]) for item in parts["train"]}
    for part in ("dev", "test"):
        new = [item for item in parts[part] if tuple(item["words"]) not in seen]
        print(f"{part}: the words of {len(new)} of {len(parts[part])} are not in train")
        parts[part] = new
    parts["dev"] = parts["dev"] or parts["train"]
    test = parts["test"]
    mean = np.mean([item["number"] for item in parts["train"]])
    last = [[NUMBER[t] for t in item["tags"] if t in NUMBER][-1] for item in test]
    pairs = inflections(info["forms"])
    trained, predicted = compare_forms(test, pairs, args.model)
    answers = {
        "majority": np.full(len(test), int(mean > 0.5)),
        "last noun": np.array(last),
        "LSTM on nouns": reader_answers(parts, config, nouns=True),
        "LSTM on words": reader_answers(parts, config, nouns=False),
        "language model": trained,
        "5-grams": predicted,
    }
    found = errors(test, answers)
    results = {"items": {part: len(parts[part]) for part in parts}, "errors": found}
    results |= {"verbs with two forms": len(pairs), "counts": info["counts"]}
    srsly.write_json(args.output / "results.json", results)
    (args.output / "table.md").write_text(table(found) + "\n", encoding="utf8")
    print(table(found))


if __name__ == "__main__":
    main()
