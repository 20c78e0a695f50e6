"""Converting treebank files: what the command line's `convert` does."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from spacy.tokens import Doc, DocBin
from spacy.util import get_lang_class
from spacy.vocab import Vocab, create_vocab

from spacy_gfl.annotation.building import check_words, trees_to_docs
from spacy_gfl.annotation.storage import SPANS_KEY, get_trees, set_trees
from spacy_gfl.data.conventions import correct_tree
from spacy_gfl.data.inputs import (
    DOCBIN_SUFFIX,
    InputFormat,
    detect_format,
    read_treebank,
)
from spacy_gfl.formats import WRITERS
from spacy_gfl.formats.files import beside, read_lines, source_name, write_text
from spacy_gfl.formats.greynir import trees_from_greynir
from spacy_gfl.trees.bracket_errors import ReadCounts
from spacy_gfl.trees.brackets import read_trees
from spacy_gfl.trees.tree import Tree, TreeError

#: Formats whose trees stand in brackets.
BRACKETED = (InputFormat.BRACKETS, InputFormat.GREYNIR)


@dataclass
class Conversion:
    """The trees of treebank files, cleaned, as Docs, and their counts.

    Attributes:
        n_sents: Sentences to a Doc made from brackets; 0 makes one Doc a file. No Doc
            has sentences of several files. Other formats have their own Docs.
        repair: Whether to repair trees as `brackets.read_trees` does.
        correct: Whether to correct trees by `conventions.RULES`.
        lang: spaCy's code of the trees' language, which decides where spaces are.
        docs: The Docs, with trees and all annotations and user data that they were
            read with.
        words: The number of words in their trees.
        counts: What became of the trees read.
        rejected: The errors of rejected trees, which say their places.
        corrections: How often each rule of `conventions.RULES` was applied.
    """

    n_sents: int = 1
    repair: bool = True
    correct: bool = False
    lang: str = ""
    docs: DocBin = field(default_factory=partial(DocBin, store_user_data=True))
    words: int = 0
    counts: ReadCounts = field(default_factory=ReadCounts)
    rejected: list[TreeError] = field(default_factory=list)
    corrections: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._vocab = Vocab()
        if self.lang:
            try:
                defaults = get_lang_class(self.lang).Defaults
            except ImportError:
                raise ValueError(f'spaCy has no language "{self.lang}".') from None
            self._vocab = create_vocab(self.lang, defaults)

    def read(
        self, path: Path | None, input_format: InputFormat = InputFormat.AUTO
    ) -> None:
        """Add the trees of a file, or of standard input (None, brackets to AUTO).

        What is wrong with a tree in brackets is recorded, not raised.

        Raises:
            OSError: If the file cannot be read.
            ValueError: If the file is not UTF-8, or not in this format, or AUTO does
                not know its ending.
        """
        if input_format is InputFormat.AUTO:
            input_format = detect_format(path, trees=True)
        if input_format in BRACKETED:
            bracketed = self._bracketed(path, input_format)
            for doc in trees_to_docs(bracketed, self._vocab, n_sents=self.n_sents):
                self.docs.add(doc)
            return
        for doc in read_treebank(path, self._vocab, input_format):
            for one in self._corrected(doc) if self.correct else [doc]:
                lengths = [len(tree) for tree in get_trees(one) if len(tree)]
                self.words += sum(lengths)
                self.counts.read += len(lengths)
                self.counts.kept += len(lengths)
                self.docs.add(one)

    def write(self, path: Path) -> None:
        """Write the trees in the format that the path's ending asks for.

        An ending that `spacy_gfl.formats.WRITERS` lacks stands for brackets, one tree
        a line.

        Raises:
            OSError: If the file cannot be written.
        """
        suffix = path.suffix.lower()
        docs = self.docs.get_docs(self._vocab)
        if suffix == DOCBIN_SUFFIX:
            with beside(path) as new:
                self.docs.to_disk(new)
        elif suffix in WRITERS:
            WRITERS[suffix](path, docs)
        else:
            trees = (tree for doc in docs for tree in get_trees(doc) if len(tree))
            write_text(path, (f"{tree.brackets()}\n" for tree in trees))

    def _corrected(self, doc: Doc) -> list[Doc]:
        """The Doc with corrected trees; if words were markup, a new Doc or none.

        A new Doc has trees and tags alone. There is none if all words were markup.
        """
        trees = get_trees(doc)
        corrected = [correct_tree(tree, self.corrections) for tree in trees]
        if sum(map(len, corrected)) < sum(map(len, trees)):
            vanished = sum(
                len(new) == 0 < len(old)
                for old, new in zip(trees, corrected, strict=True)
            )
            self.counts.read += vanished
            self.counts.vanished += vanished
            return list(trees_to_docs(corrected, self._vocab, n_sents=0))
        attrs = dict(doc.spans[SPANS_KEY].attrs)
        if corrected != trees:
            # A parser's numbers are of the constituents and trees that it found.
            for name in ("probabilities", "log_probs"):
                attrs.pop(name, None)
        set_trees(doc, corrected, attrs=attrs)
        return [doc]

    def _bracketed(
        self, path: Path | None, input_format: InputFormat
    ) -> Iterator[Tree]:
        """The trees of a file of brackets that a Doc can hold."""
        source, reject = source_name(path), self.rejected.append
        lines = read_lines(path)
        if input_format is InputFormat.GREYNIR:
            read = trees_from_greynir
        else:
            read = partial(read_trees, repair=self.repair)
        trees = read(lines, source=source, counts=self.counts, on_error=reject)
        for number, tree in enumerate(trees, start=1):
            try:
                check_words(tree)
            except TreeError as error:
                self.counts.kept -= 1
                self.counts.rejected["white space as a word"] += 1
                reject(TreeError(f"{source}: in its good tree {number} {error}"))
                continue
            if self.correct:
                tree = correct_tree(tree, self.corrections)
            self.counts.kept -= not tree.words
            self.counts.vanished += not tree.words
            self.words += len(tree)
            yield tree
