"""A layer of word features: a trained vector, characters, a static vector."""

from collections import ChainMap, Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, cast

import numpy
from spacy.attrs import IS_ALPHA, IS_UPPER, LOWER, ORTH, SENT_START
from spacy.tokens import Doc
from spacy.vocab import Vocab
from thinc.api import Model
from thinc.types import Floats2d
from thinc.util import get_torch_default_device, to_numpy, xp2torch

from spacy_gfl.annotation.sentence_words import unescaped
from spacy_gfl.embedding.static_vectors import (
    OTHER_WIDTH,
    KeptVectors,
    pipeline_vectors,
)
from spacy_gfl.embedding.word_counts import (
    NO_VECTORS,
    attribute_id,
    choose_words,
    count_words_of_few,
    find,
)
from spacy_gfl.layers.characters import (
    BEGIN,
    END,
    FIRST_CHARACTERS,
    KERNELS,
    LAST_CHARACTERS,
    N_MARKS,
    PADDING,
    UNKNOWN,
    WordFeatures,
)
from spacy_gfl.layers.process import on, on_device
from spacy_gfl.model.shim import NetworkShim, vectors_of_docs

#: Words whose characters a layer keeps at hand.
MAX_SPELLINGS = 50_000
#: Where so many words, and all that there are, are in capitals, these say nothing.
ALL_CAPS = 3
#: Rows of a word's characters, marks included.
LONGEST_SPELLING = FIRST_CHARACTERS + LAST_CHARACTERS + 2


def build_word_features(
    word_width: int = 100,
    char_width: int = 32,
    char_features: int = 64,
    attr: str = "LOWER",
    min_frequency: int = 2,
    min_character_frequency: int = 5,
    word_dropout: float = 0.1,
    include_static_vectors: bool | None = None,
    learn_rate_factor: float = 1.0,
    lower_capitals: bool = True,
) -> Model[list[Doc], list[Floats2d]]:
    """Each word's trained vector, features of its characters, and its static vector.

    The three stand side by side; nothing mixes them. A word is read to its end up to 24
    characters, otherwise its first 16 and last 8. In a sentence in capitals
    throughout, of three words or more, it is read in small letters (`lower_capitals`).

    Args:
        word_width: Width of the trained word vectors.
        char_width: Width of the characters' vectors.
        char_features: Features of each convolution over characters (3 and 5 wide).
        attr: The token attribute that has a trained vector.
        min_frequency: Rarer words share one vector.
        min_character_frequency: Rarer characters share one vector.
        word_dropout: Probability that a word gets the shared vector in training.
        include_static_vectors: Add the pipeline's static vectors (by LOWER, else by
            ORTH, else zeros), scaled to a mean square of 1 over the training words. By
            default they are added if there are any; with true, initialisation raises
            ValueError if there are none. Training does not change them, and the layer
            does not save them unless `ConstituencyParser.keep_static_vectors` copies
            them.
        learn_rate_factor: Multiplies the optimizer's learning rate. Use 10 to 20 beside
            a transformer that is fine-tuned at a low rate.
        lower_capitals: Read sentences that are all in capitals as lowercase. Only the
            end of a sentence shows whether it is, so a parser that reads from left to
            right needs false.

    Returns:
        A layer that takes Docs and gives one array `(tokens, word_width + 2
        char_features + width of the static vectors)` a Doc.

    Raises:
        ValueError: For an unknown attribute, a width below 1, or a dropout that is
            no probability.
    """
    widths = (word_width, char_width, char_features)
    if min(widths) < 1:
        raise ValueError(
            "word_width, char_width and char_features must be at least 1, not "
            f"{', '.join(map(str, widths))}."
        )
    if not 0 <= word_dropout < 1:
        raise ValueError(f"word_dropout must be in [0, 1), not {word_dropout}.")
    width = word_width + len(KERNELS) * char_features
    return Model(
        "word_features",
        forward,
        init=init,
        dims={"nO": width if include_static_vectors is False else None},
        shims=[
            NetworkShim(
                build=WordFeatures, learn_rate_factor=learn_rate_factor, checks=False
            )
        ],
        attrs={
            "attr": attribute_id(attr),
            "min_frequency": min_frequency,
            "min_character_frequency": min_character_frequency,
            "include_static_vectors": include_static_vectors,
            "lower_capitals": lower_capitals,
            "settings": {
                "word_width": word_width,
                "char_width": char_width,
                "char_features": char_features,
                "word_dropout": word_dropout,
            },
            "keys": None,
            "characters": None,
            "vector_scale": 1.0,
            "vectors": KeptVectors.none(),
            "spellings": _Spellings(),
            "choose": choose,
        },
    )


