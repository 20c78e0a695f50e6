"""How many trees differ with what should change none: batches, threads, neighbours.

    python benchmarks/same_answer.py MODEL DOCS [--sentences 500] [--threads 1]

Parses gold sentences (a .spacy file), each a Doc, and compares the trees, written in
brackets, with those that each condition gives. What differs is a choice between trees
whose probabilities are as good as equal: sums are rounded otherwise where matrices are
of another shape.
"""

from collections.abc import Callable
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import spacy
import torch
import typer
from ready_made import doc_of
from spacy.language import Language
from wasabi import table

from spacy_gfl import get_parser
from spacy_gfl.formats import docbin

PIPE = "constituency_parser"


def parse(
    nlp: Language, sentences: list[list[str]], n_sents: int = 1, **settings: int
) -> list[str]:
    """The trees of sentences, so many to a Doc."""
    with nlp.select_pipes(enable=[n for n in nlp.pipe_names if n in (PIPE, "tok2vec")]):
        starts = range(0, len(sentences), n_sents)
        docs = (doc_of(nlp.vocab, *sentences[i : i + n_sents]) for i in starts)
        return [
            tree for doc in nlp.pipe(docs, **settings) for tree in doc._.parse_strings
        ]


def conditions(
    nlp: Language, sentences: list[list[str]]
) -> dict[str, Callable[[], list[str]]]:
    """The ways to parse that are compared, by name."""
    search = get_parser(nlp).search

    def sub_batches(words: int) -> list[str]:
        batch_words, search.batch_words = search.batch_words, words
        try:
            return parse(nlp, sentences)
        finally:
            search.batch_words = batch_words

    def threads(number: int) -> list[str]:
        before = torch.get_num_threads()
        torch.set_num_threads(number)
        try:
            return parse(nlp, sentences)
        finally:
            torch.set_num_threads(before)

    def loaded() -> list[str]:
        with TemporaryDirectory() as folder:
            nlp.to_disk(folder)
            return parse(spacy.load(folder), sentences)

    return {
        "again": lambda: parse(nlp, sentences),
        "batches of 1": lambda: parse(nlp, sentences, batch_size=1),
        "batches of 17": lambda: parse(nlp, sentences, batch_size=17),
        "sub-batches of 256 words": lambda: sub_batches(256),
        "sub-batches of 100,000 words": lambda: sub_batches(100_000),
        "in the opposite order": lambda: parse(nlp, sentences[::-1])[::-1],
        "10 sentences to a Doc": lambda: parse(nlp, sentences, 10),
        "all in one Doc": lambda: parse(nlp, sentences, len(sentences)),
        "saved and loaded": loaded,
        "two threads": lambda: threads(2),
        "two processes": lambda: parse(nlp, sentences, n_process=2, batch_size=64),
    }


def main(
    model: Annotated[str, typer.Argument(help="Folder or package of a pipeline.")],
    docs: Annotated[Path, typer.Argument(help="Sentences: a .spacy file.")],
    sentences: Annotated[int, typer.Option(help="How many of them.")] = 500,
    threads: Annotated[int, typer.Option(help="Threads that torch may use.")] = 1,
    widths: Annotated[str, typer.Option(help="Widths of the beam.")] = "1,8",
) -> None:
    """Count the trees that differ under each condition."""
    torch.set_num_threads(threads)
    nlp = spacy.load(model)
    gold = islice(docbin.read(docs, nlp.vocab), sentences)
    words = [[token.text for token in doc] for doc in gold]
    rows: dict[str, list[str]] = {}
    for width in map(int, widths.split(",")):
        get_parser(nlp).search.beam_width = width
        expected = parse(nlp, words)
        for name, condition in conditions(nlp, words).items():
            found = condition()
            different = sum(map(str.__ne__, expected, found))
            rows.setdefault(name, [name]).append(f"{different} of {len(expected)}")
            print(name, width, different, flush=True)
    header = ("condition", *(f"beam {width}" for width in widths.split(",")))
    print(table(rows.values(), header=header, divider=True))


if __name__ == "__main__":
    typer.run(main)
