"""Lines of brackets, read and scored as EVALB does; lines may have any length."""

import math
import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from spacy_gfl.evaluation.evalb import SentenceScore, Status, compare_brackets
from spacy_gfl.evaluation.parameters import COLLINS, Parameters
from spacy_gfl.trees.escaping import escape_word, unescape_penn, unescape_word
from spacy_gfl.trees.tree import Constituent

# Words end at the white space of ASCII alone: a no-break space is part of a word.
_SPACE = r"[ \t\n\v\f\r]"
_NAME = r"[^ \t\n\v\f\r()]*"
_TERMINAL = re.compile(rf"\((?P<tag>{_NAME}){_SPACE}+(?P<word>{_NAME})\)")
_TOKEN = re.compile(
    rf"{_TERMINAL.pattern}|\((?P<label>{_NAME})"
    r"|(?P<close>\))"
    r"|(?P<stray>[^ \t\n\v\f\r()]+)"
)
_ROOT = re.compile(rf"^({_SPACE}*\()(?:ROOT|S1|VROOT|)(?={_SPACE}*\()")
_UNBALANCED = "Bracketing is unbalanced"
_QUOTATION_MARKS = frozenset({"'", '"', "/"})


class _Quotation(NamedTuple):
    """A quotation mark, deleted or not, and where it stood."""

    tag: str
    word: str
    n_words_before: int


@dataclass
class BracketLine:
    """A line of brackets as EVALB reads it, deleted words already left out.

    Attributes:
        words: The words.
        tags: Their tags.
        brackets: All brackets in the order of their opening, labels as they stand;
            the end of one that is never closed is -1.
        length: Words, the deleted ones included but for traces.
        quotations: The quotation marks that may have to be put back.
        n_quotations: For each bracket how many of them stood before it was opened, and
            before it was closed.
        messages: What is wrong with the line.
    """

    words: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    brackets: list[Constituent] = field(default_factory=list)
    length: int = 0
    quotations: list[_Quotation] = field(default_factory=list)
    n_quotations: list[tuple[int, float]] = field(default_factory=list)
    messages: list[str] = field(default_factory=list)

    @classmethod
    def read(cls, text: str, parameters: Parameters = COLLINS) -> "BracketLine":
        """Read one line. What is wrong with it goes into `messages`."""
        line = cls()
        stack: list[int] = []
        for token in _TOKEN.finditer(text):
            kind = token.lastgroup
            if kind == "word":
                line._add_word(token["tag"], token["word"], parameters)
            elif kind == "label":
                stack.append(len(line.brackets))
                line.brackets.append(Constituent(token["label"], len(line.words), -1))
                line.n_quotations.append((len(line.quotations), math.inf))
            elif kind == "stray":
                line.messages.append("Reading sentence")
            elif stack:
                at = stack.pop()
                line.brackets[at] = line.brackets[at]._replace(end=len(line.words))
                line.n_quotations[at] = line.n_quotations[at][0], len(line.quotations)
            else:
                line.messages.append(f"{_UNBALANCED} (too many close bracket)")
        if stack:
            line.messages.append(f"{_UNBALANCED} (too many open bracket)")
        return line

    def _add_word(self, tag: str, word: str, parameters: Parameters) -> None:
        if tag not in parameters.delete_for_length:
            self.length += 1
        if tag in parameters.quotes and word in _QUOTATION_MARKS:
            self.quotations.append(_Quotation(tag, word, len(self.words)))
        if tag not in parameters.delete:
            self.words.append(word)
            self.tags.append(tag)

    def put_back(self, numbers: Sequence[int]) -> None:
        """Put deleted quotation marks back among the words, in ascending order."""
        for n_before, quotation in enumerate(map(self.quotations.__getitem__, numbers)):
            place = quotation.n_words_before + n_before
            self.words.insert(place, quotation.word)
            self.tags.insert(place, quotation.tag)
        for k, (opened, closed) in enumerate(self.n_quotations):
            label, start, end = self.brackets[k]
            start += bisect_left(numbers, opened)
            end += bisect_left(numbers, closed)
            self.brackets[k] = Constituent(label, start, end)


