"""Treebanks as a corpus to train and evaluate on."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from heapq import merge
from itertools import accumulate, compress, islice
from operator import itemgetter
from pathlib import Path
from pkgutil import resolve_name
from random import Random
from typing import Any

from spacy import util
from spacy.errors import Errors
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example, dont_augment
from spacy.vocab import Vocab

from spacy_gfl.annotation.building import set_trees
from spacy_gfl.annotation.sentence_words import sentences, word_indices
from spacy_gfl.annotation.storage import get_trees
from spacy_gfl.data.docbins import DOCBIN, read_docbin


class TreebankCorpus:
    """Examples with gold trees, from files of any format that has trees.

    Unlike `spacy.Corpus.v1` it never cuts a Doc into sentences, which would
    lose the trees in its span group. Examples of one path come in the order of the
    files; spaCy's training loop shuffles them, unless it streams (max_epochs = -1).

    Several paths are mixed: each is spread evenly over the epoch, and read a file at
    a time, files and the Docs within one in random order. So a folder of shards need
    not fit in memory where spaCy streams, and where it does not, an Example that
    comes several times is one object.

    It is registered as the reader `spacy_gfl.TreebankCorpus.v1`.

    Args:
        path: A file or a folder of files. Endings name the formats; a file with an
            unknown ending is read as brackets.
        paths: Several files or folders instead, by names of your own.
        weights: How often an epoch has each of `paths`, by the same names; 1 if not
            given. 0.25 is a random quarter of its Docs, another one at every reading.
            spaCy reads once, unless it streams.
        seed: The seed of the draws and of the order.
        limit: Read only this many Docs of each path; 0 reads all.
        max_length: Leave out sentences with more words, and log how many; 0 leaves out
            none.
        n_sents: Sentences per Doc made from brackets; 0 makes one Doc per file.
        gold_sents: Give predicted Docs the gold sentence boundaries, so that an
            evaluation scores trees alone. Components that set boundaries must not
            change existing ones.
        gold_tags: Give predicted Docs the gold tags, for layers that read them (`attr =
            "TAG"`).
        augmenter: Changes Examples, each time anew, such as `spacy_gfl.casual_text.v1`.
            spaCy's own augmenters lose sentence boundaries, and so the trees.
        scheme: How trees in brackets are written: "penn", "historical", "spmrl" or
            "lemma".
        keep_functions: Keep function tags in bracketed labels (NP-SBJ).
        encoding: The encoding of text files.

    Raises:
        ValueError: Without a path, for `path` beside `paths`, a weight of a path
            that is not there, or a negative number.
    """

    def __init__(
        self,
        path: str | Path | None = None,
        *,
        paths: dict[str, str | Path | None] | None = None,
        weights: dict[str, float] | None = None,
        seed: int = 0,
        limit: int = 0,
        max_length: int = 0,
        n_sents: int = 1,
        gold_sents: bool = False,
        gold_tags: bool = False,
        augmenter: Callable[[Language, Example], Iterator[Example]] | None = None,
        scheme: str = "penn",
        keep_functions: bool = False,
        encoding: str = "utf-8",
    ) -> None:
        weights, named = weights or {}, paths or {}
        if path is not None and named:
            raise ValueError(
                "Give a corpus either path, or paths by name with their weights, "
                "and set the other to null."
            )
        if unknown := sorted(weights.keys() - named.keys()):
            raise ValueError(
                f"There is a weight for {', '.join(unknown)}, but no such path. "
                f"paths has {', '.join(named) or 'none'}."
            )
        self.is_mixed = bool(named)
        self.paths: dict[str, Path] = {}
        for name, one in (named or {str(path): path}).items():
            if one is None:
                raise ValueError(Errors.E913)
            self.paths[name] = Path(one)
        self.weights = {name: weights.get(name, 1.0) for name in self.paths}
        numbers = {"limit": limit, "max_length": max_length, "n_sents": n_sents}
        for name, value in (numbers | self.weights).items():
            if value < 0:
                raise ValueError(f"{name} must be 0 or more, not {value}")
        self.seed = seed
        self.limit = limit
        self.max_length = max_length
        self.n_sents = n_sents
        self.given = {"gold_sents": gold_sents, "gold_tags": gold_tags}
        self.augmenter = augmenter or dont_augment
        #: How files are read that are no .spacy files; None before there is one.
        self._reading: Any = None
        self._brackets = (scheme, keep_functions, encoding)
        if self._brackets != ("penn", False, "utf-8"):
            self._read_otherwise()
        self._readings = 0
        # Of each path: sentences and words read, sentences left out.
        self._counts: dict[str, Counter[str]] = {}
        self._reported = False

    def __call__(self, nlp: Language) -> Iterator[Example]:
        """Read the corpus.

        Args:
            nlp: The pipeline whose vocabulary the Docs share.

        Yields:
            One Example per Doc: the reference has tags, sentence starts and trees;
            the predicted Doc has the same words and spaces, and sentence starts
            and tags if `gold_sents` and `gold_tags` say so.

        Raises:
            FileNotFoundError: Where there is nothing at the path.
            ValueError: For a file that is not what its name says, such as
                brackets that are no tree (BracketError), for Docs without trees,
                or where no sentence is left.
        """
        self._counts = {name: Counter() for name in self.paths}
        self._readings += 1
        if self.is_mixed:
            parts = [self._spread(name, nlp.vocab) for name in self.paths]
            examples = (example for _, example in merge(*parts, key=itemgetter(0)))
        else:
            docs = self.docs(nlp.vocab)
            examples = (make_example(doc, **self.given) for doc in docs)
        # Parsers, which encode trees here: before an update, a GPU would wait for it.
        pipes = [pipe for _, pipe in nlp.pipeline if hasattr(pipe, "encode_ahead")]
        for example in examples:
            for changed in self.augmenter(nlp, example):
                for pipe in pipes:
                    pipe.encode_ahead(changed)
                yield changed
        self._report()

    def docs(self, vocab: Vocab) -> Iterator[Doc]:
        """Every Doc with its trees, once, of every path whose weight is not 0."""
        for name in self.paths:
            if self.weights[name]:
                yield from self._docs(name, vocab)

    def _docs(self, name: str, vocab: Vocab) -> Iterator[Doc]:
        """The Docs of a path, as many as `limit` allows."""
        files = self._files(self.paths[name])
        docs = (doc for file in files for doc in self._read(file, vocab, name))
        return islice(docs, self.limit or None)

    def _spread(self, name: str, vocab: Vocab) -> Iterator[tuple[float, Example]]:
        """The Examples of a path, and where in the epoch each stands, from 0 to 1.

        Places follow from the sizes of files, because counting Docs would mean reading
        them.
        """
        rng = Random(f"{self.seed} {self._readings} {name}")
        if not (weight := self.weights[name]):
            return
        if self.limit:
            parts = [(1, self._docs(name, vocab))]
        else:
            files = self._files(self.paths[name])
            rng.shuffle(files)
            parts = [(f.stat().st_size, self._read(f, vocab, name)) for f in files]
        # 1 if all files are empty, which `_report` refuses.
        total = sum(size for size, _ in parts) or 1
        done = 0.0
        for size, docs in parts:
            examples = [make_example(doc, **self.given) for doc in docs]
            chosen = [
                example
                for example in examples
                for _ in range(int(weight) + (rng.random() < weight % 1))
            ]
            rng.shuffle(chosen)
            share = size / total
            for i, example in enumerate(chosen):
                yield done + share * (i + rng.random()) / len(chosen), example
            done += share

    def _read_otherwise(self) -> Any:
        """How other files than .spacy files are read; what reads them is above."""
        if self._reading is None:
            reading = resolve_name("spacy_gfl.tools.treebanks.inputs:reading_brackets")
            self._reading = reading(*self._brackets)
        return self._reading

    def _files(self, path: Path) -> list[Path]:
        """The files at a path."""
        if path.suffix == DOCBIN and path.is_file():
            return [path]
        find = resolve_name("spacy_gfl.tools.treebanks.inputs:treebank_files")
        return find(path, self._read_otherwise(), docbins=True)

    def _docs_of(self, file: Path, vocab: Vocab) -> Iterator[Doc]:
        """The Docs of a file."""
        if file.suffix == DOCBIN:
            return read_docbin(file, vocab)
        read = resolve_name("spacy_gfl.tools.treebanks.inputs:read_treebank")
        return read(file, vocab, self._read_otherwise(), n_sents=self.n_sents)

    def _read(self, file: Path, vocab: Vocab, name: str) -> Iterator[Doc]:
        counts = self._counts.setdefault(name, Counter())
        for doc in self._docs_of(file, vocab):
            sents = [len(word_indices(sent)) for sent in sentences(doc)]
            short = [not 0 < self.max_length < n for n in sents]
            counts["left out"] += len(short) - sum(short)
            if any(short):
                counts["sentences"] += sum(short)
                counts["words"] += sum(compress(sents, short))
                yield doc if all(short) else keep_sentences(doc, short)

    def _report(self) -> None:
        """Log what was read; raise ValueError for a path that gave nothing."""
        for name, path in self.paths.items():
            counts = self._counts[name]
            n = counts["left out"]
            longer = (
                f"longer than max_length = {self.max_length} words: "
                f"{n} sentence{'' if n == 1 else 's'}"
            )
            if self.weights[name] and not counts["sentences"]:
                raise ValueError(
                    f"The treebank {path} has no sentences"
                    + (f" ({longer})." if n else ".")
                )
            # A corpus is read again for every epoch or evaluation: say it once.
            if self._reported:
                continue
            if self.is_mixed:
                util.logger.info(
                    f"Corpus {name}, {self.weights[name]:g} times per epoch: "
                    f"{counts['sentences']:,} sentences, {counts['words']:,} "
                    "words."
                )
            if n:
                util.logger.warning(f"Left out of {path}, {longer}.")
        self._reported = True


def make_example(doc: Doc, *, gold_sents: bool, gold_tags: bool = False) -> Example:
    """Make an Example of a gold Doc, whose sentences and tags are given if asked."""
    predicted = Doc(
        doc.vocab,
        words=[token.text for token in doc],
        spaces=[bool(token.whitespace_) for token in doc],
        tags=[token.tag_ for token in doc] if gold_tags else None,
        sent_starts=[token.is_sent_start for token in doc] if gold_sents else None,
    )
    return Example(predicted, doc)


def keep_sentences(doc: Doc, keep: Sequence[bool]) -> Doc:
    """A Doc of some of a Doc's sentences, at least one, with annotation and trees.

    Other span groups and the attributes of the trees' are not carried over.
    """
    sents = list(compress(doc.sents, keep))
    trees = list(compress(get_trees(doc), keep))
    parts = [sent.as_doc() for sent in sents]
    kept = Doc.from_docs(parts, ensure_whitespace=False)
    starts = set(accumulate(map(len, sents), initial=0))
    # A dependency parse has the starts already, and then they cannot be set.
    if not kept.has_annotation("DEP"):
        for token in kept:
            token.is_sent_start = token.i in starts
    set_trees(kept, trees)
    return kept
