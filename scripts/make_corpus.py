"""Convert the treebanks of the workflow to .spacy files, one a part.

A folder of treebanks is either laid out as the project's assets are,

    craft/penn/*.tree  craft/ids/craft-ids-{train,dev,test}.txt
    gum/const/*.ptb    gum/splits.md

of which train, dev and test join both, while train-craft, train-gum and so on are
of one; or it has train.ptb, dev.ptb and perhaps test.ptb.
"""

import argparse
import subprocess
import sys
from pathlib import Path

PARTS = ("train", "dev", "test")


def craft(folder: Path, part: str) -> list[str]:
    """What `spacy-gfl convert` reads for a part of CRAFT."""
    ids = folder / "craft" / "ids" / f"craft-ids-{part}.txt"
    return [str(folder / "craft" / "penn"), "--ids", str(ids)]


def gum(folder: Path, part: str) -> list[str]:
    """What `spacy-gfl convert` reads for a part of GUM."""
    splits = folder / "gum" / "splits.md"
    return [str(folder / "gum" / "const"), "--splits", str(splits), "--split", part]


def inputs(folder: Path) -> dict[str, list[str]]:
    """The arguments of `spacy-gfl convert` for each .spacy file to make.

    Raises:
        FileNotFoundError: For a folder that is laid out in neither way.
    """
    own = {part: folder / f"{part}.ptb" for part in PARTS}
    if own["train"].exists() and own["dev"].exists():
        return {part: [str(file)] for part, file in own.items() if file.exists()}
    banks = {
        name: read
        for name, read in (("craft", craft), ("gum", gum))
        if (folder / name).is_dir()
    }
    if not banks:
        raise FileNotFoundError(
            f"{folder} has neither train.ptb and dev.ptb nor the folders craft or gum."
        )
    joined = {
        part: [word for read in banks.values() for word in read(folder, part)]
        for part in PARTS
    }
    single = {
        f"{part}-{name}": read(folder, part)
        for part in PARTS
        for name, read in banks.items()
    }
    return {**joined, **single}


def main() -> None:
    """Find the treebanks and convert them."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path, help="folder for the .spacy files")
    parser.add_argument("--treebanks", type=Path, nargs="+", required=True)
    parser.add_argument("--n-sents", default="10", help="sentences to a Doc")
    parser.add_argument(
        "--exclude-genres", default="", help="what to leave out of GUM's training part"
    )
    arguments = parser.parse_args()
    places = [place for place in arguments.treebanks if any(place.glob("*"))]
    if not places:
        sys.exit(
            f"There are no treebanks in {', '.join(map(str, arguments.treebanks))}. "
            "Fetch CRAFT and GUM with `python -m spacy project assets`, or name a "
            "folder with train.ptb and dev.ptb: --vars.treebanks FOLDER."
        )
    try:
        wanted = inputs(places[0])
    except FileNotFoundError as error:
        sys.exit(str(error))
    for part, sources in wanted.items():
        print(f"{part} of {places[0]}", flush=True)
        options = ["--n-sents", arguments.n_sents, "--skip-errors"]
        if part in ("train", "train-gum"):
            options += ["--exclude-genres", arguments.exclude_genres]
        out = str(arguments.out / f"{part}.spacy")
        command = [sys.executable, "-m", "spacy_gfl", "convert", *options]
        done = subprocess.run([*command, *sources, out], check=False)
        if done.returncode:
            sys.exit(done.returncode)


if __name__ == "__main__":
    main()