def init(
    model: Model, X: list[Doc] | None = None, Y: list[Floats2d] | None = None
) -> Model:
    """Build the module once its words and characters are known."""
    shim: Any = model.shims[0]
    if shim.network is not None:
        return model
    docs = X or []
    static_width = 0
    if model.attrs["include_static_vectors"] is not False:
        static_width = docs[0].vocab.vectors.shape[1] if docs else 0
        if static_width == 0 and model.attrs["include_static_vectors"]:
            raise ValueError(NO_VECTORS)
        model.attrs["include_static_vectors"] = static_width > 0
    count_words_of_few(model, docs)
    device = get_torch_default_device()
    with on(device):
        module = WordFeatures(
            n_words=len(model.attrs["keys"]) + 1,
            n_characters=len(model.attrs["characters"]) + N_MARKS,
            static_width=static_width,
            **model.attrs["settings"],
        )
    model.set_dim("nO", module.output_width)
    shim.network = module.to(device)
    return model


def choose(model: Model, docs: Iterable[Doc]) -> None:
    """Choose the words and characters with a vector, and static vectors' scale."""
    choose_words(model, docs)
    counts: Counter[str] = Counter()
    # ORTH and LOWER of each word.
    pairs: set[tuple[int, int]] = set()
    vocab = Vocab()
    for doc in map(unescaped, docs):
        counts.update("".join([token.text for token in doc]))
        pairs.update(zip(*doc.to_array([ORTH, LOWER]).T.tolist(), strict=True))
        vocab = doc.vocab
    least = model.attrs["min_character_frequency"]
    frequent = sorted(ord(character) for character, n in counts.items() if n >= least)
    model.attrs["characters"] = numpy.array(frequent, dtype="uint32")
    wanted = model.attrs["include_static_vectors"]
    if pairs and wanted is not False and (wanted or vocab.vectors.data.size):
        words, lower = numpy.array(sorted(pairs), dtype="uint64").T
        vectors = to_numpy(pipeline_vectors(vocab, words, lower))
        vectors = vectors[vectors.any(axis=1)].astype("float64")
        if vectors.size:
            model.attrs["vector_scale"] = float((vectors**2).mean() ** -0.5)


class _Spellings:
    """The rows of words' characters, looked up once a word. thinc does not save it.

    Several threads may call it at a time: nothing in it depends on what another adds.
    """

    def __init__(self) -> None:
        self.characters: numpy.ndarray | None = None
        self.known: dict[int, bytes] = {}

    def __call__(
        self, words: numpy.ndarray, strings: Any, characters: numpy.ndarray
    ) -> numpy.ndarray:
        """The padded rows of some words, `(words, characters)`.

        Words are given by their ORTH, each once, for which `strings` has their text.
        The sorted code point `i` of `characters` has row `i + N_MARKS`.
        """
        if characters is not self.characters or len(self.known) > MAX_SPELLINGS:
            self.known = {}
            self.characters = characters
        known, keys = self.known, words.tolist()
        new = [key for key in keys if key not in known]
        if new:
            spelled = _spell([strings[key] for key in new], characters)
            known.update(zip(new, map(bytes, spelled), strict=True))
        rows = bytearray().join(map(known.__getitem__, keys))
        padded = numpy.frombuffer(rows, "int64").reshape(len(keys), LONGEST_SPELLING)
        return padded[:, : int((padded != PADDING).sum(axis=1).max())]


