"""Kill trainings at random moments, and see what they leave.

    python benchmarks/killed_training.py [--number 50] [--plain] [--every-operation]

Each training is a process of its own: the loop of `spacy train` with configs/test.cfg
on a few trees of tests/data, which is evaluated and saved every other step. It is
killed (SIGKILL) at a random moment of the time that one takes. Whatever is called
model-best afterwards must load and parse. `--plain` trains with spaCy's own logger
instead of `spacy_gfl.WholeCheckpoints.v1`.

With `--every-operation` one training is not killed, but copied before every operation
on its files: what it would leave if it were killed there.
"""

import multiprocessing
import random
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Annotated, Any

import spacy
import typer
from spacy import util
from spacy.language import Language
from spacy.training.initialize import init_nlp
from spacy.training.loop import train

from spacy_gfl.parser import checkpoints  # registers the logger

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("model-best", "model-last")
#: The events of files that are about to be changed, as Python's audit hooks see them.
OPERATIONS = {"open", "os.mkdir", "os.remove", "os.rename", "os.rmdir"}
LOGGERS = {True: "spacy.ConsoleLogger.v1", False: "spacy_gfl.WholeCheckpoints.v1"}
assert checkpoints


def prepare_training(steps: int, plain: bool) -> Language:
    """A tiny pipeline that is ready to be trained."""
    settings = {
        "paths.train": str(ROOT / "tests" / "data" / "train.ptb"),
        "paths.dev": str(ROOT / "tests" / "data" / "dev.ptb"),
        "corpora.train.limit": 20,
        "corpora.dev.limit": 4,
        "training.max_steps": steps,
        "training.eval_frequency": 2,
        "training.logger": {"@loggers": LOGGERS[plain]},
    }
    config = util.load_config(ROOT / "configs" / "test.cfg", overrides=settings)
    return init_nlp(config)


def run_training(nlp: Language, output: Path) -> None:
    """Train, saying nothing."""
    output.mkdir()
    train(nlp, output, stdout=StringIO(), stderr=StringIO())


def found(folder: Path, files: int = 0) -> str:
    """What a folder is: none, whole, or torn (it does not load, or lacks files)."""
    if not folder.exists():
        return "none"
    try:
        doc = spacy.load(folder)("The dog barks. So it does.")
        n_trees = len(doc._.parse_strings)
    except Exception:
        # Of all kinds: whatever does not load and parse is torn.
        return "torn"
    n_files = sum(path.is_file() for path in folder.rglob("*"))
    return "whole" if n_trees == 2 and n_files >= files else "torn"


def in_process(work: Callable[..., None], *arguments: Any) -> Any:
    """Start work in a process that knows all that this one has imported."""
    process = multiprocessing.get_context("fork").Process(target=work, args=arguments)
    process.start()
    return process


def copy_states(nlp: Language, output: Path, copies: Path) -> None:
    """Train, and copy the output before every operation on its files."""
    is_copying = False

    def copy(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal is_copying
        if is_copying or event not in OPERATIONS or not output.exists():
            return
        # What is removed may be named without its folder.
        path = Path(str(arguments[0]))
        is_ours = path.is_relative_to(output) or not path.is_absolute()
        if is_ours and not (event == "open" and arguments[1] in ("r", "rb")):
            is_copying = True
            shutil.copytree(output, copies / f"{len(list(copies.iterdir())):05}")
            is_copying = False

    copies.mkdir()
    sys.addaudithook(copy)
    run_training(nlp, output)


def main(
    number: Annotated[int, typer.Option(help="Trainings to kill.")] = 50,
    steps: Annotated[int, typer.Option(help="Steps of each.")] = 40,
    seed: Annotated[int, typer.Option(help="Of the moments.")] = 0,
    plain: Annotated[bool, typer.Option("--plain", help="spaCy's logger.")] = False,
    every_operation: Annotated[
        bool, typer.Option("--every-operation", help="All states instead.")
    ] = False,
) -> None:
    """Kill trainings, and count what they leave."""
    moments, nlp = random.Random(seed), prepare_training(steps, plain)
    left: Counter[tuple[str, ...]] = Counter()
    with tempfile.TemporaryDirectory() as work:
        output, copies = Path(work) / "training", Path(work) / "copies"
        start = time.perf_counter()
        if every_operation:
            in_process(copy_states, nlp, output, copies).join()
            outputs = iter(sorted(copies.iterdir()))
        else:
            in_process(run_training, nlp, output).join()
            duration = time.perf_counter() - start
            print(f"One training takes {duration:.1f} s")
            outputs = iter([output] * number)
        had_best = False
        files = sum(path.is_file() for path in (output / "model-last").rglob("*"))
        for left_there in outputs:
            if not every_operation:
                shutil.rmtree(output, ignore_errors=True)
                process = in_process(run_training, nlp, output)
                time.sleep(moments.uniform(0.0, duration))
                process.kill()
                process.join()
            best, last = (found(left_there / name, files) for name in FOLDERS)
            if every_operation:
                had_best = had_best or best == "whole"
                best = "gone" if had_best and best == "none" else best
            left[best, last] += 1
    print(f"Of {left.total()} moments:")
    for states, n in left.most_common():
        named = zip(FOLDERS, states, strict=True)
        print(f"{n:5}  {', '.join(f'{name} {state}' for name, state in named)}")
    raise typer.Exit(any(best == "torn" for best, _ in left))


if __name__ == "__main__":
    typer.run(main)
