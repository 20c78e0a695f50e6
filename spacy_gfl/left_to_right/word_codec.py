"""Actions and the words between them: what a model of both learns to write.

Such a model predicts the next word from the tree so far (Dyer et al. 2016, *Recurrent
Neural Network Grammars*), so that a sentence and its tree have a probability together:

    P(words, actions) = prod_i P(word_i | tree_i-1) P(action_i | tree_i-1, word_i)

Words that training has too seldom are predicted by a class of their shape, as in
parsers with unknown-word classes (Petrov and Klein 2007), and by their spelling, given
the class (`spelling`).
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy

from spacy_gfl.attach_juxtapose.action_codec import AttachJuxtapose
from spacy_gfl.attach_juxtapose.actions import Actions
from spacy_gfl.attach_juxtapose.config import DEEPEST, DEPTHS
from spacy_gfl.decoding.codec import LabelDataError
from spacy_gfl.left_to_right.spelling import Spelled
from spacy_gfl.trees.escaping import unescape_penn
from spacy_gfl.trees.tree import Tree

#: Words with a probability of their own: the most frequent, of at least so many times.
MOST_WORDS, LEAST_TIMES = 20_000, 3
#: The end of a sentence, and the classes of other words. No word has a space.
END = " end"
ENDINGS = ("ing", "ed", "ly", "s")
CLASSES = (
    *(" number", " symbol", " hyphen", " capital", " word"),
    *(f" -{ending}" for ending in ENDINGS),
)
_KINDS = {name: i for i, name in enumerate(CLASSES)}
_QUOTES = str.maketrans("‘’ʼ´“”", "'" * 4 + '"' * 2)


def normal_form(word: str) -> str:
    """A word as it is counted: in small letters, each digit 0, quotes straight."""
    text = unescape_penn(word).lower().translate(_QUOTES)
    return "".join("0" if character.isdigit() else character for character in text)


def shape_class(word: str) -> str:
    """Which of `CLASSES` a word is of."""
    word = unescape_penn(word)
    if any(character.isdigit() for character in word):
        return " number"
    if not any(character.isalpha() for character in word):
        return " symbol"
    if "-" in word:
        return " hyphen"
    if word[0].isupper():
        return " capital"
    suffix = next((ending for ending in ENDINGS if word.endswith(ending)), None)
    return " word" if suffix is None else f" -{suffix}"


class NextWords(NamedTuple):
    """What a model of words predicts in a sentence.

    Attributes:
        numbers: The number of each word, or of its class, and of the end,
            `(words + 1,)`.
        spelled: The words of which there is a class.
    """

    numbers: numpy.ndarray
    spelled: Sequence[Spelled] = ()


class WordedActions(NamedTuple):
    """What a model of actions and words learns of a sentence.

    Attributes:
        actions: The actions that write its tree.
        words: The words, and the end.
        read: What the decoder knows of the tree before each of these: labels of the
            deepest nodes, new and parent label of the last action, and the depth of its
            target, `(words + 1, 6)`.
        starts: Where the deepest node begins then, `(words + 1,)`.
    """

    actions: Actions
    words: NextWords
    read: numpy.ndarray
    starts: numpy.ndarray


class WordedAttachJuxtapose(AttachJuxtapose):
    """The vocabulary of actions and of words.

    Args:
        labels: The constituent labels, each once.
        chains: The joined labels, each once.
        tags: The tags that a tagger may learn.
        words: Words in their `normal_form`, `CLASSES` and `END`, the most frequent
            first.
    """

    kind = "worded_attach_juxtapose"
    predicts_words = True

    def __init__(
        self,
        labels: Sequence[str],
        chains: Sequence[Sequence[str]],
        tags: Sequence[str] = (),
        words: Sequence[str] = (END, *CLASSES),
    ) -> None:
        super().__init__(labels, chains, tags)
        self.words = tuple(words)
        self._word_ids = {word: i for i, word in enumerate(self.words)}

    @classmethod
    def from_trees(cls, trees: Iterable[Tree]) -> "WordedAttachJuxtapose":
        """Collect labels, chains, tags and words, the most frequent first."""
        times: Counter[str] = Counter()

        def counted() -> Iterator[Tree]:
            for tree in trees:
                times.update(tree.words)
                times[END] += 1
                yield tree

        base = AttachJuxtapose.from_trees(counted())
        counts = Counter({END: times.pop(END, 0), **dict.fromkeys(CLASSES, 0)})
        forms: Counter[str] = Counter()
        for word, n in times.items():
            forms[normal_form(word)] += n
        ranked = sorted(forms, key=lambda form: (-forms[form], form))[:MOST_WORDS]
        known = {form for form in ranked if forms[form] >= LEAST_TIMES}
        for word, n in times.items():
            form = normal_form(word)
            counts[form if form in known else shape_class(word)] += n
        words = sorted(counts, key=lambda word: (-counts[word], word))
        return cls(base.labels, base.chains, base.tags, words)

    @classmethod
    def _from_data(cls, data: dict[str, Any]) -> "WordedAttachJuxtapose":
        base, words = AttachJuxtapose._from_data(data), data.get("words")
        if not isinstance(words, list) or not {END, *CLASSES}.issubset(words):
            raise LabelDataError('Label data need a list of "words" and their classes.')
        return cls(base.labels, base.chains, base.tags, words)

    def _to_data(self) -> dict[str, Any]:
        return {**super()._to_data(), "words": list(self.words)}

    def with_labels(self, labels: Iterable[str]) -> "WordedAttachJuxtapose":
        base = super().with_labels(labels)
        return WordedAttachJuxtapose(base.labels, base.chains, base.tags, self.words)

    def network_settings(self) -> dict[str, Any]:
        """The numbers of joined labels, of tags and of words."""
        return {**super().network_settings(), "n_words": len(self.words)}

    def is_known(self, word: str) -> bool:
        """Whether a word is predicted by itself, and not by its shape."""
        return normal_form(word) in self._word_ids

    def word_ids(self, words: Sequence[str]) -> NextWords:
        """The numbers of a sentence's words and of the end, and what is spelled."""
        ids, numbers, spelled = self._word_ids, [], []
        for place, word in enumerate(words):
            form = normal_form(word)
            number = ids.get(form)
            if number is None:
                name = shape_class(word)
                number = ids[name]
                spelled.append(Spelled(place, _KINDS[name], form))
            numbers.append(number)
        return NextWords(numpy.array([*numbers, ids[END]], dtype="int64"), spelled)

    def encode(self, tree: Tree) -> WordedActions:  # type: ignore[override]
        """The actions of a tree, the chain before each, and the words."""
        actions = super().encode(tree)
        ends = actions.chain_sizes.cumsum().tolist()
        starts, labels = actions.chain_starts.tolist(), actions.chain_labels.tolist()
        chains = [
            list(zip(starts[end - size : end], labels[end - size : end], strict=True))
            for end, size in zip(ends, actions.chain_sizes.tolist(), strict=True)
        ]
        taken = actions.actions.tolist()
        if taken:
            # The chain after the last word.
            target, new, parent = taken[-1]
            last = chains[-1][: target + 1]
            if new:
                last[target] = (last[target][0], new)
            chains.append([*last, *([(len(tree) - 1, parent)] if parent else [])])
        before = [(0, 0, 0)]
        for chain, (target, new, parent) in zip(chains, taken, strict=False):
            before.append((new, parent, min(len(chain) - 1 - target, DEPTHS - 1)))
        read = [
            [*_deepest(chain), *last]
            for chain, last in zip(chains, before, strict=bool(taken))
        ]
        return WordedActions(
            actions,
            self.word_ids(tree.words),
            numpy.array(read, dtype="int64").reshape(-1, DEEPEST + 3),
            numpy.array([chain[-1][0] for chain in chains], dtype="int64"),
        )


def _deepest(chain: Sequence[tuple[int, int]]) -> list[int]:
    """The labels of the deepest nodes of a chain, the deepest first, 0 for none."""
    labels = [label for _, label in chain[: -DEEPEST - 1 : -1]]
    return labels + [0] * (DEEPEST - len(labels))
