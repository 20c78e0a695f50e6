"""Trees in files: .spacy, JSON lines, CoNLL columns, LaTeX.

Each module has `write(path, docs)`, and `read(path, vocab)` where its format can be
read.
"""

from collections.abc import Callable

from spacy_gfl.formats import conll, docbin, json_lines, latex

#: What writes Docs, `(path, docs, key=...)`, to a file whose name ends so.
WRITERS: dict[str, Callable[..., None]] = {
    ".spacy": docbin.write,
    ".conll": conll.write,
    ".json": json_lines.write,
    ".jsonl": json_lines.write,
    ".tex": latex.write,
}
