"""The search of the attach-juxtapose network: what its decoder carries along.

Three steps add a word: its target, its new label, its parent label. What does not
depend on the tree is computed for the whole batch at once. The tree itself is whole
numbers, which lead to rows of tables: so little is copied from step to step.
"""

from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional

from spacy_gfl.attach_juxtapose.config import DEEPEST, DEPTHS, LABELS_READ
from spacy_gfl.layers.linear import LinearMap
from spacy_gfl.layers.process import on_device

#: Zeros before the labels of a chain, so that each node has labels above it.
MARGIN = DEEPEST - 1
#: After how many words the length of the longest chain is looked up; for any GPU as
#: for CUDA.
ASKED_EVERY = {"cpu": 1, "cuda": 16}


class Tables(NamedTuple):
    """The shares of labels and depths in sums, multiplied out once per search.

    Attributes:
        decoder: Shares of the labels that the decoder reads, one table after the other,
            and of depths, in its gates, `(rows, 4 * decoder width)`.
        own, mother, child: Shares of a node's label and its neighbours' in the pointer,
            `(labels, hidden width)`.
        depth: Shares of a node's depth in the pointer, `(depths, hidden width)`.
        choices: Shares of the target's label, its mother's, then of depths, in the
            label choices, `(rows, 2 * hidden width)`.
        new: Shares of the new label in the choice of the parent label.
    """

    decoder: Tensor
    own: Tensor
    mother: Tensor
    child: Tensor
    depth: Tensor
    choices: Tensor
    new: Tensor


class SearchWeights(NamedTuple):
    """The weights of the network that a search takes.

    Attributes:
        tables: What labels and depths add to all sums.
        words: What a word adds to all sums at once: to the decoder's gates i, f, g, o,
            then to the pointer and to the label choices. Everywhere the sums of g, of
            which tanh is taken, are doubled.
        of_decoder: From the decoder's h to its next gates and to all other sums.
        score: The pointer's v, `(hidden width,)`.
        new_label, parent_label: From sums to the scores of the label choices.
        max_depth: Nodes of the chain at most.
    """

    tables: Tables
    words: LinearMap
    of_decoder: LinearMap
    score: Tensor
    new_label: nn.Linear
    parent_label: nn.Linear
    max_depth: int

    @property
    def n_gates(self) -> int:
        """The gates of the decoder: four times its width."""
        return self.tables.decoder.shape[1]

    @property
    def hidden_width(self) -> int:
        return len(self.score)

    @property
    def n_labels(self) -> int:
        return self.new_label.out_features - 1

    @property
    def root(self) -> int:
        """The root's label."""
        return self.n_labels + 1


class EncodedSpans(NamedTuple):
    """Sentences that the encoder has read, and all that words alone decide.

    Attributes:
        words: x, the encoder's states at the words, `(batch, words, its width)`, in
            both directions side by side.
        fences: For the fencepost before each word its share of the pointer's and the
            labels' sums, `(batch, words, sums)`. The share of a span is the difference
            of those of its two ends.
    """

    words: Tensor
    fences: Tensor


class State(NamedTuple):
    """Partial trees: every tensor has one row per hypothesis.

    Attributes:
        word: The word that is being added.
        base: Where its sentence begins in the padded batch of words, `(rows,)`.
        starts: Where the nodes of the chain begin, from the root down, `(rows, depth)`.
        labels: Their labels, after `MARGIN` zeros, and a zero after the last.
        sizes: How many nodes there are, `(rows,)`.
        fed: What the decoder's h adds to its next gates, `(rows, gates)`.
        memory: The decoder's c, `(rows, decoder width)`.
        previous: New label, parent label and target's depth of the last action.
        sums: What is known of the sums of the choices to come.
        action: Target, new label and parent label as far as they are chosen.
        next_word: The log-probability of the word that is being added, given the tree
            before it, `(rows,)`; None where nothing predicts it (`generative`).
        foreseeing: What is known of the sums that predict the word after it.
    """

    word: int
    base: Tensor
    starts: Tensor
    labels: Tensor
    sizes: Tensor
    fed: Tensor
    memory: Tensor
    previous: Tensor
    sums: Tensor
    action: tuple[Tensor, ...] = ()
    next_word: Tensor | None = None
    foreseeing: Tensor | None = None


