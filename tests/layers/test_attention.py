import pytest
import torch

from spacy_gfl.layers.attention import AdditiveAttention

WIDTH, QUERIES = 4, 3
LENGTHS = [5, 2, 1]


@pytest.fixture
def attention():
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        yield AdditiveAttention(WIDTH).double()


@pytest.fixture
def batch():
    """Encoder states, a mask with padding, and decoder states."""
    generator = torch.Generator().manual_seed(1)
    shape = len(LENGTHS), max(LENGTHS)
    vectors = torch.randn(*shape, WIDTH, generator=generator, dtype=torch.double)
    hidden = torch.randn(
        len(LENGTHS), QUERIES, WIDTH, generator=generator, dtype=torch.double
    )
    mask = torch.arange(shape[1]) < torch.tensor(LENGTHS).unsqueeze(1)
    return vectors, mask, hidden


def test_attention_equals_the_formula_of_the_paper(attention, batch):
    vectors, mask, hidden = batch
    attended, weights = attention(hidden, attention.memory(vectors, mask))
    w1, w2, v = attention.key.weight, attention.query.weight, attention.score
    for row, n_words in enumerate(LENGTHS):
        for t in range(QUERIES):
            d = hidden[row, t]
            # Section 2.1 of the paper, one word at a time.
            u = torch.stack(
                [v @ torch.tanh(w1 @ vectors[row, i] + w2 @ d) for i in range(n_words)]
            )
            a = u.exp() / u.exp().sum()
            expected = sum(a[i] * vectors[row, i] for i in range(n_words))
            torch.testing.assert_close(weights[row, t, :n_words], a)
            torch.testing.assert_close(attended[row, t], expected)
        assert not weights[row, :, n_words:].any()