def _in_all_caps(tokens: numpy.ndarray, lengths: list[int]) -> numpy.ndarray:
    """Whether each token is in a sentence in capitals throughout, `(tokens,)`.

    Columns are SENT_START, IS_ALPHA, IS_UPPER; lengths are those of the Docs.
    """
    starts, words, capitals = tokens.T
    edges = numpy.union1d(numpy.cumsum([0, *lengths]), numpy.flatnonzero(starts == 1))
    n_words = numpy.add.reduceat(words, edges[:-1])
    n_capitals = numpy.add.reduceat(words & capitals, edges[:-1])
    is_capital = (n_words >= ALL_CAPS) & (n_words == n_capitals)
    return is_capital.repeat(numpy.diff(edges))


def _spell(words: Sequence[str], characters: numpy.ndarray) -> numpy.ndarray:
    """The words' rows in the table of characters, between marks, padded."""
    shown = [
        word
        if len(word) <= FIRST_CHARACTERS + LAST_CHARACTERS
        else word[:FIRST_CHARACTERS] + word[-LAST_CHARACTERS:]
        for word in words
    ]
    text = "".join(shown).encode("utf-32-le", "surrogatepass")
    numbers = find(characters, numpy.frombuffer(text, "uint32"))
    lengths = numpy.array(list(map(len, shown)), dtype="int64")
    rows = numpy.full((len(words), LONGEST_SPELLING), PADDING, dtype="int64")
    rows[:, 0], rows[numpy.arange(len(words)), lengths + 1] = BEGIN, END
    places = numpy.arange(LONGEST_SPELLING)
    rows[(places > 0) & (places <= lengths[:, None])] = numpy.where(
        numbers < 0, UNKNOWN, numbers + N_MARKS
    )
    return rows


def forward(
    model: Model[list[Doc], list[Floats2d]], docs: list[Doc], is_train: bool
) -> tuple[list[Floats2d], Callable[[list[Floats2d]], list[Doc]]]:
    """Look up what the module needs, each different word once.

    Raises:
        KeyError: If the layer is not initialised; spaCy reports it as E109.
        ValueError: If the pipeline's vectors are not those of training.
    """
    shim = cast(NetworkShim, model.shims[0])
    if shim.network is None:
        raise KeyError("The layer of word features is not initialised.")
    lengths = list(map(len, docs))
    if not any(lengths):
        empty = model.ops.alloc2f(0, model.get_dim("nO"))
        return [empty for _ in docs], lambda d_features: []
    attrs, vocab = model.attrs, next(doc for doc in docs if len(doc)).vocab
    # Docs may have vocabularies of their own.
    stores: set[Any] = {doc.vocab.strings for doc in docs}
    columns = [attrs["attr"], ORTH, LOWER, SENT_START, IS_ALPHA, IS_UPPER]
    ids = numpy.concatenate([doc.to_array(columns) for doc in docs])
    if attrs["lower_capitals"]:
        all_caps = _in_all_caps(ids[:, 3:], lengths)
        ids[all_caps, 1] = ids[all_caps, 2]
    words, first, places = numpy.unique(
        ids[:, 1], return_index=True, return_inverse=True
    )
    spellings = attrs["spellings"](words, ChainMap(*stores), attrs["characters"])
    keys, at = numpy.unique(ids[:, 0], return_inverse=True)
    rows = (find(attrs["keys"], keys) + 1)[at]
    inside = numpy.flatnonzero(spellings != PADDING)
    tensors = on_device(shim.device, rows, spellings, inside, places)
    static = None
    if attrs["include_static_vectors"]:
        width, lower = shim.network.settings["static_width"], ids[first, 2]
        if attrs["vectors"].width:
            static_rows = attrs["vectors"](words, lower)
        elif vocab.vectors.shape[1] != width:
            raise ValueError(OTHER_WIDTH.format(vocab.vectors.shape[1], width))
        else:
            static_rows = pipeline_vectors(vocab, words, lower)
        static_rows *= attrs["vector_scale"]
        static = xp2torch(static_rows, device=shim.device)
    return vectors_of_docs(model, docs, (*tensors, static), is_train)
