"""What a pipeline does in a service: millions of words, hostile text.

    python making/benchmarks/under_load.py stream en_gfl_sm texts/*.txt [--zone 1000]
    python making/benchmarks/under_load.py stream en_gfl_sm texts/*.txt --only-tokens
    python making/benchmarks/under_load.py hostile en_gfl_sm

Times are processor time, of one thread, so that other programs do not count.
"""

import random
import statistics
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

import numpy
import spacy
import torch
import typer
from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import minibatch
from wasabi import table

from spacy_gfl.annotation.sentence_words import sentences, word_indices
from spacy_gfl.annotation.storage import get_trees

app = typer.Typer(add_completion=False)
Model = Annotated[str, typer.Argument(help="Folder or package of a pipeline.")]
Paths = Annotated[list[Path], typer.Argument(exists=True, dir_okay=False)]
PIPE = "constituency_parser"
#: Texts of a batch: small, so that batches that have begun do not blur the tenths.
BATCH_SIZE = 100


def timed(work: Callable[[Any], Doc], given: str | Doc) -> tuple[float, Doc]:
    """The processor time that a piece of work takes, in milliseconds; its result."""
    start = time.process_time()
    doc = work(given)
    return 1000 * (time.process_time() - start), doc


def resident() -> float:
    """The memory that this process has now, in MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 1e6


def without_tree(doc: Doc) -> int:
    """How many sentences have no tree over exactly their words."""
    sents, trees = sentences(doc), get_trees(doc)
    right = sum(
        list(tree.words) == [doc[i].text for i in word_indices(sent)]
        for sent, tree in zip(sents, trees, strict=False)
    )
    return len(sents) - right


def parsed(nlp: Language, texts: Iterable[str], zone: int) -> Iterator[Doc]:
    """The Docs of texts; those of a memory zone end with it."""
    if not zone:
        yield from nlp.pipe(texts, batch_size=BATCH_SIZE)
        return
    for some in minibatch(texts, zone):
        with nlp.memory_zone():
            yield from nlp.pipe(some, batch_size=BATCH_SIZE)


@app.command()
def stream(
    model: Model,
    paths: Paths,
    words: Annotated[int, typer.Option(help="Tokens to parse.")] = 2_000_000,
    zone: Annotated[int, typer.Option(help="Texts a memory zone; 0: none.")] = 0,
    only_tokens: Annotated[bool, typer.Option(help="The tokenizer alone.")] = False,
) -> None:
    """Parse paragraphs (lines of text files), mixed, and look at each tenth."""
    torch.set_num_threads(1)
    nlp = spacy.load(model)
    if only_tokens:
        nlp.select_pipes(enable=[])
    lines = [line for path in paths for line in path.read_text("utf-8").split("\n")]
    texts = [line.strip() for line in lines if line.strip()]
    random.Random(0).shuffle(texts)
    n_words = n_sents = n_bad = n_before = 0
    seconds, rows, points = 0.0, [], []
    docs = parsed(nlp, texts, zone)
    names = ["words", "sentences", "bad", "words/s", "MB", "strings", "lexemes"]
    print(f"{resident():.0f} MB at first", *names, sep="\t", flush=True)
    while n_words < words:
        start = time.process_time()
        doc = next(docs, None)
        seconds += time.process_time() - start
        if doc is None:
            raise typer.BadParameter(f"the texts have only {n_words:,} words")
        n_words += len(doc)
        if not only_tokens:
            n_sents += len(sentences(doc))
            n_bad += without_tree(doc)
        if n_words >= words * (len(rows) + 1) / 10:
            points.append((n_words, resident()))
            rate = (n_words - n_before) / seconds
            sizes = (len(nlp.vocab.strings), len(nlp.vocab))
            rows.append((n_words, n_sents, n_bad, rate, points[-1][1], *sizes))
            print(*(f"{number:.0f}" for number in rows[-1]), sep="\t", flush=True)
            n_before, seconds = n_words, 0.0
    millions, memory = numpy.array(points[1:]).T / [[1e6], [1]]
    print(f"Last tenth's throughput: {rows[-1][3] / rows[0][3]:.3f} of the first's")
    print(f"{numpy.polyfit(millions, memory, 1)[0]:.1f} MB per million words")
    if n_bad:
        raise typer.Exit(1)


def row(name: object, n: int, *columns: list[float]) -> list[str]:
    """Median, 99th percentile and worst of each column."""
    found = [str(name), str(n)]
    for times in columns:
        high = sorted(times)[int(0.99 * len(times))]
        three = (statistics.median(times), high, max(times))
        found.append(" ".join(f"{value:.1f}" for value in three))
    return found


def hostile_texts(number: int) -> dict[str, list[str]]:
    """Texts of about 200 tokens, and longer ones, by what is odd in them."""
    draw = random.Random(0)
    anything = [chr(i) for i in range(1, 0x11_0000) if not 0xD800 <= i < 0xE000]

    def spaced(letters: str | list[str], longest: int) -> str:
        sizes = [draw.randint(1, longest) for _ in range(200)]
        return " ".join("".join(draw.choices(letters, k=k)) for k in sizes)

    kinds: dict[str, Callable[[], str]] = {
        "any characters of Unicode": lambda: spaced(anything, 8),
        "any of ASCII": lambda: spaced([chr(i) for i in range(1, 128)], 8),
        "letters": lambda: spaced("abcdefghijklmnopqrstuvwxyz", 12),
        "brackets, with spaces": lambda: spaced("()[]{}<>", 1),
        "brackets, without": lambda: "".join(draw.choices("()[]{}<>", k=200)),
        "marks and joiners": lambda: spaced("a\u0301\u200d\ufe0f\u202e\u20e3", 20),
        "emoji": lambda: "".join(draw.choices("\U0001f468\u200d\U0001f3fd", k=200)),
        "no spaces": lambda: "".join(draw.choices("abc.,-/:'@", k=1000)),
        "no space in Chinese": lambda: "".join(
            map(chr, draw.choices(range(0x4E00, 0x9FFF), k=1000))
        ),
        "white space": lambda: "".join(draw.choices(" \t\n\u00a0\u2003x", k=400)),
        "a token of 100,000": lambda: "".join(draw.choices("abcdefgh", k=100_000)),
        "4,800 words": lambda: " ".join(spaced("abcdefgh", 8) for _ in range(24)),
        "1,000 brackets, no spaces": lambda: "".join(draw.choices("()[]", k=1000)),
        "4,000 brackets, no spaces": lambda: "".join(draw.choices("()[]", k=4000)),
    }
    texts = {name: [make()] for name, make in kinds.items()}
    for name, some in texts.items():
        # Fewer of those that take seconds.
        n = number if len(some[0]) < 4000 else number // 10
        some.extend(kinds[name]() for _ in range(n - 1))
    return texts


@app.command()
def hostile(
    model: Model,
    number: Annotated[int, typer.Option(help="Texts of a kind.")] = 50,
) -> None:
    """Time texts that nobody writes."""
    torch.set_num_threads(1)
    nlp = spacy.load(model)
    nlp("To begin with.")
    rows = []
    for name, texts in hostile_texts(number).items():
        split, rest, lengths = [], [], []
        for text in texts:
            ms, doc = timed(nlp.make_doc, text)
            split.append(ms)
            rest.append(timed(nlp, doc)[0])
            lengths.append(len(doc))
        each = [ms / n for ms, n in zip(rest, lengths, strict=True)]
        mean = round(statistics.mean(lengths))
        rows.append([*row(name, mean, split, rest), f"{max(each):.2f}"])
    header = ("text", "tokens", "tokenizer", "the rest", "worst a token")
    print("Milliseconds: median, 99th percentile, worst")
    print(table(rows, header=header, divider=True))


if __name__ == "__main__":
    app()
