"""The kinds of errors as bars, by matplotlib."""

from pathlib import Path

from spacy_gfl.apps.errors.errors import Kind
from spacy_gfl.apps.errors.report import ErrorCounts
from spacy_gfl.formats.files import beside
from spacy_gfl.pictures.page import extra_packages
from spacy_gfl.pictures.svg import MATPLOTLIB

#: Endings of the files that a chart can be drawn to.
CHARTS = (".pdf", ".png", ".svg")


def draw_errors(path: Path, kinds: dict[Kind, ErrorCounts]) -> None:
    """Draw the table as bars.

    Raises:
        ImportError: matplotlib is not installed.
    """
    with extra_packages("--chart needs"):
        import matplotlib
        from matplotlib.figure import Figure
    figure = Figure((7, 1 + 0.3 * len(kinds)), layout="constrained")
    axes = figure.add_subplot()
    names, counts = [kind.value for kind in kinds], kinds.values()
    missing, extra = [n.missing for n in counts], [n.extra for n in counts]
    axes.barh(names, missing, label="missing", color="tab:blue")
    bars = axes.barh(names, extra, left=missing, label="extra", color="tab:orange")
    axes.bar_label(bars, [str(n.errors) for n in counts], padding=3)
    axes.margins(x=0.1)
    axes.invert_yaxis()
    axes.set_xlabel("wrong brackets; beside the bars, the errors that they come of")
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(frameon=False, loc="outside upper center", ncols=2)
    with beside(path) as new, matplotlib.rc_context(MATPLOTLIB):
        kind = path.suffix.lower().removeprefix(".")
        # Without the date, the same errors make the same file.
        date = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind)
        figure.savefig(new, format=kind, metadata=date)
