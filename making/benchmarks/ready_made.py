"""What the programs beside this file share: Docs of known words, time and memory."""

import resource
import time
from collections.abc import Callable, Sequence

from spacy.tokens import Doc
from spacy.vocab import Vocab


def doc_of(vocab: Vocab, *sentences: Sequence[str]) -> Doc:
    """A Doc of these sentences, each a list of words."""
    words = [word for sentence in sentences for word in sentence]
    starts = [i == 0 for sentence in sentences for i in range(len(sentence))]
    return Doc(vocab, words=words, sent_starts=starts)


def seconds_of(
    work: Callable[[], object], clock: Callable[[], float] = time.process_time
) -> float:
    """How long a piece of work takes, by default of the processor's time."""
    start = clock()
    work()
    return clock() - start


def most_memory() -> int:
    """The most memory that this process has had, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
