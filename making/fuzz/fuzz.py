"""Fuzz the readers of this package with Atheris (libFuzzer).

    pip install atheris==3.0.0
    python making/fuzz/fuzz.py brackets -max_total_time=1800 [CORPUS_FOLDER]

The targets are the functions in `targets.py`, the seeds those of `seeds/TARGET`. What
follows the target's name are libFuzzer's own options, and a folder for the inputs that
reach something new.
"""

import logging
import sys
from pathlib import Path

import atheris

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

with atheris.instrument_imports(include=["spacy_gfl"]):
    from targets import TARGETS


def main() -> None:
    if len(sys.argv) < 2 or sys.argv[1] not in TARGETS:
        sys.exit(f"usage: {sys.argv[0]} {{{','.join(TARGETS)}}} [libFuzzer options]")
    logging.disable()
    target = sys.argv.pop(1)
    tokens = HERE / "tokens" / target
    options = ["-timeout=20", "-rss_limit_mb=2048", "-max_len=4000"]
    if tokens.exists():
        options.append(f"-dict={tokens}")
    seeds = [str(HERE / "seeds" / target)]
    atheris.Setup([sys.argv[0], *options, *sys.argv[1:], *seeds], TARGETS[target])
    atheris.Fuzz()


if __name__ == "__main__":
    main()
