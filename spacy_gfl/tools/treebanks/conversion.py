"""Converting treebank files: what the command line's `convert` does."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import Path

from spacy.language import BaseDefaults
from spacy.tokens import Doc
from spacy.util import get_lang_class
from spacy.vocab import Vocab, create_vocab

from spacy_gfl.annotation.building import check_words, set_trees, trees_to_docs
from spacy_gfl.annotation.sentence_words import is_word
from spacy_gfl.annotation.storage import get_trees
from spacy_gfl.data.docbins import DOCBIN
from spacy_gfl.data.packing import PackedDocs
from spacy_gfl.languages import find_language, has_file
from spacy_gfl.languages.base import Language
from spacy_gfl.tools.treebanks.bracket_counts import ReadCounts
from spacy_gfl.tools.treebanks.common_scheme import to_common
from spacy_gfl.tools.treebanks.formats import WRITERS, Format, find_format
from spacy_gfl.tools.treebanks.formats.atomic_files import beside
from spacy_gfl.tools.treebanks.formats.brackets import write as write_trees
from spacy_gfl.tools.treebanks.formats.names import document_name, name_document
from spacy_gfl.tools.treebanks.formats.reading import AUTO, Reading
from spacy_gfl.trees.tree import Tree, TreeError


@dataclass
class Conversion:
    """The trees of treebank files, cleaned, as Docs, and their counts.

    Attributes:
        n_sents: Sentences to a Doc made from brackets; 0 makes one Doc per file. No Doc
            has sentences of several files. Other formats have their own Docs.
        repair: Whether to repair trees as `spacy_gfl.read_trees` does.
        lang: spaCy's code of the trees' language, which decides where spaces are.
        common: Whether to make trees of the common scheme, out of those that the
            treebank of the language has.
        functions: Whether to write the function tags of Docs into brackets.
        docs: The Docs, with trees and all annotations and user data that they were
            read with.
        words: The number of words in their trees.
        counts: What became of the trees read.
        rejected: The errors of rejected trees, which say their places.
    """

    n_sents: int = 1
    repair: bool = True
    lang: str = ""
    common: bool = False
    functions: bool = False
    docs: PackedDocs = field(default_factory=PackedDocs)
    words: int = 0
    counts: ReadCounts = field(default_factory=ReadCounts)
    rejected: list[TreeError] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._vocab = Vocab()
        if self.lang:
            try:
                defaults = get_lang_class(self.lang).Defaults
            except ImportError:
                # Galician has a file here, and no class in spaCy.
                if not has_file(self.lang):
                    raise ValueError(f'spaCy has no language "{self.lang}".') from None
                defaults = BaseDefaults
            self._vocab = create_vocab(self.lang, defaults)
        if self.common and not find_language(self.lang).to_common.tags:
            raise ValueError(
                "The common scheme has no rules for the labels of a treebank of "
                f'"{self.lang}". Write them into a file in spacy_gfl/languages.'
            )

    def read(
        self,
        path: Path | None,
        reading: Reading | str = AUTO,
        *,
        name: str | None = None,
    ) -> None:
        """Add the trees of a file, or of standard input (None, brackets to "auto").

        What is wrong with a tree in brackets is recorded, not raised. Docs that have
        no names yet are parts of the document of this name, if there is one.

        Raises:
            OSError: If the file cannot be read.
            ValueError: If the file is not of the encoding or the format, or "auto"
                does not know its ending.
        """
        reading = Reading.of(reading, path)
        row = find_format(path, reading.format, trees=True)
        reading = replace(
            reading,
            format=row.name,
            repair=self.repair,
            n_sents=self.n_sents,
            counts=self.counts,
            on_error=self.rejected.append,
        )
        for part, doc in enumerate(self._docs(row, reading)):
            if name is not None and document_name(doc)[0] is None:
                name_document(doc, name, part)
            if self.common and row.name != "conllu":
                make_common(doc, find_language(self.lang))
            self.docs.add(doc)

    def _docs(self, row: Format, reading: Reading) -> Iterator[Doc]:
        if row.trees:
            trees = self._checked(row.trees(reading), reading.name)
            yield from trees_to_docs(trees, self._vocab, n_sents=self.n_sents)
        elif not row.docs:
            raise ValueError(f"{reading.name}: the format {row.name} has no trees.")
        else:
            for doc in row.docs(reading, self._vocab):
                lengths = [len(tree) for tree in get_trees(doc) if len(tree)]
                self.words += sum(lengths)
                self.counts.read += len(lengths)
                self.counts.kept += len(lengths)
                yield doc

    def write(self, path: Path) -> None:
        """Write the trees in the format that the path's ending asks for.

        An ending that no format of Docs has stands for brackets, one tree per line.

        Raises:
            OSError: If the file cannot be written.
        """
        suffix = path.suffix.lower()
        if suffix == DOCBIN:
            with beside(path) as new:
                self.docs.to_disk(new)
        else:
            write = WRITERS.get(suffix, partial(write_trees, functions=self.functions))
            write(path, self.docs.get_docs(self._vocab))

    def _checked(self, trees: Iterator[Tree], source: str) -> Iterator[Tree]:
        """The trees that a Doc can hold."""
        for number, tree in enumerate(trees, start=1):
            try:
                check_words(tree)
            except TreeError as error:
                self.counts.kept -= 1
                self.counts.rejected["white space as a word"] += 1
                where = f"{source}: in its good tree {number} {error}"
                self.rejected.append(TreeError(where))
                continue
            self.words += len(tree)
            yield tree


def make_common(doc: Doc, language: Language) -> None:
    """Give a Doc trees and tags of the common scheme, instead of the language's."""
    trees = [to_common(tree, language.to_common) for tree in get_trees(doc)]
    set_trees(doc, trees)
    tags = chain.from_iterable(tree.tags for tree in trees)
    for token, tag in zip(filter(is_word, doc), tags, strict=True):
        token.tag_ = tag
