"""What does an LSTM know that the last four words do not say?

Perplexity of an LSTM and of 5-grams with Kneser-Ney smoothing on held-out text, and
of the LSTM when the words beyond the last k are dropped, shuffled or reversed
(Khandelwal et al. 2018, "Sharp Nearby, Fuzzy Far Away").

    python making/experiments/language_model/language_model.py
"""

import argparse
import random
import time
from itertools import chain, compress
from pathlib import Path
from typing import Any

import numpy as np
import open_text
import spacy
import srsly
import torch
from kneser_ney import KneserNey, windows
from open_text import END, ROOT, SMALL_TEXTS, TEXTS, UNKNOWN, Vocabulary
from torch import Tensor, nn

HERE = Path(__file__).resolve().parent
#: Without AVX512, oneDNN has no LSTM in bfloat16.
HAS_BFLOAT16 = "AVX512" in torch.backends.cpu.get_cpu_capability()
KINDS = ("dropped", "shuffled", "reversed")


class LanguageModel(nn.Module):
    """An LSTM, and an adaptive softmax for the next word."""

    def __init__(self, n_words: int, width: int, cutoffs: list[int], dropout: float):
        super().__init__()
        self.embedding = nn.Embedding(n_words, width)
        self.lstm = nn.LSTM(width, width, batch_first=True)
        self.dropout = nn.Dropout(dropout)
        self.softmax = nn.AdaptiveLogSoftmaxWithLoss(width, n_words, cutoffs)

    def forward(self, ids: Tensor, state: Any = None) -> tuple[Tensor, Any]:
        """States after each word: (batch, words) to (batch, words, width)."""
        with torch.autocast("cpu", torch.bfloat16, enabled=HAS_BFLOAT16):
            states, state = self.lstm(self.dropout(self.embedding(ids)), state)
        return self.dropout(states.float()), state

    def log_prob(self, states: Tensor, ids: Tensor) -> Tensor:
        """Natural logarithms of the probabilities of words after some states."""
        return self.softmax(states.flatten(0, -2), ids.flatten()).output.view_as(ids)


@torch.no_grad()
def stream_log_probs(model: LanguageModel, rows: Tensor, n_steps: int) -> np.ndarray:
    """Log-probabilities of all words of a text's rows but the first of each."""
    model.eval()
    state, found = None, []
    for start in range(0, rows.shape[1] - 1, n_steps):
        piece = rows[:, start : start + n_steps + 1]
        states, state = model(piece[:, :-1], state)
        found.append(model.log_prob(states, piece[:, 1:]))
    return torch.cat(found, 1).numpy()


@torch.no_grad()
def last_log_probs(model: LanguageModel, contexts: Tensor, words: Tensor) -> np.ndarray:
    """Log-probabilities of a word after each context, which is all that is read."""
    model.eval()
    pairs = zip(contexts.split(250), words.split(250), strict=True)
    found = [model.log_prob(model(rows)[0][:, -1], word) for rows, word in pairs]
    return torch.cat(found).numpy()


