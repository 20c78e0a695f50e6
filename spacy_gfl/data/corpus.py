"""Treebanks as a corpus to train and evaluate on."""

from collections.abc import Iterator, Sequence
from itertools import accumulate, compress, islice
from pathlib import Path

import spacy
from spacy import util
from spacy.errors import Errors
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from spacy_gfl.annotation.storage import (
    SPANS_KEY,
    get_trees,
    sentences,
    set_trees,
    word_indices,
)
from spacy_gfl.data.inputs import read_treebank
from spacy_gfl.data.splits import treebank_files


@spacy.registry.readers("spacy_gfl.TreebankCorpus.v1")
class TreebankCorpus:
    """Examples with gold trees, from files of any format that has trees.

    Unlike `spacy.Corpus.v1` it never cuts a Doc into sentences, which would
    lose the trees in its span group. Examples come in the order of the files;
    spaCy's training loop shuffles them, unless it streams (max_epochs = -1).

    It is registered as the reader `spacy_gfl.TreebankCorpus.v1`.

    Args:
        path: A .spacy, .jsonl or .conll file, a file of brackets (any other
            name), or a folder of .spacy files and brackets.
        limit: At most so many Docs, the first ones; 0 for all.
        max_length: Leave out sentences of more words than this, and log how
            many; 0 for none. The rest of a Doc stays, and so do its trees.
        n_sents: Sentences to a Doc made from brackets (0: a Doc a file). Other
            files have their own Docs.
        gold_sents: Give the predicted Docs the gold sentence boundaries, so that
            an evaluation scores trees alone, as the field's figures do.
            Components that set boundaries must leave those that are there.

    Raises:
        ValueError: Without a path, or for a negative number.
    """

    def __init__(
        self,
        path: str | Path | None,
        *,
        limit: int = 0,
        max_length: int = 0,
        n_sents: int = 1,
        gold_sents: bool = False,
    ) -> None:
        if path is None:
            raise ValueError(Errors.E913)
        numbers = {"limit": limit, "max_length": max_length, "n_sents": n_sents}
        for name, value in numbers.items():
            if value < 0:
                raise ValueError(f"{name} must be 0 or more, not {value}")
        self.path = Path(path)
        self.limit = limit
        self.max_length = max_length
        self.n_sents = n_sents
        self.gold_sents = gold_sents
        self._left_out = 0
        self._reported = False

    def __call__(self, nlp: Language) -> Iterator[Example]:
        """Read the corpus.

        Args:
            nlp: The pipeline whose vocabulary the Docs share.

        Yields:
            One Example a Doc: the reference has tags, sentence starts and trees;
            the predicted Doc has the same words and spaces, and sentence starts
            if `gold_sents` says so.

        Raises:
            FileNotFoundError: Where there is nothing at the path.
            ValueError: For a file that is not what its name says, such as
                brackets that are no tree (BracketError), for Docs without trees,
                or where no sentence is left.
        """
        self._left_out = 0
        is_empty = True
        for doc in islice(self._read(nlp.vocab), self.limit or None):
            is_empty = False
            yield Example(_without_annotation(doc, self.gold_sents), doc)
        longer = (
            f"longer than max_length = {self.max_length} words: "
            f"{self._left_out} sentence{'' if self._left_out == 1 else 's'}"
        )
        if is_empty:
            raise ValueError(
                f"The treebank {self.path} gives no sentences"
                + (f" ({longer})." if self._left_out else ".")
            )
        # A corpus is read again for every epoch or evaluation: say it once.
        if self._left_out and not self._reported:
            self._reported = True
            util.logger.warning("Left out of %s, %s.", self.path, longer)

    def _read(self, vocab: Vocab) -> Iterator[Doc]:
        for file in treebank_files(self.path, docbins=True):
            for doc in read_treebank(file, vocab, n_sents=self.n_sents):
                kept = self._without_long_sentences(doc) if self.max_length else doc
                if kept is not None and len(kept):
                    yield kept

    def _without_long_sentences(self, doc: Doc) -> Doc | None:
        sents = sentences(doc)
        short = [len(word_indices(sent)) <= self.max_length for sent in sents]
        if all(short):
            return doc
        self._left_out += len(short) - sum(short)
        return keep_sentences(doc, short) if any(short) else None


def _without_annotation(doc: Doc, with_sents: bool) -> Doc:
    return Doc(
        doc.vocab,
        words=[token.text for token in doc],
        spaces=[bool(token.whitespace_) for token in doc],
        sent_starts=[token.is_sent_start for token in doc] if with_sents else None,
    )


def keep_sentences(doc: Doc, keep: Sequence[bool], *, key: str = SPANS_KEY) -> Doc:
    """A Doc of some of a Doc's sentences, with their annotation and trees.

    Other span groups and the attributes of this one are not carried over.

    Args:
        doc: A Doc with trees.
        keep: For each sentence whether it stays; at least one must.
        key: The span group that holds the trees.

    Raises:
        ValueError: If no sentence stays.
    """
    sents = list(compress(doc.sents, keep))
    trees = list(compress(get_trees(doc, key=key), keep))
    kept = Doc.from_docs([sent.as_doc() for sent in sents], ensure_whitespace=False)
    if kept is None:
        raise ValueError("no sentence to keep")
    starts = set(accumulate(map(len, sents), initial=0))
    # A dependency parse has the starts already, and then they cannot be set.
    if not kept.has_annotation("DEP"):
        for token in kept:
            token.is_sent_start = token.i in starts
    set_trees(kept, [tree.constituents for tree in trees], key=key)
    return kept
