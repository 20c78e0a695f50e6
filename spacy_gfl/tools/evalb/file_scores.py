"""Gold and predicted trees of files, side by side, to be scored."""

import warnings
from dataclasses import dataclass, field, replace
from pathlib import Path

from spacy.vocab import Vocab

from spacy_gfl.annotation.storage import get_trees
from spacy_gfl.evaluation.evalb import SentenceScore
from spacy_gfl.evaluation.parameters import Parameters
from spacy_gfl.evaluation.scorer import prediction_flags, score_doc
from spacy_gfl.tools.evalb.bracket_lines import (
    copy_tags,
    map_root,
    map_words,
    score_lines,
)
from spacy_gfl.tools.treebanks.bracket_counts import Rejections
from spacy_gfl.tools.treebanks.bracket_reader import split_trees
from spacy_gfl.tools.treebanks.formats import (
    ENDINGS,
    discbracket,
    ending_of,
    head_of,
)
from spacy_gfl.tools.treebanks.formats.reading import AUTO, Reading
from spacy_gfl.tools.treebanks.formats.text_files import read_lines
from spacy_gfl.tools.treebanks.inputs import (
    find_treebank_format,
    holds_docs,
    read_treebank,
)
from spacy_gfl.tools.treebanks.schemes import PENN, SchemeCheck, SchemeWarning
from spacy_gfl.trees.brackets import begins_square
from spacy_gfl.trees.tree import ROOT_LABEL


@dataclass(frozen=True)
class ScoredFiles:
    """Two files of trees of the same sentences, and how they are compared.

    Attributes:
        gold: The file of gold trees.
        predicted: The file of predicted trees, in the order of gold.
        parameters: EVALB's parameters.
        gold_tags: Put the gold tags into predicted brackets. Files of Docs are scored
            by gold's tags in any case.
        raw: Leave root labels and words of brackets as they are.
        reading: How the files are read; its format is of gold, and of predicted trees
            where their file's ending tells none.
    """

    gold: Path
    predicted: Path
    parameters: Parameters
    gold_tags: bool = False
    raw: bool = False
    reading: Reading = field(default_factory=Reading)

    @property
    def _of_predicted(self) -> Reading:
        is_known = ending_of(self.predicted) in ENDINGS
        return replace(self.reading, format=AUTO) if is_known else self.reading

    @property
    def have_gold_tags(self) -> bool:
        """Whether what is scored has gold's tags."""
        return self.gold_tags or self._are_docs

    @property
    def _are_docs(self) -> bool:
        return holds_docs(self.gold, self.reading.format) and holds_docs(
            self.predicted, self._of_predicted.format
        )

    def scores(self) -> tuple[list[SentenceScore], list[str] | None]:
        """Score predicted trees against gold trees, as EVALB does.

        Two files of Docs need the same texts, but not the same tokens.

        Returns:
            The scores of all sentences; and the parser's flag of each tree, or None
            without one.

        Raises:
            OSError: If a file cannot be read.
            ValueError: If there are no gold trees, or texts or numbers of trees differ.
        """
        if not self._are_docs:
            return score_lines(*self.lines(), self.parameters), None
        golds = list(read_treebank(self.gold, Vocab(), self.reading))
        predictions = list(
            read_treebank(self.predicted, Vocab(), self._of_predicted, need_trees=False)
        )
        if not golds:
            raise ValueError(f"{self.gold} has no trees.")
        if len(golds) != len(predictions):
            # The same sentences in larger Docs.
            return score_lines(*self.lines(), self.parameters), None
        scores: list[SentenceScore] = []
        pairs = zip(golds, predictions, strict=True)
        for number, (doc, other) in enumerate(pairs, start=1):
            if "".join(doc.text.split()) != "".join(other.text.split()):
                raise ValueError(
                    f"Doc {number} of {self.gold} and of {self.predicted} differ "
                    "in their text."
                )
            scores.extend(score_doc(doc, other, parameters=self.parameters))
        return scores, prediction_flags(predictions)

    def lines(self) -> tuple[list[str], list[str]]:
        """The trees as lines of brackets, one per tree, ready for EVALB.

        Files of one tree per line are read as EVALB does, blank lines (a parser that
        gave up) and unbalanced ones included; in any other layout trees end where their
        brackets do. Blank lines at the end of one file alone are left out, and so are
        all where the files do not have as many lines. Words are the same if they stand
        for the same characters, such as -LCB- and `{`.

        Returns:
            The lines of the gold trees, and as many of the predicted ones.

        Raises:
            OSError: If a file cannot be read.
            ValueError: If there are no gold trees, or the numbers of trees differ.
        """
        gold, predicted = self.gold, self.predicted
        lines, others = (
            _lines(gold, self.reading),
            _lines(predicted, self._of_predicted),
        )
        if not _is_tree_a_line(lines):
            lines = list(split_trees(lines, rejections=Rejections(str(gold))))
        if not any(map(_is_tree, lines)):
            raise ValueError(f"{gold} has no trees.")
        for some, other in ((others, lines), (lines, others)):
            while len(some) > len(other) and not some[-1].strip():
                some.pop()
        if len(others) != len(lines):
            lines = list(filter(str.strip, lines))
        # Where there are as many lines as trees, an unbalanced line is a tree's.
        if len(others) != len(lines) and not _is_tree_a_line(others):
            others = list(split_trees(others, rejections=Rejections(str(predicted))))
        if len(others) != len(lines):
            others = list(filter(str.strip, others))
        if len(lines) != len(others):
            raise ValueError(
                f"{gold} has {len(lines)} trees, but {predicted} has {len(others)}."
            )
        if not self.raw:
            lines, others = (
                [map_words(map_root(line)) for line in some] for some in (lines, others)
            )
        if self.have_gold_tags:
            others = [
                copy_tags(line, other, self.parameters)
                for line, other in zip(lines, others, strict=True)
            ]
        return lines, others


def _lines(path: Path, reading: Reading) -> list[str]:
    """The lines of a file of brackets; or a line for each tree with words of others.

    Lines are as they stand in the scheme `penn`, which EVALB knows, unless there are
    nodes that are no text.
    """
    row = find_treebank_format(path, reading.format)
    head = head_of(path, reading.encoding)
    is_penn = row.name == "brackets" and reading.scheme.name == PENN.name
    if is_penn and not (discbracket.begins(head) or begins_square(head)):
        lines = read_lines(path, encoding=reading.encoding)
        stripped = [line.rstrip("\n") for line in lines]
        if not any(map(reading.scheme.has_asides, stripped)):
            check = SchemeCheck(reading.scheme)
            for line in stripped:
                check.look(line)
            if message := check.message(str(path)):
                warnings.warn(message, SchemeWarning, stacklevel=2)
            return stripped
    docs = read_treebank(path, Vocab(), reading)
    trees = (tree for doc in docs for tree in get_trees(doc))
    return [tree.brackets(ROOT_LABEL) for tree in trees if len(tree)]


def _is_tree_a_line(lines: list[str]) -> bool:
    return all(map(_is_tree, filter(str.strip, lines)))


def _is_tree(line: str) -> bool:
    """Whether a line is one bracket from its first character to its last."""
    try:
        return list(split_trees([line])) == [line.strip()]
    except ValueError:
        return False
