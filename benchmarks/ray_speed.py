"""Sentences a second of one process, and of one and more of Ray's workers.

    python benchmarks/ray_speed.py TEXT... --model en_gfl_sm [--workers 1,2]

Parses the files of text, every line a paragraph, as `spacy-gfl silver` does, and counts
from when the first file is done, so that neither loading nor starting is in it: give
several files of one size for each worker.
"""

import tempfile
import time
from functools import partial
from pathlib import Path

import typer

from spacy_gfl.cli.cluster import map_files
from spacy_gfl.cli.silver import _worker
from spacy_gfl.data.inputs import InputFormat
from spacy_gfl.data.shards import ShardFolder


def main(texts: list[Path], model: str = "en_gfl_sm", workers: str = "1,2") -> None:
    """Print a line for each number of workers."""
    for number in (0, *map(int, workers.split(","))):
        with tempfile.TemporaryDirectory() as name:
            folder = ShardFolder(Path(name), {})
            loading = {"names": [model]}
            make = partial(_worker, loading, folder, InputFormat.LINES, -1)
            if number:
                found = map_files(make, texts, "local", number)
            else:
                work = make()
                found = (sum(work(i, path)) for i, path in enumerate(texts))
            next(found)
            began = time.perf_counter()
            n_sents = sum(found)
            speed = n_sents / (time.perf_counter() - began)
        print(f"{number or 'no'} workers: {speed:.0f} sentences/s of {n_sents}")


if __name__ == "__main__":
    typer.run(main)
