"""The tallies of a reading of brackets, and what is done with errors."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from spacy_gfl.trees.brackets import BracketError, Reason


@dataclass
class ReadCounts:
    """Tallies of one reading; `read == kept + vanished + sum(rejected.values())`.

    Attributes:
        read: Trees met, malformed ones and stray pieces of text among them.
        kept: Trees given out.
        repaired: Of those, the trees with at least one repair.
        repairs: Nodes repaired: tags over several words, constituents with words
            that have no tag.
        untagged: Words that had no tag and were given XX.
        traces: Words of tag -NONE- taken out.
        emptied: Constituents taken out because only traces were in them.
        vanished: Trees of which nothing was left.
        rejected: How many errors of each reason.
        moved: Parts of constituents with gaps that were moved.
    """

    read: int = 0
    kept: int = 0
    repaired: int = 0
    repairs: int = 0
    untagged: int = 0
    traces: int = 0
    emptied: int = 0
    vanished: int = 0
    rejected: Counter[str] = field(default_factory=Counter)
    moved: int = 0


@dataclass
class Rejections:
    """What is done with errors: they are counted, and told or raised.

    Attributes:
        source: The name of the file or stream, which errors carry.
        counts: Tallies of the reading to add to.
        on_error: Called with each error, after which reading goes on; without it the
            first error is raised.
    """

    source: str = "<input>"
    counts: ReadCounts = field(default_factory=ReadCounts)
    on_error: Callable[[BracketError], None] | None = None

    def reject(self, reason: Reason, place: tuple[int, int], message: str) -> None:
        """Count an error in a line and column, and tell or raise it."""
        error = BracketError(reason, self.source, *place, message)
        self.counts.read += 1
        self.counts.rejected[reason] += 1
        if self.on_error is None:
            raise error from None
        self.on_error(error)
