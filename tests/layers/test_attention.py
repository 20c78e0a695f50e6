import pytest
import torch

from spacy_gfl.layers.attention import AdditiveAttention

WIDTH, QUERIES = 4, 3
LENGTHS = [5, 2, 1]


@pytest.mark.usefixtures("seeded")
def test_attention_equals_the_formula_of_the_paper():
    attention = AdditiveAttention(WIDTH).double()
    vectors = torch.randn(len(LENGTHS), max(LENGTHS), WIDTH).double()
    hidden = torch.randn(len(LENGTHS), QUERIES, WIDTH).double()
    mask = torch.arange(max(LENGTHS)) < torch.tensor(LENGTHS).unsqueeze(1)
    attended, weights = attention(hidden, attention.source(vectors, mask))
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
