"""Converting treebank files: what the command line's `convert` does."""

import sys
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Callable, Iterable, Iterator, List, Optional

from spacy.tokens import DocBin
from spacy.vocab import Vocab

from spacy_gfl.annotation.building import check_words, trees_to_docs
from spacy_gfl.data.splits import DOCBIN_SUFFIX
from spacy_gfl.formats import WRITERS
from spacy_gfl.trees.brackets import BracketError, EncodingError, ReadCounts, read_trees
from spacy_gfl.trees.tree import Tree, TreeError

WHITE_SPACE_REASON = "white space as a word"


def _new_docbin() -> DocBin:
    return DocBin(attrs=["TAG", "SENT_START"])


@dataclass
class Conversion:
    """Cleaned trees of treebank files, as Docs and as lines, and their counts.

    n_sents: Sentences to a Doc; 0 makes one Doc a file. None is across files.
    repair: Whether to repair trees as `brackets.read_trees` does.
    docs: The Docs, with trees, tags and sentence starts.
    lines: The trees as brackets.
    words: The number of words in them.
    counts: What became of the trees read.
    rejected: Of each tree rejected its place (file:line:column) and what is
        wrong with it.
    """

    n_sents: int = 1
    repair: bool = True
    docs: DocBin = field(default_factory=_new_docbin)
    lines: List[str] = field(default_factory=list)
    words: int = 0
    counts: ReadCounts = field(default_factory=ReadCounts)
    rejected: List[str] = field(default_factory=list)
    _vocab: Vocab = field(default_factory=Vocab)

    def read(
        self, path: Optional[Path], progress: Callable[[int], object] = lambda n: None
    ) -> None:
        """Add the trees of a file of brackets; None is standard input.

        progress: Called with the number of bytes of each line.
        Raises OSError if the file cannot be read, EncodingError if it is not
            UTF-8. What is wrong with a tree is recorded, not raised.
        """
        name = "<stdin>" if path is None else str(path)
        with ExitStack() as stack:
            if path is None:
                file = sys.stdin.buffer
            else:
                file = stack.enter_context(path.open("rb"))
            trees = read_trees(
                _lines(file, name, progress),
                source=name,
                repair=self.repair,
                counts=self.counts,
                on_error=self._reject,
            )
            self.add(trees, name)

    def add(self, trees: Iterable[Tree], source: str) -> None:
        """Add the trees of one document; `source` names it in errors."""
        kept = list(self._usable(trees, source))
        self.lines.extend(tree.brackets() for tree in kept)
        self.words += sum(map(len, kept))
        for doc in trees_to_docs(kept, self._vocab, n_sents=self.n_sents):
            self.docs.add(doc)

    def write(self, path: Path) -> None:
        """Write the trees in the format that the path's ending asks for.

        .spacy for Docs, an ending of `spacy_gfl.formats.WRITERS` for that format,
        any other for one tree a line in brackets.

        Raises OSError if the file cannot be written.
        """
        suffix = path.suffix.lower()
        if suffix == DOCBIN_SUFFIX:
            self.docs.to_disk(path)
        elif suffix in WRITERS:
            WRITERS[suffix](path, self.docs.get_docs(self._vocab))
        else:
            text = "".join(f"{line}\n" for line in self.lines)
            path.write_text(text, encoding="utf-8")

    def _reject(self, error: BracketError) -> None:
        self.rejected.append(str(error))

    def _usable(self, trees: Iterable[Tree], source: str) -> Iterator[Tree]:
        """The trees that a Doc can hold; the others are rejected."""
        for number, tree in enumerate(trees, start=1):
            try:
                check_words(tree)
            except TreeError as error:
                self.counts.kept -= 1
                rejected = self.counts.rejected
                rejected[WHITE_SPACE_REASON] = rejected.get(WHITE_SPACE_REASON, 0) + 1
                self.rejected.append(f"{source}: in its good tree {number} {error}")
            else:
                yield tree


def _lines(
    file: BinaryIO, source: str, progress: Callable[[int], object]
) -> Iterator[str]:
    for number, line in enumerate(file, start=1):
        progress(len(line))
        try:
            yield line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            column = len(line[: error.start].decode("utf-8")) + 1
            reason = "the file is not UTF-8 text"
            raise EncodingError(source, number, column, reason) from None
