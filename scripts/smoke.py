"""Run the workflow `all` with a tiny model on the trees in tests/data.

Exits with an error unless the model learned something, its package can be
installed and loaded by name, and it gives every sentence of the text a tree.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import srsly

VARS = {
    "config": "test",
    "name": "smoke",
    "treebanks": "tests/data",
    "n_sents": "5",
}
#: F1 on tests/data/dev.ptb: a right-branching guess has far less, the model more.
LEAST_F1 = 0.7
#: Sentences of tests/data/paragraph.txt that the sentencizer finds, at least.
LEAST_SENTENCES = 6

LOAD = """
import spacy
nlp = spacy.load("en_gfl_smoke")
doc = nlp("The teacher found her keys. Where were they?")
print("\\n".join(doc._.parse_strings))
assert len(doc._.parse_strings) == 2
"""


@contextmanager
def lock_set_aside(project: Path) -> Iterator[None]:
    """Keep the record of other runs, so that they are not run again."""
    lock = project / "project.lock"
    with tempfile.TemporaryDirectory() as folder:
        kept = Path(folder) / lock.name
        if lock.exists():
            shutil.move(lock, kept)
        try:
            yield
        finally:
            lock.unlink(missing_ok=True)
            if kept.exists():
                shutil.move(kept, lock)


def check(condition: bool, message: str) -> None:
    """Exit with a message unless the condition holds."""
    if not condition:
        sys.exit(f"Smoke test failed: {message}")


def check_package() -> None:
    """Install the package into a folder of its own, load it by name and parse."""
    sdist = Path("output/en_gfl_smoke-0.1.0/dist/en_gfl_smoke-0.1.0.tar.gz")
    with tempfile.TemporaryDirectory() as folder:
        # Everything that it needs is installed, so nothing is to be fetched.
        options = ["--no-deps", "--no-build-isolation", "--quiet", "--target", folder]
        command = [sys.executable, "-m", "pip", "install", *options, str(sdist)]
        check(subprocess.run(command, check=False).returncode == 0, "no installation")
        environment = {**os.environ, "PYTHONPATH": folder}
        load = [sys.executable, "-c", LOAD]
        loaded = subprocess.run(load, env=environment, check=False)
        check(loaded.returncode == 0, "the installed package does not parse")


def run() -> None:
    """Run the workflow from its beginning."""
    shutil.rmtree(Path("training", VARS["name"]), ignore_errors=True)
    overrides = [part for k, v in VARS.items() for part in (f"--vars.{k}", v)]
    command = [sys.executable, "-m", "spacy", "project", "run", "all", "."]
    with lock_set_aside(Path()):
        done = subprocess.run([*command, *overrides], check=False)
    check(done.returncode == 0, "the workflow ended with an error")


def main() -> None:
    run()
    scores = srsly.read_json("metrics/smoke-dev.json")
    f1 = scores["con_f"]
    check(scores["con_error"] == 0, "there are sentences that cannot be scored")
    check(f1 >= LEAST_F1, f"F1 on dev is {f1:.3f}, less than {LEAST_F1}")
    meta = srsly.read_json("training/smoke/model-best/meta.json")
    trained = meta["performance"]["con_f"]
    check(abs(f1 - trained) < 1e-6, f"F1 is {f1}, but training said {trained}")
    by_spacy = srsly.read_json("metrics/smoke-dev-spacy.json")
    check(by_spacy["con_f"] > 0, "`spacy evaluate` gives no F1")
    trees = Path("output/smoke/parsed.ptb").read_text(encoding="utf-8").splitlines()
    check(len(trees) >= LEAST_SENTENCES, f"only {len(trees)} trees of the text")
    check_package()
    print(f"Smoke test passed: F1 on dev {100 * f1:.2f}")


if __name__ == "__main__":
    main()