def in_rows(ids: np.ndarray, n: int) -> Tensor:
    """A text cut into n rows of equal length; its last few words are lost."""
    return torch.from_numpy(ids[: len(ids) // n * n].reshape(n, -1))


def perplexity(log_probs: np.ndarray) -> float:
    """2 to the bits per word."""
    return float(np.exp(-log_probs.mean()))


def train(
    model: LanguageModel, rows: Tensor, dev: Tensor, config: dict[str, Any]
) -> list[dict[str, float]]:
    """Train through `steps` words at a time, with the state carried on."""
    n_steps, rate, log = config["steps"], config["learn_rate"], []
    starts = range(0, rows.shape[1] - 1, n_steps)
    for epoch in range(1, config["epochs"] + 1):
        # A cycle per epoch, half as high as the one before.
        optimizer = torch.optim.AdamW(model.parameters(), fused=True)
        schedule = torch.optim.lr_scheduler.OneCycleLR(
            optimizer, rate / 2 ** (epoch - 1), len(starts), pct_start=0.1
        )
        model.train()
        state, began = None, time.process_time()
        for start in starts:
            piece = rows[:, start : start + n_steps + 1]
            states, state = model(piece[:, :-1], state)
            state = tuple(part.detach() for part in state)
            loss = -model.log_prob(states, piece[:, 1:]).mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            schedule.step()
        minutes = (time.process_time() - began) / 60
        score = perplexity(stream_log_probs(model, dev, n_steps))
        log.append({"epoch": epoch, "dev": score, "minutes": minutes})
        print(log[-1], flush=True)
    return log


def perturb(contexts: Tensor, k: int, kind: str, generator: torch.Generator) -> Tensor:
    """Contexts, (targets, words), whose words before the last k are changed."""
    far, near = contexts[:, :-k], contexts[:, -k:]
    if kind == "dropped":
        return near
    if kind == "reversed":
        return torch.cat([far.flip(1), near], 1)
    order = torch.rand(far.shape, generator=generator).argsort(1)
    return torch.cat([far.gather(1, order), near], 1)


def look_back(
    model: LanguageModel, documents: list[np.ndarray], config: dict[str, Any]
) -> dict[str, dict[int, tuple[float, float, float]]]:
    """The cost of changing words that stand far before random words of documents.

    Returns:
        By kind and k the perplexity, the nats per word that the change costs, and the
        standard error of these; by "all" and the size of the context the perplexity.
    """
    size = config["context"]
    places = [(d, i) for d in documents for i in range(size, len(d))]
    rng, generator = random.Random(config["seed"]), torch.Generator().manual_seed(0)
    chosen = rng.sample(places, min(config["targets"], len(places)))
    rows = torch.from_numpy(np.stack([d[i - size : i + 1] for d, i in chosen]))
    contexts, words = rows[:, :-1], rows[:, -1]
    whole = last_log_probs(model, contexts, words)
    found: dict[str, dict] = {"all": {size: (perplexity(whole), 0.0, 0.0)}}
    for kind in KINDS:
        found[kind] = {}
        for k in config["beyond"]:
            changed = perturb(contexts, k, kind, generator)
            scores = last_log_probs(model, changed, words)
            cost = whole - scores
            error = cost.std() / len(cost) ** 0.5
            found[kind][k] = (perplexity(scores), float(cost.mean()), float(error))
    return found


def load(path: Path, order: int) -> tuple[LanguageModel, Vocabulary, KneserNey, list]:
    """The LSTM that `main` has trained, 5-grams of the same text, and the log."""
    saved = torch.load(path, weights_only=True)
    model = LanguageModel(*saved["sizes"])
    model.load_state_dict(saved["weights"])
    ngrams = KneserNey(saved["text"].numpy(), len(saved["words"]), order)
    return model.eval(), Vocabulary(saved["words"]), ngrams, saved["epochs"]


def table(results: dict[str, Any]) -> str:
    """The results as two Markdown tables."""
    lines = ["| model | perplexity | bits per word |", "|---|---|---|"]
    for name, score in results["perplexity"].items():
        lines.append(f"| {name} | {score:.1f} | {np.log2(score):.2f} |")
    lines += ["", "| k | " + " | ".join(KINDS) + " |", "|---|---|---|---|"]
    found = results["look_back"]
    for k in found["dropped"]:
        points = [found[kind][k] for kind in KINDS]
        cells = (f"{score:.1f} ({cost:+.3f})" for score, cost, _ in points)
        lines.append(f"| {k} | " + " | ".join(cells) + " |")
    ((size, (score, *_)),) = found["all"].items()
    return "\n".join([*lines, f"| {size} | {score:.1f} | | |"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--text", type=Path, nargs="+", help="files of plain text")
    parser.add_argument("--output", type=Path, default=ROOT / "output/language_model")
    parser.add_argument("--small", action="store_true", help="in seconds, on our text")
    args = parser.parse_args()
    config = open_text.settings(HERE, args.small)
    args.output.mkdir(parents=True, exist_ok=True)
    torch.manual_seed(config["seed"])
    documents = open_text.read_documents(
        args.text or (SMALL_TEXTS if args.small else TEXTS)
    )
    names, nlp = open_text.parts(len(documents), config), spacy.blank("en")

    def words(part: str) -> list[list[str]]:
        chosen = compress(documents, (name == part for name in names))
        return [open_text.words_of(document, nlp) for document in chosen]

    path, n_rows = args.output / "model.pt", config["streams"]
    if not path.exists():
        # A text begins as each of its lines does.
        text = [END, *chain(*words("train"))]
        vocabulary = Vocabulary.of(text, config["vocabulary"])
        sizes = [config[key] for key in ("width", "cutoffs", "dropout")]
        sizes = [len(vocabulary.words), *sizes]
        model, ids = LanguageModel(*sizes), vocabulary(text)
        dev = in_rows(vocabulary([*chain(*words("dev"))]), n_rows)
        epochs = train(model, in_rows(ids, n_rows), dev, config)
        saved = {"sizes": sizes, "words": vocabulary.words, "epochs": epochs}
        saved |= {"text": torch.from_numpy(ids), "weights": model.state_dict()}
        torch.save(saved, path)
    model, vocabulary, ngrams, epochs = load(path, config["order"])
    test = [vocabulary(document) for document in words("test")]
    ids = np.concatenate(test)
    rows = in_rows(ids, n_rows)
    scores = stream_log_probs(model, rows, config["steps"])
    others = ngrams.log_prob(windows(ids, config["order"]))[: rows.numel()]
    results = {
        "epochs": epochs,
        "words": len(ids),
        "unknown": float((ids == vocabulary.ids[UNKNOWN]).mean()),
        "perplexity": {
            "LSTM": perplexity(scores),
            "5-grams": perplexity(others.reshape(rows.shape)[:, 1:]),
        },
        "look_back": look_back(model, test, config),
    }
    srsly.write_json(args.output / "results.json", results)
    (args.output / "table.md").write_text(table(results) + "\n", encoding="utf8")
    print(table(results))


if __name__ == "__main__":
    main()
