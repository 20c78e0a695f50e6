"""How a word that the vocabulary lacks is spelled, given its class.

    P(word | tree) = P(class | tree) prod_i P(byte_i | class, byte_1 ... byte_i-1)

The bytes are those of the word's normal form in UTF-8, and an end after the last: every
text can be spelled, and the probabilities of all spellings of a class sum up to 1.
(Those of all words sum up to a little less: what the vocabulary has is never spelled.)
An LSTM predicts each byte from those before it (Graves 2013, *Generating Sequences With
Recurrent Neural Networks*).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy
import torch
from torch import Tensor, nn
from torch.nn import functional

from spacy_gfl.decoding.batches import length_batches
from spacy_gfl.layers.process import on_device

#: The symbol before the first byte and after the last: 0 to 255 are bytes.
END_OF_WORD = 256
#: Width of the vectors of bytes and of classes.
BYTE_WIDTH = 48
#: Padded bytes that are worked on at a time.
BATCH_BYTES = 2048


class Spelled(NamedTuple):
    """A word of a sentence that is predicted by its class and its spelling.

    Attributes:
        place: Which word of the sentence it is, from 0.
        kind: The number of its class.
        form: Its normal form.
    """

    place: int
    kind: int
    form: str


class Spelling(nn.Module):
    """A language model of the bytes of single words.

    Args:
        n_kinds: How many classes of words there are.
        width: Units of the LSTM.
    """

    def __init__(self, n_kinds: int, width: int) -> None:
        super().__init__()
        self.byte = nn.Embedding(END_OF_WORD + 1, BYTE_WIDTH)
        self.kind = nn.Embedding(n_kinds, BYTE_WIDTH)
        self.reader = nn.LSTM(BYTE_WIDTH, width, batch_first=True)
        self.next_byte = nn.Linear(width, END_OF_WORD + 1)

    def forward(
        self, kinds: Sequence[int], forms: Sequence[str], dropout: float = 0.0
    ) -> Tensor:
        """The log-probabilities (nats) of words, given their classes, `(words,)`."""
        texts = [form.encode("utf-8", "surrogatepass") for form in forms]
        log_probs = self.next_byte.weight.new_zeros(len(texts))
        for batch in length_batches([len(text) + 1 for text in texts], BATCH_BYTES):
            of_batch = self._log_probs(
                [kinds[i] for i in batch], [texts[i] for i in batch], dropout
            )
            places = torch.tensor(batch, device=log_probs.device)
            log_probs = log_probs.index_copy(0, places, of_batch)
        return log_probs

    def _log_probs(
        self, kinds: Sequence[int], texts: Sequence[bytes], dropout: float
    ) -> Tensor:
        sizes = numpy.array([[len(text)] for text in texts])
        places = numpy.arange(sizes.max() + 1)
        spelled = numpy.full((len(texts), len(places) + 1), END_OF_WORD)
        letters = numpy.frombuffer(b"".join(texts), dtype="uint8")
        spelled[:, 1:][places < sizes] = letters
        device = self.next_byte.weight.device
        symbols, numbers, is_byte = on_device(
            device, spelled, numpy.array(kinds), places <= sizes
        )
        read = self.byte(symbols[:, :-1]) + self.kind(numbers).unsqueeze(1)
        states = functional.dropout(self.reader(read)[0], dropout, self.training)
        scores = self.next_byte(states).transpose(1, 2)
        losses = functional.cross_entropy(scores, symbols[:, 1:], reduction="none")
        return -(losses * is_byte).sum(dim=1)
