"""Make trees of text or of gold dependencies with a parser, corrected by rules.

    python make_trees.py text.txt trees.spacy --model training/teacher/model-best

Whatever else is given goes to `spacy-gfl silver`.
"""

import subprocess
import sys
import tempfile
from pathlib import Path


def main() -> None:
    words = sys.argv[1:]
    options = next((i for i, word in enumerate(words) if word.startswith("-")), None)
    *inputs, output = words[:options]
    further = words[len(inputs) + 1 :]
    if "--dependencies" in further:
        further += ["--beam-width", "8"]
    else:
        further += ["--input-format", "lines"]
    Path(output).parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        silver = f"{folder}/silver.spacy"
        run("silver", *inputs, "--output", silver, "--precision", "auto", *further)
        run("convert", silver, output, "--correct", "--n-sents", "1", "--force")


def run(*words: str) -> None:
    """Run a command of `spacy-gfl`, and end where it fails."""
    done = subprocess.run([sys.executable, "-m", "spacy_gfl", *words], check=False)
    if done.returncode:
        sys.exit(done.returncode)


if __name__ == "__main__":
    main()
