import pytest
import torch

from spacy_gfl.layers.cell import Cell
from spacy_gfl.seq2seq.decoder import DecoderState, LSTMDecoder
from spacy_gfl.seq2seq.network import CELLS

SYMBOLS, WIDTH, DEPTH = 6, 4, 3
LENGTHS = [5, 3, 1]
STEPS = 7
VARIANTS = [
    # (attention, input_feeding)
    (False, False),
    (True, False),
    (True, True),
]
every_variant = pytest.mark.parametrize(("attention", "feeding"), VARIANTS)


@pytest.fixture(autouse=True)
def seeded():
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        yield


def build(attention, feeding, cell="paper", bias=False):
    decoder = LSTMDecoder(SYMBOLS, WIDTH, DEPTH, cell, bias, attention, feeding)
    return decoder.double()


def random(*shape):
    return torch.randn(*shape, dtype=torch.double)


def encoder_output(decoder, lengths=LENGTHS):
    """A memory with padding (None without attention) and the start state."""
    mask = torch.arange(max(lengths)) < torch.tensor(lengths).unsqueeze(1)
    vectors = random(len(lengths), max(lengths), WIDTH)
    finals = [(random(len(lengths), WIDTH), random(len(lengths), WIDTH))] * DEPTH
    attention = decoder.attention
    memory = None if attention is None else attention.memory(vectors, mask)
    return memory, decoder.start(finals)


def gold():
    return torch.randint(0, SYMBOLS, (len(LENGTHS), STEPS))


@every_variant
@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize("bias", [False, True])
def test_teacher_forcing_equals_single_steps(attention, feeding, cell, bias):
    decoder = build(attention, feeding, cell, bias)
    memory, state = encoder_output(decoder)
    symbols, table = gold(), decoder.symbol_table()
    logits, weights = decoder(symbols, state, memory)
    assert logits.shape == (len(LENGTHS), STEPS, SYMBOLS)
    assert (weights is None) == (not attention)
    for t in range(STEPS):
        scores, state = decoder.step(symbols[:, t], state, memory, table)
        torch.testing.assert_close(logits[:, t], scores)
        assert (state.feed is None) == (not feeding)


@pytest.mark.parametrize("cell", CELLS)
def test_steps_equal_the_paper_s_equations(cell):
    decoder = build(True, True, cell)
    memory, state = encoder_output(decoder)
    symbols = gold()
    logits, weights = decoder(symbols, state, memory)
    # The first layer reads the embedding and [d; d'] of the step before.
    first = Cell(3 * WIDTH, WIDTH, cell).double()
    with torch.no_grad():
        fed = [decoder.cells[0].input_weight, decoder.feed.weight]
        first.input_weight.copy_(torch.cat(fed, dim=1))
        first.hidden_weight.copy_(decoder.cells[0].hidden_weight)
    layers, both = list(state.layers), torch.zeros(len(LENGTHS), 2 * WIDTH).double()
    for t in range(STEPS):
        below = torch.cat([decoder.embedding(symbols[:, t]), both], dim=1)
        for i, layer in enumerate([first, *decoder.cells[1:]]):
            layers[i] = layer(below, layers[i])
            below = layers[i][0]
        attended, looked = decoder.attention(below.unsqueeze(1), memory)
        both = torch.cat([below, attended[:, 0]], dim=1)
        torch.testing.assert_close(logits[:, t], decoder.output(both))
        torch.testing.assert_close(weights[:, t], looked[:, 0])


@every_variant
def test_padding_and_neighbours_change_nothing(attention, feeding):
    decoder = build(attention, feeding)
    memory, state = encoder_output(decoder)
    symbols = gold()
    logits, weights = decoder(symbols, state, memory)
    for row, n_words in enumerate(LENGTHS):
        only = torch.tensor([row])
        one = None
        if memory is not None:
            part = memory.select(only)
            one = type(part)(*(tensor[:, :n_words] for tensor in part))
        # Fewer steps too, as for a sentence with fewer symbols.
        alone, looked = decoder(symbols[only, :4], state.select(only), one)
        torch.testing.assert_close(logits[only, :4], alone)
        if attention:
            torch.testing.assert_close(weights[only, :4, :n_words], looked)
            assert not weights[row, :, n_words:].any()


@every_variant
def test_hypotheses_of_a_sentence_do_not_see_each_other(attention, feeding):
    decoder = build(attention, feeding)
    memory, state = encoder_output(decoder)
    table = decoder.symbol_table()
    rows = torch.arange(len(LENGTHS)).repeat_interleave(2)
    beams = state.select(rows)
    symbols = torch.randint(0, SYMBOLS, (3, len(rows)))
    for t in range(3):
        together, beams = decoder.step(symbols[t], beams, memory, table)
    for hypothesis in range(2):
        alone = state
        for t in range(3):
            scores, alone = decoder.step(
                symbols[t, hypothesis::2], alone, memory, table
            )
        torch.testing.assert_close(together[hypothesis::2], scores)


@every_variant
def test_the_start_is_the_encoder_s_final_state(attention, feeding):
    decoder = build(attention, feeding)
    finals = [(random(2, WIDTH), random(2, WIDTH)) for _ in range(DEPTH)]
    state = decoder.start(finals)
    assert state.layers == finals
    if feeding:
        assert state.feed.shape == (2, 2 * WIDTH)
        assert not state.feed.any()
    else:
        assert state.feed is None


def test_the_symbol_table_is_the_first_layer_s_share():
    decoder = build(True, True, bias=True)
    torch.testing.assert_close(
        decoder.symbol_table(), decoder.cells[0].project(decoder.embedding.weight)
    )
    assert decoder.symbol_table().shape == (SYMBOLS, 4 * WIDTH)


@every_variant
def test_dropout_works_in_training_alone(attention, feeding):
    decoder = build(attention, feeding)
    memory, state = encoder_output(decoder)
    symbols = gold()
    decoder.eval()
    expected, _ = decoder(symbols, state, memory)
    evaluated, _ = decoder(symbols, state, memory, dropout=0.5)
    torch.testing.assert_close(evaluated, expected)
    decoder.train()
    kept, _ = decoder(symbols, state, memory, dropout=0.0)
    torch.testing.assert_close(kept, expected)
    dropped, _ = decoder(symbols, state, memory, dropout=0.5)
    assert not torch.allclose(dropped, expected)
    # A single step, in search, is never dropped out.
    scores, _ = decoder.step(symbols[:, 0], state, memory, decoder.symbol_table())
    torch.testing.assert_close(scores, expected[:, 0])


def test_without_attention_nothing_is_fed():
    decoder = build(attention=False, feeding=True)
    assert not decoder.input_feeding
    assert decoder.feed is None
    assert decoder.output.in_features == WIDTH
    _, state = encoder_output(decoder)
    assert state.feed is None


def test_feeding_matters():
    fed, unfed = build(True, True), build(True, False)
    unfed.load_state_dict(fed.state_dict(), strict=False)
    memory, state = encoder_output(fed)
    symbols = gold()
    scores, _ = fed(symbols, state, memory)
    other, _ = unfed(symbols, DecoderState(state.layers, None), memory)
    # Nothing has been fed before the first step.
    torch.testing.assert_close(scores[:, 0], other[:, 0])
    assert not torch.allclose(scores[:, 1], other[:, 1])


@every_variant
def test_every_parameter_gets_a_gradient(attention, feeding):
    decoder = build(attention, feeding, bias=True)
    memory, state = encoder_output(decoder)
    logits, _ = decoder(gold(), state, memory)
    logits.logsumexp(2).sum().backward()
    for name, parameter in decoder.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.any(), name