class Steps:
    """The decoder of a batch of sentences, step by step: a `decoding.decoder.Decoder`.

    Args:
        weights: The network's weights.
        encoded: The sentences.
    """

    end = None

    def __init__(self, weights: SearchWeights, encoded: EncodedSpans) -> None:
        self.weights = weights
        self.shape = encoded.fences.shape[:2]
        self.fences = encoded.fences.flatten(0, 1)
        # The sums that words alone decide.
        words = encoded.words.flatten(0, 1)
        self.words = weights.words(words)
        self.words[:, weights.n_gates :] += self.fences

    def start(self) -> State:
        """Only the root, before the first word; one row per sentence."""
        self._prepare()
        weights = self.weights
        n_rows, n_words = self.shape
        base = n_words * torch.arange(n_rows, device=self.words.device)
        labels = base.new_zeros(n_rows, MARGIN + self.room)
        labels[:, MARGIN] = weights.root
        fed = self.words.new_zeros(n_rows, weights.n_gates)
        return State(
            word=0,
            base=base,
            starts=base.new_zeros(n_rows, self.room),
            labels=labels,
            sizes=torch.ones_like(base),
            fed=fed,
            memory=fed[:, : weights.n_gates // 4],
            previous=base.new_zeros(n_rows, 3),
            sums=fed,
        )

    def _prepare(self) -> None:
        """Tables whose rows are summed up, and what leads to them.

        `nodes` has what the pointer's sums are made of: the shares of a mother's label,
        a node's own and its child's, of depths, fenceposts, and, in its last rows, what
        is known of each hypothesis. `targets` has the same of the label choices: the
        shares of the target's label, its mother's, of depths and fenceposts.
        """
        tables, hidden = self.weights.tables, self.weights.hidden_width
        fences, device = self.fences, self.fences.device
        # As tanh(z) is 2 sigmoid(2 z) - 1, sums are doubled, and so is v. What that
        # adds to the scores of all nodes of a chain changes no probability.
        shares = torch.cat([tables.mother, tables.own, tables.child, tables.depth])
        first, last = len(shares), len(shares) + len(fences)
        self.nodes = fences.new_empty(last + self.shape[0], hidden)
        self.nodes[:first] = 2.0 * shares
        torch.mul(fences[:, :hidden], -2.0, out=self.nodes[first:last])
        self.score_twice = 2.0 * self.weights.score
        n_choices = len(tables.choices)
        self.targets = fences.new_empty(n_choices + len(fences), 2 * hidden)
        self.targets[:n_choices] = tables.choices
        torch.neg(fences[:, hidden : 3 * hidden], out=self.targets[n_choices:])

        labels = self.weights.n_labels + 2
        self.room = min(self.weights.max_depth, self.shape[1] + 1) + 2
        self.places = torch.arange(1, self.room + 1, device=device)
        self.deepest = torch.arange(DEEPEST - 1, -1, -1, device=device)
        self.read_rows = labels * torch.arange(LABELS_READ + 1, device=device)
        self.label_rows = self.read_rows[:3]
        #: The first rows of `nodes` of depths, fenceposts and hypotheses.
        self.others = 3 * labels, first, last
        firsts = torch.tensor([0, labels, 2 * labels, n_choices], device="cpu")
        [self.choice_rows] = on_device(device, firsts)
        self.label_places = torch.arange(MARGIN, MARGIN - 2, -1, device=device)
        self.changed = torch.arange(MARGIN, MARGIN + 3, device=device)
        #: A word, and the nodes of the longest chain before it.
        self.seen = 0, 1

    def score(self, state: State) -> tuple[Tensor, State]:
        """Log-probabilities of the next choice, `(rows, choices)`."""
        if len(state.action) == 0:
            state = self._read(state)
            scores = self._point(state)
        elif len(state.action) == 1:
            state, scores = self._choose_new(state)
        else:
            scores = self._choose_parent(state)
        return scores.float().log_softmax(dim=1), state

    def _read(self, state: State) -> State:
        """Let the decoder read the word and the chain."""
        weights, n_gates = self.weights, self.weights.n_gates
        words = self.words.index_select(0, state.base + state.word)
        # The sums are copies, so that they may be changed.
        gates, sums = words[:, :n_gates], words[:, n_gates:]
        deepest = state.labels.gather(1, state.sizes.unsqueeze(1) + self.deepest - 1)
        read = torch.cat([deepest, state.previous], dim=1) + self.read_rows
        gates += functional.embedding_bag(read, weights.tables.decoder, mode="sum")
        gates += state.fed
        # PyTorch's logistic function is several times as fast as its tanh, which is
        # 2 sigmoid(2 z) - 1, or 1 - 2 sigmoid(-2 z). The candidate's sums are doubled.
        i, f, candidate, o = gates.sigmoid_().chunk(4, dim=1)
        memory = (f * state.memory).addcmul_(i, candidate, value=2.0).sub_(i)
        hidden = torch.addcmul(o, o, (memory * -2.0).sigmoid_(), value=-2.0)
        both = weights.of_decoder(hidden)
        sums += both[:, n_gates:]
        return state._replace(sums=sums, fed=both[:, :n_gates], memory=memory)

    def _point(self, state: State) -> Tensor:
        """The pointer's scores, `(rows, nodes)`."""
        of_depths, of_fences, of_rows = self.others
        n_rows, deepest = len(state.sizes), self._deepest(state)
        missing = of_rows + n_rows - len(self.nodes)
        if missing > 0:
            # There are several hypotheses of a sentence.
            more = self.nodes.new_empty(missing, self.nodes.shape[1])
            self.nodes = torch.cat([self.nodes, more])
        known = self.nodes[of_rows : of_rows + n_rows]
        torch.mul(state.sums[:, : known.shape[1]], 2.0, out=known)
        depth = state.sizes.unsqueeze(1) - self.places[:deepest]
        starts = state.starts[:, :deepest] + (state.base + of_fences).unsqueeze(1)
        of_row = torch.arange(of_rows, of_rows + n_rows, device=depth.device)
        other = [
            depth.clamp(0, DEPTHS - 1) + of_depths,
            starts,
            of_row.unsqueeze(1).expand_as(depth),
        ]
        # Mother, node and child stand one after the other.
        labels = state.labels[:, MARGIN - 1 :].unfold(1, 3, 1)[:, :deepest]
        read = torch.cat([labels + self.label_rows, torch.stack(other, 2)], dim=2)
        is_node = depth >= 0
        if depth.device.type == "cpu":
            # On average, a chain has half as many nodes as the longest of a batch. A
            # GPU would have to be waited for.
            pointed = self._pointed(read[is_node])
            scores = pointed.new_full(depth.shape, float("-inf"))
            return scores.masked_scatter_(is_node, pointed)
        pointed = self._pointed(read.flatten(0, 1)).view_as(depth)
        return pointed.masked_fill_(~is_node, float("-inf"))

    def _pointed(self, read: Tensor) -> Tensor:
        """The scores of nodes, `(nodes,)`, that are made of some rows of `nodes`."""
        sums = functional.embedding_bag(read, self.nodes, mode="sum")
        return sums.sigmoid_() @ self.score_twice

    def _deepest(self, state: State) -> int:
        """As many nodes as the longest chain has, or some more.

        A GPU is asked rarely, since that waits for it: a word adds one node at most.
        """
        word, size = self.seen
        # A decoder may start more than once.
        kind = state.sizes.device.type
        if not 0 < state.word - word < ASKED_EVERY.get(kind, ASKED_EVERY["cuda"]):
            word, size = self.seen = state.word, int(state.sizes.max())
        return min(size + state.word - word, self.room - 2)

    def _choose_new(self, state: State) -> tuple[State, Tensor]:
        """Sums of both label choices, and the scores of the new label."""
        width = self.weights.hidden_width
        target = state.action[0].unsqueeze(1)
        labels = state.labels.gather(1, target + self.label_places)
        depth = state.sizes.unsqueeze(1) - 1 - target
        start = state.starts.gather(1, target) + state.base.unsqueeze(1)
        read = torch.cat([labels, depth.clamp_(max=DEPTHS - 1), start], dim=1)
        sums = functional.embedding_bag(
            read + self.choice_rows, self.targets, mode="sum"
        )
        sums += state.sums[:, width : 3 * width]
        scores = self.weights.new_label(sums[:, :width].relu())
        scores[:, 1:].masked_fill_(target == 0, float("-inf"))
        return state._replace(sums=sums[:, width:]), scores

    def _choose_parent(self, state: State) -> Tensor:
        target, new = state.action
        sums = state.sums + self.weights.tables.new.index_select(0, new)
        scores = self.weights.parent_label(sums.relu_())
        is_deepest = (target + 1 >= self.weights.max_depth).unsqueeze(1)
        scores[:, 1:].masked_fill_(is_deepest, float("-inf"))
        return scores

    def extend(self, state: State, choices: Tensor) -> State:
        """Take a choice `(rows,)`; with the parent label the word is added.

        Chains are changed in place: a state is not to be used again.
        """
        if len(state.action) < 2:
            return state._replace(action=(*state.action, choices))
        (target, new), parent, word = state.action, choices, state.word
        below = target + 1
        label = state.labels.gather(1, below.unsqueeze(1) + (MARGIN - 1)).squeeze(1)
        relabelled = torch.where(new > 0, new, label)
        changed = target.unsqueeze(1) + self.changed
        written = torch.stack([relabelled, parent, torch.zeros_like(parent)], dim=1)
        state.labels.scatter_(1, changed, written)
        # A new node begins where the node begins whose place it takes.
        state.starts.scatter_(1, below.unsqueeze(1), word)
        depth = (state.sizes - below).clamp_(max=DEPTHS - 1)
        return state._replace(
            word=word + 1,
            # Rows without hope may have chosen what is forbidden.
            sizes=(below + (parent > 0)).clamp_(max=self.weights.max_depth),
            previous=torch.stack([new, parent, depth], dim=1),
            action=(),
        )
