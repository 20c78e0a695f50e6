"""Greedy search of the attach-juxtapose network for one sentence by itself.

Where a batch has one row, a step computes so little that most of its time goes to
calling PyTorch. Here the tree so far is plain numbers and the sums are NumPy's, whose
calls, and whose product of a vector with a matrix, take a fraction of that time. The
equations are those of `search_steps.Steps`.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy
from torch import Tensor, nn

from spacy_gfl.attach_juxtapose.config import DEEPEST, DEPTHS
from spacy_gfl.attach_juxtapose.search_steps import (
    MARGIN,
    SearchWeights,
    Steps,
    Tables,
)
from spacy_gfl.decoding.beam import Path
from spacy_gfl.layers.linear import Array


class ArrayWeights(NamedTuple):
    """The weights of a network as arrays.

    Attributes:
        tables: `Tables` of arrays; that of depths has a row for each node of the
            longest chain, from the root down.
        of_decoder: From the decoder's h to its next gates and to all sums.
        score: The pointer's v.
        new_label, parent_label: Matrix `(in, out)` and biases of the label choices.
    """

    tables: Any
    of_decoder: Callable[[Array], Array]
    score: Array
    new_label: tuple[Array, Array]
    parent_label: tuple[Array, Array]

    @classmethod
    def of(
        cls, weights: SearchWeights, of_decoder: Callable[[Array], Array]
    ) -> "ArrayWeights":
        """The arrays of a network."""
        tables: Any = Tables._make(map(_array, weights.tables))
        depths = numpy.arange(weights.max_depth - 1, -1, -1).clip(max=DEPTHS - 1)
        tables = tables._replace(depth=tables.depth[depths])
        return cls(
            tables,
            of_decoder,
            _array(weights.score),
            _matrix(weights.new_label),
            _matrix(weights.parent_label),
        )


def _array(tensor: Tensor) -> Array:
    return tensor.detach().numpy()


def _matrix(layer: nn.Linear) -> tuple[Array, Array]:
    return numpy.ascontiguousarray(_array(layer.weight).T), _array(layer.bias)


class SingleSearch:
    """Greedy search of one sentence of a batch.

    Args:
        weights: The network's weights.
        steps: What words give, for the whole batch.
        sentence: Which of the batch's sentences.
        n_words: How many words it has.
    """

    def __init__(
        self, weights: ArrayWeights, steps: Steps, sentence: int, n_words: int
    ) -> None:
        first = sentence * steps.shape[1]
        self.weights = weights
        self.words = steps.words[first : first + n_words].numpy()
        self.hidden_width = width = len(weights.score)
        fences = steps.fences[first : first + n_words].numpy()
        self.pointer_fences = fences[:, :width]
        self.choice_fences = fences[:, width : 3 * width]
        self.n_gates = steps.weights.n_gates
        self.max_depth = len(weights.tables.depth)
        # The root has the label after the last.
        root = self.n_choices = len(weights.new_label[1])
        # The chain, from the root down; labels after zeros, and with one at the end.
        self.starts = [0]
        self.labels = [*[0] * MARGIN, root, 0]
        #: The pointer's sums but for the word and the nodes' depths.
        room = min(self.max_depth, n_words + 1)
        self.keys = numpy.empty((room, self.hidden_width), self.words.dtype)
        self._sum_key(0)

    # Say nothing of numbers that are not finite, as PyTorch does: they are seen in
    # the log-probability.
    @numpy.errstate(over="ignore", invalid="ignore")
    def run(self) -> Path:
        """Search.

        Returns:
            Target, new label and parent label of each word after the other, and the
            log-probability of all (nats); NaN if the network's numbers are.
        """
        weights, n_words = self.weights, len(self.words)
        n_gates, width = self.n_gates, self.hidden_width
        # Of all choices, -inf where there is none: their logarithms come at the end.
        pointed = self._no_scores(n_words, len(self.keys))
        renamed = self._no_scores(n_words, self.n_choices)
        wrapped = renamed.copy()
        fed = numpy.zeros(n_gates, self.words.dtype)
        memory = numpy.zeros(n_gates // 4, self.words.dtype)
        choices: list[int] = []
        new = parent = depth = 0
        for word, given in enumerate(self.words):
            fed += given[:n_gates]
            fed += self._read(new, parent, depth)
            # The logistic function of z is (1 + tanh(z / 2)) / 2; g is doubled.
            fed *= 0.5
            i, f, g, o = numpy.tanh(fed, out=fed).reshape(4, -1)
            memory = 0.5 * ((f + 1.0) * memory + (i + 1.0) * g)
            both = weights.of_decoder(0.5 * (o + 1.0) * numpy.tanh(memory))
            fed, sums = both[:n_gates], both[n_gates:]
            sums += given[n_gates:]
            target = self._point(sums[:width], pointed[word])
            depth = min(len(self.starts) - 1 - target, DEPTHS - 1)
            sums = sums[width:]
            sums += self._target_sums(target, depth)
            new = parent = 0
            if target > 0:
                new = _choose(sums[:width], weights.new_label, renamed[word])
            if target + 1 < self.max_depth:
                for_parent = sums[width:] + weights.tables.new[new]
                parent = _choose(for_parent, weights.parent_label, wrapped[word])
            self._extend(word, target, new, parent)
            choices += (target, new, parent)
        return choices, sum(map(_best_log_probs, (pointed, renamed, wrapped)))

    def _no_scores(self, rows: int, choices: int) -> Array:
        scores = numpy.full((rows, choices), -numpy.inf, self.words.dtype)
        scores[:, 0] = 0.0
        return scores

    def _read(self, new: int, parent: int, depth: int) -> Array:
        """The share of labels and depth in the decoder's gates."""
        places = [*self.labels[-2 : -2 - DEEPEST : -1], new, parent, depth]
        size = self.n_choices + 1
        rows = [place * size + row for place, row in enumerate(places)]
        return self.weights.tables.decoder.take(rows, axis=0).sum(axis=0)

    def _point(self, sums: Array, scores: Array) -> int:
        """The most probable target; its sums are added to the word's."""
        size = len(self.starts)
        nodes = self.keys[:size] + self.weights.tables.depth[-size:]
        nodes += sums
        scores[:size] = numpy.tanh(nodes, out=nodes) @ self.weights.score
        return int(scores[:size].argmax())

    def _target_sums(self, target: int, depth: int) -> Array:
        """The share of the target in the sums of both label choices."""
        size = self.n_choices + 1
        label, mother = self.labels[MARGIN + target], self.labels[MARGIN + target - 1]
        rows = [label, size + mother, 2 * size + depth]
        sums = self.weights.tables.choices.take(rows, axis=0).sum(axis=0)
        return sums - self.choice_fences[self.starts[target]]

    def _extend(self, word: int, target: int, new: int, parent: int) -> None:
        """Add the word to the tree."""
        del self.starts[target + 1 :], self.labels[MARGIN + target + 1 :]
        if new:
            # It begins where the node begins whose place it takes.
            self.labels[-1] = new
        if parent:
            self.starts.append(word)
            self.labels.append(parent)
        self.labels.append(0)
        for node in range(max(0, target - (new > 0)), len(self.starts)):
            self._sum_key(node)

    def _sum_key(self, node: int) -> None:
        tables = self.weights.tables
        mother, own, child = self.labels[MARGIN + node - 1 : MARGIN + node + 2]
        key = numpy.add(tables.own[own], tables.mother[mother], out=self.keys[node])
        key += tables.child[child]
        key -= self.pointer_fences[self.starts[node]]


def _choose(sums: Array, output: tuple[Array, Array], scores: Array) -> int:
    """The most probable label, whose scores are written to `scores`."""
    matrix, bias = output
    numpy.maximum(sums, 0.0, out=sums)
    numpy.add(sums @ matrix, bias, out=scores)
    return int(scores.argmax())


def _best_log_probs(scores: Array) -> float:
    """The summed log-probability of each row's best choice."""
    shares = numpy.exp(scores - scores.max(axis=1, keepdims=True))
    return -float(numpy.log(shares.sum(axis=1)).sum())
