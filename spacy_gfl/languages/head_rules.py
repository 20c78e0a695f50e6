"""What a rule for heads is: which child of a constituent is its head."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from spacy_gfl.trees.tree import Tree


class Candidate(NamedTuple):
    """A child of a constituent, as rules see it.

    Attributes:
        label: The label without function tags, or a word's tag.
        functions: The function tags, "-TMP-1" of "NP-TMP-1".
        word: The word, or a constituent's head word, in lower case.
        is_word: Whether the child is a word.
    """

    label: str
    functions: str
    word: str
    is_word: bool


#: Finds the head among the children of a constituent, which is given by its index in
#: its tree (-1 for the root) and its label: the index of the child, or None.
Choice: TypeAlias = Callable[[int, str, Sequence[Candidate]], int | None]


class Step(NamedTuple):
    """One search among the children.

    Attributes:
        direction: "left" looks from the left end on, "right" from the right end.
        labels: What is looked for.
        in_order: Whether the labels are tried one after the other, rather than
            the first child taken that has any of them.
    """

    direction: str
    labels: tuple[str, ...]
    in_order: bool = True

    def order(self, children: Sequence[Candidate]) -> Sequence[int]:
        """The indices of children in the order in which they are looked at."""
        order = range(len(children))
        return order if self.direction == "left" else order[::-1]


@dataclass(frozen=True)
class HeadRules:
    """Rules that find the head child of a constituent.

    Attributes:
        table: For a label its steps, tried in turn. If none finds a child, the
            head is the outermost child in the direction of the last step that is
            not punctuation; for a label that is not in the table, the leftmost.
        first_conjunct: Whether the head of a coordination is the first conjunct,
            rather than the one before the conjunction (Collins).
        special: Given a tree, what is tried before the table; where it finds no head,
            the table decides.

    Raises:
        ValueError: A label has no steps, or one that goes neither left nor right.
    """

    table: Mapping[str, tuple[Step, ...]]
    first_conjunct: bool = False
    special: Callable[[Tree], Choice] | None = None

    def __post_init__(self) -> None:
        for label, steps in self.table.items():
            directions = {step.direction for step in steps}
            if not directions or not directions <= {"left", "right"}:
                raise ValueError(f'{label} needs steps "left" or "right", not {steps}')


def head_rules(
    collins: str, semantic: str, special: Callable[[Tree], Choice] | None = None
) -> Mapping[str, HeadRules]:
    """Make the rules of a language, "collins" and "semantic".

    Args:
        collins: Lines of a label, a direction and labels, a step each. `left|` takes
            any of the labels; a label's lines are tried in turn. NML and NX are headed
            as NP is, where that is in the table.
        semantic: Lines of the labels whose semantic heads are others.
        special: Tried before the table of semantic heads.
    """
    table = _read_table(collins)
    semantic_table = {**table, **_read_table(semantic)}
    return {
        "collins": HeadRules(table),
        "semantic": HeadRules(semantic_table, first_conjunct=True, special=special),
    }


def _read_table(text: str) -> dict[str, tuple[Step, ...]]:
    table: dict[str, tuple[Step, ...]] = {}
    for line in text.strip().splitlines():
        label, direction, *labels = line.split()
        step = Step(direction.rstrip("|"), tuple(labels), not direction.endswith("|"))
        table[label] = (*table.get(label, ()), step)
    nominal = table.get("NP")
    return {**table, "NML": nominal, "NX": nominal} if nominal else table
