"""Make trees of text, dependencies or derivations with a parser, corrected by rules.

    python make_trees.py text.txt trees.spacy --model en_gfl_lg

Text has a paragraph per line. What is not named here goes to `spacy-gfl silver`.
"""

import argparse
import subprocess
import sys
import tempfile
from itertools import islice
from pathlib import Path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("inputs", nargs="+")
    parser.add_argument("output", type=Path)
    parser.add_argument("--model", required=True)
    parser.add_argument("--sentences", help="the pipeline that finds sentences")
    parser.add_argument("--dependencies", action="store_true")
    parser.add_argument(
        "--every", type=int, default=1, help="read every Nth line of a text"
    )
    given, of_silver = parser.parse_known_args()
    of_parse = ["--model", given.model, "--precision", "auto"]
    of_parse += ["--dependencies"] * given.dependencies
    # Docs have constraints; text has none.
    are_docs = given.inputs[0].endswith(".spacy")
    of_parse += ["--beam-width", "8"] if are_docs else ["--input-format", "lines"]
    if given.sentences:
        of_parse += ["--sentences", given.sentences]
    given.output.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        parsed, silver = f"{folder}/parsed.spacy", f"{folder}/silver.spacy"
        inputs = given.inputs
        if given.every > 1:
            inputs = [f"{folder}/{Path(name).name}" for name in inputs]
            for name, part in zip(given.inputs, inputs, strict=True):
                with open(name, encoding="utf-8") as lines:
                    some = "".join(islice(lines, 0, None, given.every))
                Path(part).write_text(some, encoding="utf-8")
        run("parse", *inputs, "--output", parsed, *of_parse)
        run("silver", parsed, "--output", silver, *of_silver)
        script = Path(__file__).with_name("correct_trees.py")
        command = [sys.executable, script, silver, given.output]
        if status := subprocess.run(command, check=False).returncode:
            sys.exit(status)


def run(*words: str | Path) -> None:
    """Run a command of `spacy-gfl`, and end where it fails."""
    command = [sys.executable, "-m", "spacy_gfl", *map(str, words)]
    if status := subprocess.run(command, check=False).returncode:
        sys.exit(status)


if __name__ == "__main__":
    main()
