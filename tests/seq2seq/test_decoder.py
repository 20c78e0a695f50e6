import pytest
import torch
from torch.nn.utils.rnn import pack_sequence

from spacy_gfl.decoding.decoder import take
from spacy_gfl.seq2seq.config import CELLS
from spacy_gfl.seq2seq.lstm_decoder import DecoderState, LSTMDecoder

SYMBOLS, WIDTH, DEPTH = 6, 4, 3
LENGTHS = [5, 3, 1]
#: Symbols of each sentence.
STEPS = [7, 4, 4]
pytestmark = pytest.mark.usefixtures("seeded")
every_variant = pytest.mark.parametrize(
    ("attention", "feeding"), [(False, False), (True, False), (True, True)]
)


def build(attention, feeding, cell="lstm"):
    decoder = LSTMDecoder(SYMBOLS, WIDTH, DEPTH, cell, attention, feeding).double()
    for parameter in decoder.parameters():
        torch.nn.init.normal_(parameter)
    return decoder


def random(*shape):
    return torch.randn(*shape, dtype=torch.double)


def encoder_output(decoder, lengths=LENGTHS):
    """States to attend to, with padding (None without attention), and the start."""
    mask = torch.arange(max(lengths)) < torch.tensor(lengths).unsqueeze(1)
    vectors = random(len(lengths), max(lengths), WIDTH)
    finals = [
        (random(len(lengths), WIDTH), random(len(lengths), WIDTH)) for _ in range(DEPTH)
    ]
    attention = decoder.attention
    source = None if attention is None else attention.source(vectors, mask)
    return source, decoder.start(finals)


def gold(sizes=STEPS):
    """Symbols of each sentence, the longest first, packed."""
    return pack_sequence([torch.randint(0, SYMBOLS, (size,)) for size in sizes])


def by_steps(decoder, symbols, state, source):
    """Logits of all steps, one step after the other, in the order of the symbols."""
    weights, logits = decoder.weights(), []
    for read in symbols.data.split(symbols.batch_sizes.tolist()):
        rows = torch.arange(len(read))
        scores, state = decoder.step(read, *take((state, source), rows), weights)
        logits.append(scores)
    return torch.cat(logits)


@every_variant
@pytest.mark.parametrize("cell", CELLS)
def test_teacher_forcing_equals_single_steps(attention, feeding, cell):
    decoder = build(attention, feeding, cell)
    source, (layers, feed) = encoder_output(decoder)
    leaves = [part.requires_grad_() for layer in layers for part in layer]
    if source is not None:
        leaves += [source.vectors.requires_grad_()]
        source = decoder.attention.source(source.vectors, source.mask)
    leaves += decoder.parameters()
    state, symbols = DecoderState(layers, feed), gold()
    found = []
    logits, looked = decoder(symbols, state, source)
    assert (looked is None) == (not attention)
    heed = random(*logits.shape)
    for scores in (logits, by_steps(decoder, symbols, state, source)):
        total = (scores * heed).sum()
        gradients = torch.autograd.grad(total, leaves, retain_graph=True)
        found.append((scores, gradients))
    torch.testing.assert_close(*found)


@pytest.mark.parametrize("cell", CELLS)
def test_steps_equal_the_paper_s_equations(cell):
    decoder = build(True, True, cell)
    source, _ = encoder_output(decoder)
    # The encoder's final state is the first one.
    layers = [(random(3, WIDTH), random(3, WIDTH)) for _ in range(DEPTH)]
    symbols = gold([6] * len(LENGTHS))
    logits, weights = decoder(symbols, decoder.start(layers), source)
    both = torch.zeros(len(LENGTHS), 2 * WIDTH).double()
    steps = zip(symbols.data.chunk(6), logits.chunk(6), weights, strict=True)
    for read, scores, looks in steps:
        # The first layer reads the embedding and [d; d'] of the step before.
        below = torch.cat([decoder.embedding(read), both], dim=1)
        for i, layer in enumerate(decoder.layers):
            h, m = layers[i]
            _, (h, m) = layer(below.unsqueeze(1), (h.unsqueeze(0), m.unsqueeze(0)))
            layers[i], below = (h[0], m[0]), h[0]
        attended, looked = decoder.attention(below.unsqueeze(1), source)
        both = torch.cat([below, attended[:, 0]], dim=1)
        torch.testing.assert_close(scores, decoder.output(both))
        torch.testing.assert_close(looks, looked[:, 0])