def score_pair(
    gold_text: str, predicted_text: str, parameters: Parameters = COLLINS
) -> SentenceScore:
    """Score one predicted line against its gold line."""
    gold, predicted = read_pair(gold_text, predicted_text, parameters)
    messages = [*gold.messages, *predicted.messages]
    mismatch = _mismatch(gold, predicted, parameters) if predicted.words else None
    if mismatch is not None:
        messages.append(mismatch)
    gold_brackets = parameters.counted(gold.brackets)
    status = Status.ERROR if messages else Status.VALID
    score = SentenceScore(
        length=gold.length,
        status=status if predicted.words else Status.SKIP,
        gold_words=len(gold.words),
        gold_labels=tuple(bracket.label for bracket in gold_brackets),
        messages=tuple(messages),
    )
    if mismatch is not None or not predicted.words:
        return score
    predicted_brackets = parameters.counted(predicted.brackets)
    score = compare_brackets(score, gold_brackets, predicted_brackets, parameters)
    correct_tags = sum(map(parameters.same_label, gold.tags, predicted.tags))
    return replace(score, correct_tags=correct_tags)


def _mismatch(
    gold: BracketLine, predicted: BracketLine, parameters: Parameters
) -> str | None:
    """The reason why the words of two lines cannot be compared, if there is one."""
    if len(gold.words) != len(predicted.words):
        return f"Length unmatch ({len(gold.words)}|{len(predicted.words)})"
    for word, other in zip(gold.words, predicted.words, strict=True):
        if not parameters.same_word(word, other):
            return f"Words unmatch ({word}|{other})"
    return None


def score_lines(
    gold: Sequence[str], predicted: Sequence[str], parameters: Parameters = COLLINS
) -> list[SentenceScore]:
    """Score line i of the predictions against line i of gold.

    Raises:
        ValueError: There are more lines of one than of the other.
    """
    return [score_pair(*pair, parameters) for pair in zip(gold, predicted, strict=True)]


def read_pair(
    gold_text: str, predicted_text: str, parameters: Parameters
) -> tuple[BracketLine, BracketLine]:
    """Read two lines; if their numbers of words differ, put quotation marks back.

    Where a quotation mark stands at the same place in both lines, under a deleted
    tag in one and under another tag in the other, the deleted one returns.
    """
    gold = BracketLine.read(gold_text, parameters)
    predicted = BracketLine.read(predicted_text, parameters)
    if not predicted.words or len(gold.words) == len(predicted.words):
        return gold, predicted
    deleted: dict[int, int] = {}
    kept = set[int]()
    for number, (tag, _, place) in enumerate(gold.quotations):
        if tag in parameters.delete:
            deleted.setdefault(place, number)
        else:
            kept.add(place)
    in_gold, in_predicted = list[int](), list[int]()
    for number, (tag, _, place) in enumerate(predicted.quotations):
        # What is put back moves the places after it.
        place += len(in_predicted) - len(in_gold)
        if tag not in parameters.delete and place in deleted:
            in_gold.append(deleted[place])
        elif tag in parameters.delete and place in kept:
            in_predicted.append(number)
    gold.put_back(in_gold)
    predicted.put_back(in_predicted)
    return gold, predicted


def map_root(text: str) -> str:
    """Write TOP for an outermost bracket named ROOT, S1, VROOT or nothing.

    EVALB deletes TOP alone; any other root would be a bracket that counts and is
    always right.
    """
    return _ROOT.sub(r"\1TOP", text)


def map_words(text: str) -> str:
    """Write each word as `escape_word` does, whatever it was written like.

    A character may be written in several ways: a curly bracket as -LCB- and `{`, a
    no-break space as it is and as -U+00A0-. A word that is itself as in Penn treebanks,
    as a parser given such words has it, is written as its text.
    """

    def rewrite(match: re.Match[str]) -> str:
        word = unescape_penn(unescape_word(match[2]))
        return f"({match[1]} {escape_word(word)})"

    return _TERMINAL.sub(rewrite, text)


def copy_tags(gold_text: str, predicted_text: str, parameters: Parameters) -> str:
    """The predicted line under the gold line's tags, where their words agree.

    Words whose tags do not count towards length (traces) are passed over. Lines
    whose words differ are left as they are.
    """
    ignored = parameters.delete_for_length
    gold, predicted = (
        [pair for pair in _TERMINAL.findall(text) if pair[0] not in ignored]
        for text in (gold_text, predicted_text)
    )
    if [word for _, word in gold] != [word for _, word in predicted]:
        return predicted_text
    following = iter([tag for tag, _ in gold])

    def retag(match: re.Match[str]) -> str:
        return match[0] if match[1] in ignored else f"({next(following)} {match[2]})"

    return _TERMINAL.sub(retag, predicted_text)
