"""The network: it embeds the slots of a constituent, and chooses its function tags."""

from collections.abc import Callable, Sequence
from typing import Any

from thinc.api import (
    Dropout,
    HashEmbed,
    Mish,
    Model,
    Softmax_v2,
    add,
    chain,
)
from thinc.types import Floats2d, Ints2d

from spacy_gfl.functions.features import N_SLOTS, Features


def build_function_tagger(
    width: int = 32,
    hidden: int = 128,
    rows: Sequence[int] = (4000, 1500, 300, 500),
) -> Model[Features, Floats2d]:
    """Build `spacy_gfl.FunctionTagger.v1`.

    The vector of a word is the sum of four hash embeddings, and so is that of a name.
    The vectors in the slots of a constituent, one behind the other, go through a hidden
    layer to a softmax over function tags.

    Args:
        width: Of the vector in a slot.
        hidden: Of the hidden layer.
        rows: Of the tables of words in lower case, of their endings, of their shapes,
            and of names: tags, labels and places.

    Returns:
        A model whose output layer, the reference "output_layer", has no size yet.
    """
    tables = [
        HashEmbed(width, n_rows, column=column, seed=column)
        for column, n_rows in enumerate(rows)
    ]
    output: Model[Floats2d, Floats2d] = Softmax_v2(None, hidden)
    model: Model[Features, Floats2d] = chain(
        fill_slots(add(*tables), width),
        Dropout(0.0),
        Mish(hidden, width * N_SLOTS, normalize=True, dropout=0.0),
        output,
    )
    model.set_ref("output_layer", output)
    return model


def fill_slots(embed: Model[Ints2d, Floats2d], width: int) -> Model[Features, Floats2d]:
    """Embed each different item of a batch once, and put vectors into slots.

    Args:
        embed: From the hashes of items to vectors.
        width: Of a vector.

    Returns:
        A model from Features to `(constituents, N_SLOTS * width)`.
    """
    return Model(
        "fill_slots",
        _forward,
        init=_init,
        layers=[embed],
        dims={"nO": width * N_SLOTS},
    )


def _init(model: Model, X: Features | None = None, Y: Any = None) -> None:
    model.layers[0].initialize(None if X is None else X.items)


def _forward(
    model: Model[Features, Floats2d], X: Features, is_train: bool
) -> tuple[Floats2d, Callable[[Floats2d], Features]]:
    ops = model.ops
    vectors, backprop = model.layers[0](ops.asarray(X.items), is_train)
    places = ops.asarray(X.slots.ravel())
    filled = ops.reshape2f(vectors[places], len(X.slots), -1)

    def to_items(gradient: Floats2d) -> Features:
        of_items = ops.alloc2f(*vectors.shape)
        ops.scatter_add(of_items, places, ops.reshape2f(gradient, len(places), -1))
        backprop(of_items)
        return X

    return filled, to_items
