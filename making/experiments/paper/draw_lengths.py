"""Draw F1 by the length of sentences, as Figure 3 of Vinyals et al. (2015).

    spacy-gfl evaluate gold.spacy parsed.spacy --json metrics.json
    python making/experiments/paper/draw_lengths.py f1.svg metrics.json ...

A line per file, called by its name.
"""

import argparse
import re
from pathlib import Path

import srsly
from matplotlib import rc_context
from matplotlib.figure import Figure


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("picture", type=Path, help=".svg, .png, ...: to write")
    parser.add_argument("scores", type=Path, nargs="+", help=".json, of evaluate")
    arguments = parser.parse_args()
    figure = Figure((7, 4), layout="constrained")
    axes = figure.add_subplot()
    files = arguments.scores
    found = [(file.stem, srsly.read_json(file)["con_per_length"]) for file in files]
    # From short to long, whichever file has them; matplotlib takes them as they come.
    lengths = {length for _, scores in found for length in scores}
    axes.xaxis.update_units(sorted(lengths, key=lambda n: int(re.split(r"\D", n)[0])))
    for name, scores in found:
        f1 = [100 * of_length["f"] for of_length in scores.values()]
        axes.plot([*scores], f1, marker="o", label=name)
    axes.set(xlabel="words of a sentence", ylabel="F1", ylim=(0, 100))
    axes.legend(frameon=False, loc="center right")
    axes.spines[["top", "right"]].set_visible(False)
    # Letters as letters, and the same picture of the same scores.
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "spacy_gfl"}):
        is_svg = arguments.picture.suffix.lower() == ".svg"
        figure.savefig(arguments.picture, metadata={"Date": None} if is_svg else {})


if __name__ == "__main__":
    main()
