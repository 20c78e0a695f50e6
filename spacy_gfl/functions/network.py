"""The network: it embeds the slots of a constituent, and chooses its function tags."""

from collections.abc import Callable, Sequence
from typing import Any

from thinc.api import Dropout, HashEmbed, Mish, Model, Softmax_v2, add, chain
from thinc.types import Floats2d

from spacy_gfl.functions.features import N_SLOTS, Features


def build_function_tagger(
    width: int = 32, hidden: int = 128, rows: Sequence[int] = (4000, 1500, 300, 500)
) -> Model[Features, Floats2d]:
    """The network of `constituent_functions`.

    Words and names are sums of four hash embeddings. The vectors in the slots of a
    constituent, one behind the other, go through a hidden layer to a softmax over
    function tags, the reference "output_layer", which has no size yet.

    Args:
        width: Width of the vector in a slot.
        hidden: Units of the hidden layer.
        rows: Rows of four hash tables: words in lower case, endings, shapes, and names
            (tags, labels, places).
    """
    tables: list[Model] = [
        HashEmbed(width, n, column=i, seed=i) for i, n in enumerate(rows)
    ]
    output: Model[Floats2d, Floats2d] = Softmax_v2(None, hidden)
    slots: Model[Features, Floats2d] = Model(
        "fill_slots",
        _fill,
        init=_init,
        layers=[add(*tables)],
        dims={"nO": width * N_SLOTS},
    )
    model: Model[Features, Floats2d] = chain(
        slots,
        Dropout(0.0),
        Mish(hidden, width * N_SLOTS, normalize=True, dropout=0.0),
        output,
    )
    model.set_ref("output_layer", output)
    return model


def _init(model: Model, X: Features | None = None, Y: Any = None) -> None:
    model.layers[0].initialize(None if X is None else X.items)


def _fill(
    model: Model[Features, Floats2d], X: Features, is_train: bool
) -> tuple[Floats2d, Callable[[Floats2d], Features]]:
    """Embed each different item of a batch once, and put vectors into slots."""
    ops: Any = model.ops
    items = ops.asarray(X.items)
    vectors, backprop = model.layers[0](items, is_train)
    places = ops.asarray(X.slots.ravel())

    def to_items(gradient: Floats2d) -> Features:
        of_items = ops.alloc2f(*vectors.shape)
        flat = gradient.reshape((-1, vectors.shape[1]))
        ops.scatter_add(of_items, places, flat)
        backprop(of_items)
        return X

    size = N_SLOTS * vectors.shape[1]
    return vectors[places].reshape((len(X.slots), size)), to_items
