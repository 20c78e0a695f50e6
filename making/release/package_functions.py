"""Make a package of a trained `constituent_functions` alone: en_gfl_functions.

It has no strings of the training data, and its model keeps the static vectors.
"""

import argparse
import tempfile
from pathlib import Path

import spacy
import srsly
from package import PACKAGES, write_package

from spacy_gfl.functions.corpus import FunctionCorpus

COMPONENT = "constituent_functions"
META = Path(__file__).with_name("en_gfl_functions.json")


def main() -> None:
    """Take the component out of the pipeline, score it, package it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("model", type=Path, help="trained pipeline")
    add("treebanks", type=Path, nargs="*", help=".spacy files to score on: dev-masc")
    add("--meta", type=Path, default=META, help="language, name, licence, sources")
    add("--out", type=Path, default=PACKAGES, help="a folder for the package")
    arguments = parser.parse_args()
    meta = srsly.read_json(arguments.meta)
    nlp = spacy.blank(meta["lang"])
    trained = spacy.load(arguments.model, vocab=nlp.vocab, exclude=["vocab"])
    nlp.add_pipe(COMPONENT, source=trained)
    with tempfile.TemporaryDirectory() as folder:
        nlp.meta.update(meta)
        nlp.to_disk(folder)
        # By a copy, which meets all the words of the treebanks.
        copy = spacy.load(folder)
        performance = {}
        for path in arguments.treebanks:
            for name, value in copy.evaluate(FunctionCorpus(path)(copy)).items():
                if name.startswith("fun_") and name.endswith("_f"):
                    bank = path.stem.removeprefix("dev-")
                    performance[f"{name}_{bank}"] = round(value, 4)
                    print(f"{name}_{bank:24} {value:.4f}")
        file = Path(folder) / "meta.json"
        srsly.write_json(file, {**srsly.read_json(file), "performance": performance})
        write_package(Path(folder), arguments.out)


if __name__ == "__main__":
    main()
