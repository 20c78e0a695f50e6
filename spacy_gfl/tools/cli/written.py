"""How `spacy-gfl parse` writes trees: to a file of any kind, or as lines of text."""

import math
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple

from spacy.language import Language
from spacy.tokens import Doc
from tqdm import tqdm

from spacy_gfl.annotation.storage import SPANS_KEY, get_trees
from spacy_gfl.data.docbins import DOCBIN
from spacy_gfl.pipe.parses import RankedTree
from spacy_gfl.pipe.pipelines import doc_cleaners, get_parser, get_parsers
from spacy_gfl.tools.cli.input_files import check_output, warn
from spacy_gfl.tools.pictures.page import picture_file
from spacy_gfl.tools.treebanks.formats import BRACKET_ENDINGS, FORMATS, WRITERS
from spacy_gfl.tools.treebanks.formats.atomic_files import write_text
from spacy_gfl.tools.treebanks.formats.brackets import lines_of_trees
from spacy_gfl.tools.treebanks.formats.conll import numbered_doc_to_conll
from spacy_gfl.tools.treebanks.formats.json_lines import doc_to_json, json_line
from spacy_gfl.trees.escaping import visible


class OutputFormat(str, Enum):
    """How trees are written."""

    BRACKETS = "brackets"
    JSON = "json"
    CONLL = "conll"
    TREE = "tree"


class Output(NamedTuple):
    """Where trees are written, and how.

    Attributes:
        path: A file; None is standard output.
        format: The kind of text; None for what the file's ending says, or brackets.
        n_best: How many trees of each sentence, with log-probabilities; None for one.
        functions: Whether brackets and drawings have function tags behind labels.
    """

    path: Path | None
    format: OutputFormat | None
    n_best: int | None
    functions: bool = False

    @property
    def suffix(self) -> str:
        return "" if self.path is None else self.path.suffix.lower()

    @property
    def writer(self) -> Callable[..., None] | None:
        """The writer of Docs to a file of this ending; None for plain text."""
        return None if self.format else WRITERS.get(self.suffix)

    @property
    def has_probabilities(self) -> bool:
        """Whether what is written can say how probable constituents are."""
        if self.format or self.n_best is not None:
            return self.format is OutputFormat.JSON
        return self.writer in (FORMATS["json"].write, FORMATS["spacy"].write)

    def check(self, files: list[Path]) -> None:
        """Raise ValueError if it cannot be written, whatever the trees are."""
        endings = () if self.format else (*WRITERS, *BRACKET_ENDINGS)
        check_output(self.path, inputs=files, endings=endings)
        if self.format and self.suffix == DOCBIN:
            raise ValueError(f"{self.path} is for Docs: leave out --format.")
        is_other = self.format not in (None, OutputFormat.BRACKETS)
        if self.n_best is not None and (is_other or self.writer):
            raise ValueError(
                "--n-best prints brackets: leave out --format, or give --format "
                "brackets and another file."
            )
        is_text = self.writer is None and self.format is not OutputFormat.CONLL
        if self.functions and (
            self.n_best is not None or not (is_text or self.has_probabilities)
        ):
            raise ValueError(
                "--functions writes tags in brackets, drawings, JSON and .spacy files, "
                "without --n-best."
            )

    def write(self, docs: Iterable[Doc]) -> None:
        """Write parsed Docs as they come."""
        if self.writer is not None:
            self.writer(self.path, docs)
        else:
            self.write_texts(_texts(docs, self.format, self.functions))

    def write_texts(self, texts: Iterable[str]) -> None:
        """Write texts as they come; a file changes only once all are written."""
        if self.path is not None:
            write_text(self.path, texts)
            return
        for text in texts:
            sys.stdout.write(visible(text) if sys.stdout.isatty() else text)
            sys.stdout.flush()


def write_parsed(
    nlp: Language, parsed: Iterable[Doc], out: Output, *, is_shown: bool
) -> None:
    """Write trees as they come, show how many if wanted, and say what was odd."""
    # Trees on a terminal show the progress themselves.
    is_shown = is_shown and not (out.path is None and sys.stdout.isatty())
    flags: Counter[str] = Counter()
    with tqdm(unit=" sentences", disable=None if is_shown else True) as bar:
        if out.n_best is None:
            out.write(_count(parsed, flags, bar.update))
        else:
            parser = get_parser(nlp)
            with nlp.select_pipes(disable=[*get_parsers(nlp), *doc_cleaners(nlp)]):
                n_best = (parser.n_best(doc, out.n_best) for doc in parsed)
                out.write_texts(_n_best_texts(n_best, flags, bar.update))
    _report(flags)


def _n_best_texts(
    docs: Iterable[list[list[RankedTree]]],
    flags: Counter[str],
    progress: Callable[[int], Any],
) -> Iterator[str]:
    for of_doc in docs:
        for ranked in of_doc:
            flags["flat" if math.isnan(ranked[0].log_prob) else "ok"] += 1
            progress(1)
            lines = (f"{one.log_prob:.4f}\t{one.tree.brackets()}\n" for one in ranked)
            if len(ranked[0].tree):
                yield "".join([*lines, "\n"])
        if not any(len(ranked[0].tree) for ranked in of_doc):
            yield "\n"


def _texts(
    docs: Iterable[Doc], output_format: OutputFormat | None, functions: bool
) -> Iterator[str]:
    """The text of each Doc, brackets where nothing else is asked for."""
    for number, doc in enumerate(docs):
        if output_format is OutputFormat.JSON:
            yield json_line(doc_to_json(doc))
        elif output_format is OutputFormat.CONLL:
            yield numbered_doc_to_conll(doc, number)
        elif output_format is OutputFormat.TREE:
            trees = get_trees(doc, functions=functions)
            drawings = (picture_file(t, ".txt").decode() for t in trees if len(t))
            yield "".join(f"{drawing}\n" for drawing in drawings) or "\n"
        else:
            yield lines_of_trees(doc, functions=functions)


def _count(
    docs: Iterable[Doc], flags: Counter[str], progress: Callable[[int], Any]
) -> Iterator[Doc]:
    """Docs as they come, with their flags counted."""
    for doc in docs:
        of_doc = doc.spans[SPANS_KEY].attrs["flags"]
        flags.update(of_doc)
        progress(len(of_doc))
        yield doc


def _report(flags: Counter[str]) -> None:
    """Say on standard error what the trees themselves do not show."""
    total = flags.total()
    sentences = f"of {total} sentence{'' if total == 1 else 's'}"
    if n_repaired := flags["repaired"]:
        warn(f"{n_repaired} {sentences} had a malformed tree, which was repaired.")
    if n_flat := flags["flat"]:
        meaning = "could not be searched (too long?) and got a flat tree"
        warn(f"{n_flat} {sentences} {meaning}.")
