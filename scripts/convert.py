"""Convert a treebank to the .spacy files of a training.

    python scripts/convert.py my trees --out corpus/mine

The folder, whose name may have spaces, has the files train.ptb and dev.ptb, or others
by name; test.ptb is converted too if it is there.
"""

import argparse
import sys
from pathlib import Path

from spacy_gfl.tools.cli.app import app


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="+", help="of the treebank")
    parser.add_argument("--out", type=Path, required=True, help="folder to write to")
    parser.add_argument("--lang", default="en", help="the language of the trees")
    parser.add_argument("--n-sents", default="10", help="sentences to a Doc")
    for part in ("train", "dev", "test"):
        parser.add_argument(f"--{part}", default=f"{part}.ptb", help="file or folder")
    arguments = parser.parse_args()
    folder = Path(" ".join(arguments.folder))
    files = {part: folder / vars(arguments)[part] for part in ("train", "dev", "test")}
    missing = [
        str(files[part]) for part in ("train", "dev") if not files[part].exists()
    ]
    if missing:
        sys.exit(
            f"There is no {' and no '.join(missing)}. Name a folder of trees, "
            "and name its files if they are not train.ptb and dev.ptb: "
            "--vars.treebanks FOLDER --vars.train FILE --vars.dev FILE."
        )
    for part, file in files.items():
        if file.exists():
            out = arguments.out / f"{part}.spacy"
            print(f"{file} -> {out}", flush=True)
            command = ["convert", "--skip-errors", "--lang", arguments.lang]
            command += ["--n-sents", arguments.n_sents, str(file), str(out)]
            try:
                app(command)
            except SystemExit as ended:
                if ended.code:
                    raise


if __name__ == "__main__":
    main()
