"""Score how pipelines split raw text into sentences, on .spacy files."""

import argparse
from pathlib import Path

import spacy
from spacy.language import Language
from spacy.training import Corpus
from wasabi import table

#: In the place of a pipeline: spaCy's rules, to compare with.
BASELINE = "sentencizer"
SPLITTERS = ("sentence_rules", "senter", "sentencizer")
SCORES = ("sents_p", "sents_r", "sents_f")


def load(name: str) -> Language:
    """The components of a pipeline that split sentences, and no others."""
    if name == BASELINE:
        nlp = spacy.blank("en")
        nlp.add_pipe(BASELINE)
        return nlp
    return spacy.load(name, enable=["tok2vec", *SPLITTERS])


def main() -> None:
    """Print a table, a row a pipeline and file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", type=Path, nargs="+", help=".spacy files")
    parser.add_argument(
        "--pipelines", nargs="+", default=[BASELINE], help=f"or {BASELINE}: the rules"
    )
    arguments = parser.parse_args()
    rows = []
    for name in arguments.pipelines:
        nlp = load(name)
        for path in arguments.files:
            scores = nlp.evaluate(list(Corpus(path)(nlp)))
            values = (f"{100 * scores[score]:.2f}" for score in SCORES)
            rows.append((Path(name).name, path.stem, *values))
    print(table(rows, header=("pipeline", "text", "P", "R", "F")))


if __name__ == "__main__":
    main()
