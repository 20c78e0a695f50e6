"""Time and memory a word, from short sentences to very long ones.

    python making/benchmarks/long_sentences.py MODEL --text FILE [--threads 1]

Takes the first words of a text as one sentence, parses it several times and prints
the median of processor time, and the most memory that the process has had.
"""

import statistics
from itertools import islice
from pathlib import Path
from typing import Annotated

import spacy
import torch
import typer
from ready_made import doc_of, most_memory, seconds_of
from wasabi import table


def main(
    model: Annotated[str, typer.Argument(help="Folder or package of a pipeline.")],
    text: Annotated[Path, typer.Option(help="Plain text.")],
    lengths: Annotated[str, typer.Option(help="Words.")] = "10,20,50,100,500,1000,5000",
    threads: Annotated[int, typer.Option(help="Threads that torch may use.")] = 1,
    runs: Annotated[int, typer.Option(help="Counted runs.")] = 5,
) -> None:
    """Time the constituency parser of a pipeline on sentences of many lengths."""
    torch.set_num_threads(threads)
    nlp = spacy.load(model)
    parser = nlp.get_pipe("constituency_parser")
    numbers = [int(length) for length in lengths.split(",")]
    parser.search.max_words = max(numbers)
    with text.open(encoding="utf-8") as lines:
        words = list(islice((w for line in lines for w in line.split()), max(numbers)))
    rows = []
    for n in numbers:
        times = []
        for _ in range(runs + 1):
            doc = doc_of(nlp.vocab, words[:n])
            times.append(seconds_of(lambda doc=doc: parser(doc)))
        a_word = 1000 * statistics.median(times[1:]) / n
        rows.append((str(n), f"{a_word:.2f}", f"{most_memory()}"))
    print(table(rows, header=("words", "ms a word", "MB"), divider=True))


if __name__ == "__main__":
    typer.run(main)
