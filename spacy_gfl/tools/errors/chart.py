"""The kinds of errors as bars, by matplotlib."""

from pathlib import Path
from typing import Any

from spacy_gfl.tools.errors.error_report import ErrorCounts
from spacy_gfl.tools.errors.errors import Kind

#: Endings of the files that a chart can be drawn to.
CHARTS = (".pdf", ".png", ".svg")


def draw_errors(path: Path, kinds: dict[Kind, ErrorCounts]) -> None:
    """Draw the table as bars.

    Raises:
        ImportError: matplotlib is not installed.
    """
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError(
            f'--chart needs {error.name}: pip install "spacy-gfl[viz]".',
            name=error.name,
        ) from error
    figure = Figure((7, 1 + 0.3 * len(kinds)), layout="constrained")
    axes = figure.add_subplot()
    names, counts = [kind.value for kind in kinds], kinds.values()
    missing, extra = [n.missing for n in counts], [n.extra for n in counts]
    axes.barh(names, missing, label="missing", color="tab:blue")
    bars = axes.barh(names, extra, left=missing, label="extra", color="tab:orange")
    axes.bar_label(bars, [str(n.errors) for n in counts], padding=3)
    axes.margins(x=0.1)
    axes.invert_yaxis()
    axes.set_xlabel("wrong brackets; beside each bar, how many errors cause them")
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(frameon=False, loc="outside upper center", ncols=2)
    # Without the date and random names, the same errors make the same file.
    settings: Any = {"svg.fonttype": "none", "svg.hashsalt": "spacy_gfl"}
    with matplotlib.rc_context(settings):
        kind = path.suffix.lower().removeprefix(".")
        date = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind)
        figure.savefig(path, format=kind, metadata=date)
