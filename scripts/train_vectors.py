"""Train skip-gram vectors on text of your own, as a pipeline of static vectors alone.

    pip install gensim
    python scripts/train_vectors.py training/vectors my-text/*.txt

Text is read with the tokenizer of the language, a paragraph a line; a .spacy file has
its own words. The paper's words start from such vectors (Mikolov et al. 2013).
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import spacy
from gensim.models import Word2Vec
from spacy.language import Language
from spacy.tokens import Doc, DocBin

#: gensim leaves out what a line has beyond this.
LONGEST = 10_000


def docs(nlp: Language, path: Path) -> Iterator[Doc]:
    """The Docs of a .spacy file, or a Doc for each line that is not empty."""
    if path.suffix.lower() == ".spacy":
        yield from DocBin().from_disk(path).get_docs(nlp.vocab)
        return
    with path.open(encoding="utf-8") as lines:
        yield from map(nlp.make_doc, filter(None, map(str.strip, lines)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path, help="folder for the pipeline")
    parser.add_argument("texts", type=Path, nargs="+", help="text or .spacy files")
    parser.add_argument("--lang", default="en")
    parser.add_argument("--width", type=int, default=50)
    parser.add_argument("--window", type=int, default=5, help="words on either side")
    parser.add_argument("--min-count", type=int, default=5, help="of a word's uses")
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1, help="1: always the same")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--cased", action="store_true", help="keep capitals (WordTable.v1, by ORTH)"
    )
    arguments = parser.parse_args()
    nlp = spacy.blank(arguments.lang)
    with tempfile.TemporaryDirectory() as folder:
        words, vectors = Path(folder) / "words.txt", Path(folder) / "vectors.txt"
        with words.open("w", encoding="utf-8") as lines:
            for doc in (doc for path in arguments.texts for doc in docs(nlp, path)):
                found = [
                    token.text if arguments.cased else token.lower_
                    for token in doc
                    if not token.is_space
                ]
                for start in range(0, len(found), LONGEST):
                    print(*found[start : start + LONGEST], file=lines)
        model = Word2Vec(
            corpus_file=str(words),
            sg=1,
            vector_size=arguments.width,
            window=arguments.window,
            min_count=arguments.min_count,
            epochs=arguments.epochs,
            workers=arguments.threads,
            seed=arguments.seed,
        )
        model.wv.save_word2vec_format(str(vectors))
        init = ["spacy", "init", "vectors", arguments.lang, vectors, arguments.out]
        subprocess.run([sys.executable, "-m", *map(str, init)], check=True)
    read = model.corpus_total_words
    print(f"{arguments.out}: {len(model.wv)} vectors of {read:,} words")


if __name__ == "__main__":
    main()
