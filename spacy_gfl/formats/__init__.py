"""Trees in other notations than brackets: JSON lines, CoNLL columns, LaTeX, Parquet."""

from collections.abc import Callable

from spacy_gfl.formats.conll import write_conll
from spacy_gfl.formats.files import write_docbin
from spacy_gfl.formats.json_lines import write_json_lines
from spacy_gfl.formats.latex import write_latex
from spacy_gfl.formats.parquet import write_parquet

#: What writes Docs, `(path, docs, key=...)`, to a file whose name ends so.
WRITERS: dict[str, Callable[..., None]] = {
    ".spacy": write_docbin,
    ".conll": write_conll,
    ".jsonl": write_json_lines,
    ".parquet": write_parquet,
    ".tex": write_latex,
}
