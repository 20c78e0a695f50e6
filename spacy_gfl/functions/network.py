"""The network: it embeds the slots of a constituent, and chooses its function tags."""

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy
import torch
from thinc.api import ArgsKwargs, Model
from thinc.types import Floats2d
from thinc.util import get_torch_default_device, torch2xp, xp2torch
from torch import Tensor, nn
from torch.nn import functional

from spacy_gfl.embedding.static_vectors import KeptVectors
from spacy_gfl.functions.features import (
    N_NAME_SLOTS,
    N_WORD_SLOTS,
    Features,
)
from spacy_gfl.model.shim import NetworkShim
from spacy_gfl.model.weights import SAVED_BITS

#: Bits by which the second row of a hash is another one than the first.
_SHIFT = 24


class FunctionNetwork(nn.Module):
    """Slots to function tags, by one hidden layer.

    Embeddings of words are sums of hash embeddings, one for each hash and one more for
    the lower case, so that two words seldom share both rows, and of a projection of
    static vectors. Each slot has a projection to the hidden layer, and what it adds is
    computed once for each different word and name of a batch.

    Args:
        width: Of the embeddings.
        static_width: Of the static vectors, 0 for none.
        hidden: Units of the hidden layer.
        rows: Of the hash embeddings: of words in lower case, their beginnings, endings,
            shapes and tags, and of names.
        n_outputs: Function tags and their combinations, and none.
    """

    def __init__(
        self,
        width: int,
        static_width: int,
        hidden: int,
        rows: Sequence[int],
        n_outputs: int,
    ) -> None:
        super().__init__()
        sizes = {"width": width, "static_width": static_width, "hidden": hidden}
        self.settings = {**sizes, "rows": [*rows], "n_outputs": n_outputs}
        self.rows = (rows[0], *rows)
        self.embeddings = nn.ModuleList(nn.Embedding(n, width) for n in rows)
        self.static = nn.Parameter(torch.empty(static_width, width))
        n_slots = N_WORD_SLOTS + N_NAME_SLOTS
        self.slots = nn.Parameter(torch.empty(n_slots, width, hidden))
        self.norm = nn.LayerNorm(hidden)
        self.output = nn.Linear(hidden, n_outputs)
        for weight in self.embeddings.parameters():
            nn.init.normal_(weight, std=0.3)
        nn.init.normal_(self.static, std=0.25)
        nn.init.normal_(self.slots, std=(width * n_slots) ** -0.5)
        nn.init.zeros_(self.output.weight)
        setattr(self, SAVED_BITS, 16)

    def forward(
        self,
        words: Tensor,
        vectors: Tensor,
        names: Tensor,
        word_slots: Tensor,
        name_slots: Tensor,
        dropout: float,
    ) -> Tensor:
        """Score the function tags of constituents.

        Args:
            words: The rows of each word, `(words, N_HASHES + 1)`.
            vectors: The static vector of each word, `(words, static_width)`.
            names: The row of each name, `(names,)`.
            word_slots: The word in each slot, `(constituents, N_WORD_SLOTS)`.
            name_slots: The name in each slot, `(constituents, N_NAME_SLOTS)`.
            dropout: Of embeddings and hidden units.

        Returns:
            Log-probabilities, `(constituents, n_outputs)`.
        """
        lower, *others, of_names = self.embeddings
        columns = words.unbind(1)
        tables = (lower, lower, *others)
        embedded = vectors @ self.static
        for table, column in zip(tables, columns, strict=True):
            embedded = embedded + table(column)
        hidden = self._project(embedded, word_slots, self.slots[:N_WORD_SLOTS], dropout)
        hidden = hidden + self._project(
            of_names(names), name_slots, self.slots[N_WORD_SLOTS:], dropout
        )
        hidden = functional.mish(self.norm(hidden))
        hidden = functional.dropout(hidden, dropout, self.training)
        return self.output(hidden).log_softmax(1)

    def _project(
        self, items: Tensor, slots: Tensor, weights: Tensor, dropout: float
    ) -> Tensor:
        items = functional.dropout(items, dropout, self.training)
        # (slots, items, hidden)
        projected = items @ weights
        first = torch.arange(len(weights), device=items.device) * len(items)
        table = projected.flatten(0, 1)
        return functional.embedding_bag(slots + first, table, mode="sum")


def build_function_tagger(
    width: int = 32,
    hidden: int = 128,
    rows: Sequence[int] = (6000, 3000, 1500, 300, 100, 500),
) -> Model[Features, Floats2d]:
    """The network of `constituent_functions`.

    Words and names are sums of hash embeddings. Those in the slots of a constituent go
    through a hidden layer to a softmax over function tags, whose size is set when the
    component is initialised. If the pipeline has static vectors then, the model keeps
    them, and reads no others.

    Args:
        width: Width of the embeddings.
        hidden: Units of the hidden layer.
        rows: Rows of six hash embeddings: words in lower case, their beginnings,
            endings, shapes and tags, and names (labels, tags, places).
    """
    return Model(
        "function_tagger",
        _forward,
        init=_init,
        shims=[NetworkShim(build=FunctionNetwork, max_gradient_norm=1.0)],
        dims={"nO": None},
        attrs={
            "dropout_rate": 0.0,
            "shape": {"width": width, "hidden": hidden, "rows": [*rows]},
            "vectors": KeptVectors.none(),
        },
    )


def _init(model: Model[Features, Floats2d], X: Any = None, Y: Any = None) -> None:
    """Build the network, and keep the static vectors X of spaCy."""
    if X is not None and X.n_keys:
        model.attrs["vectors"] = KeptVectors.of(X)
    network = FunctionNetwork(
        **model.attrs["shape"],
        static_width=model.attrs["vectors"].width,
        n_outputs=model.get_dim("nO"),
    )
    _shim(model).network = network.to(get_torch_default_device())


def _forward(
    model: Model[Features, Floats2d], X: Features, is_train: bool
) -> tuple[Floats2d, Callable[[Floats2d], Features]]:
    """Log-probabilities of function tags; the callback takes their gradient."""
    shim, kept, lower = _shim(model), model.attrs["vectors"], X.words[:, 0]
    sizes = numpy.array(shim.network.rows, dtype="uint64")
    # The second row of a word is of other bits of its first hash.
    words = numpy.column_stack([lower >> numpy.uint64(_SHIFT), X.words])
    vectors = kept(lower, lower) if kept.width else numpy.zeros((len(lower), 0), "f")
    arrays = {
        "words": (words % sizes[:-1]).astype("int64"),
        "vectors": vectors,
        "names": (X.names % sizes[-1]).astype("int64"),
        "word_slots": X.word_slots,
        "name_slots": X.name_slots,
    }
    inputs = {
        "dropout": model.attrs["dropout_rate"],
        **{k: torch.from_numpy(array).to(shim.device) for k, array in arrays.items()},
    }
    scores, backprop = shim(ArgsKwargs((), inputs), is_train)

    def finish(gradient: Floats2d) -> Features:
        gradients = {"grad_tensors": (xp2torch(gradient, device=shim.device),)}
        backprop(ArgsKwargs(((scores,),), gradients))
        return X

    return cast(Floats2d, torch2xp(scores.detach())), finish


def _shim(model: Model) -> NetworkShim:
    return cast(NetworkShim, model.shims[0])
