"""Convert the treebanks of the workflow to .spacy files, one a part.

A folder of treebanks is either laid out as the project's assets are,

    craft/penn/*.tree  craft/ids/craft-ids-{train,dev,test}.txt
    gum/const/*.ptb    gum/splits.md

of which train, dev and test join both, while train-craft, train-gum and so on are
of one, and test2-gum is GENTLE; or it has train.ptb, dev.ptb and perhaps test.ptb.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

PARTS = ("train", "dev", "test")


def craft(folder: Path, part: str, _: set[str]) -> list[Path]:
    """The files of a part of CRAFT."""
    ids = folder / "craft" / "ids" / f"craft-ids-{part}.txt"
    names = ids.read_text(encoding="utf-8-sig").split()
    return [folder / "craft" / "penn" / f"{name}.tree" for name in names]


def gum(folder: Path, part: str, without: set[str]) -> list[Path]:
    """The files of a part of GUM, but of some genres.

    Documents from Reddit have no files: their words are masked.
    """
    text = (folder / "gum" / "splits.md").read_text(encoding="utf-8-sig")
    _, *found = re.split(rf"^#+ *{part}$", text, flags=re.MULTILINE)
    listed = found[0].partition("\n#")[0] if found else ""
    names = re.findall(r"^ *[*+-] +`?(\w+)", listed, flags=re.MULTILINE)
    kept = (name for name in names if name.split("_")[1] not in without)
    files = (folder / "gum" / "const" / f"{name}.ptb" for name in kept)
    return [file for file in files if file.exists()]


def inputs(folder: Path, without: set[str]) -> dict[str, list[Path]]:
    """The files of trees for each .spacy file to make.

    Args:
        folder: The folder of treebanks.
        without: Genres that are left out of GUM's training part.

    Raises:
        FileNotFoundError: The folder is laid out in neither way, or a list of
            documents is not there.
    """
    own = {part: folder / f"{part}.ptb" for part in PARTS}
    if own["train"].exists() and own["dev"].exists():
        return {part: [file] for part, file in own.items() if file.exists()}
    banks = {"craft": craft, "gum": gum}
    single = {
        f"{part}-{name}": banks[name](
            folder, part, without if part == "train" else set()
        )
        for part in (*PARTS, "test2")
        for name in banks
        if (folder / name).is_dir() and (part, name) != ("test2", "craft")
    }
    if not single:
        raise FileNotFoundError(
            f"{folder} has neither train.ptb and dev.ptb nor the folders craft or gum."
        )
    joined = {
        part: [file for name in banks for file in single.get(f"{part}-{name}", [])]
        for part in PARTS
    }
    return {part: files for part, files in {**joined, **single}.items() if files}


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
        wanted = inputs(places[0], set(arguments.exclude_genres.split(",")))
    except FileNotFoundError as error:
        sys.exit(str(error))
    for part, sources in wanted.items():
        print(f"{part} of {places[0]}", flush=True)
        options = ["--n-sents", arguments.n_sents, "--skip-errors"]
        out = str(arguments.out / f"{part}.spacy")
        command = [sys.executable, "-m", "spacy_gfl", "convert", *options]
        done = subprocess.run([*command, *map(str, sources), out], check=False)
        if done.returncode:
            sys.exit(done.returncode)


if __name__ == "__main__":
    main()
