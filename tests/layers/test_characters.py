import pytest
import torch
from torch.nn import functional as F

from spacy_gfl.layers.characters import BEGIN, END, PADDING, WordFeatures

SIZES = {
    "n_words": 5,
    "n_characters": 9,
    "word_width": 4,
    "char_width": 3,
    "char_features": 6,
    "static_width": 0,
    "word_dropout": 0.0,
}
SPELLINGS = torch.tensor(
    [
        [BEGIN, 4, END, PADDING, PADDING, PADDING],
        [BEGIN, 5, 6, 4, 4, END],
        [BEGIN, 7, 8, END, PADDING, PADDING],
    ]
)
#: Where these are no padding.
INSIDE = (SPELLINGS != PADDING).flatten().nonzero()[:, 0]
WORDS = torch.tensor([1, 2, 0, 1])
PLACES = torch.tensor([0, 1, 2, 0])


def make(**sizes):
    torch.manual_seed(0)
    return WordFeatures(**{**SIZES, **sizes})


def test_characters_are_convolved():
    """The sum of rows is what the convolutions give, word by word."""
    module = make()
    for convolution in module.convolutions:
        torch.nn.init.normal_(convolution.bias)
    found = module.spell(SPELLINGS, INSIDE)
    for spelling, features in zip(SPELLINGS, found, strict=True):
        rows = module.characters(spelling[spelling != PADDING]).T
        expected = torch.cat(
            [
                F.conv1d(rows, c.weight, c.bias, padding=c.kernel_size[0] // 2).amax(1)
                for c in module.convolutions
            ]
        )
        assert features.tolist() == pytest.approx(expected.tanh().tolist(), abs=1e-6)


def test_words_are_dropped_in_training_only():
    module = make(word_dropout=0.5)
    words = torch.ones(2000, dtype=torch.long)
    places = torch.zeros_like(words)
    dropped = module(words, SPELLINGS, INSIDE, places, None)
    unknown = (dropped[:, :4] == module.words.weight[0]).all(dim=1)
    assert 850 < unknown.sum() < 1150
    # Their characters stay.
    assert (dropped[:, 4:] == dropped[0, 4:]).all()
    module.eval()
    assert (
        module(words, SPELLINGS, INSIDE, places, None)[:, :4] == module.words.weight[1]
    ).all()


def test_padding_is_not_learnt():
    module = make()
    module(WORDS, SPELLINGS, INSIDE, PLACES, None).sum().backward()
    assert module.characters.weight.grad.any(dim=1).tolist() == [False, True, True] + [
        row in SPELLINGS for row in range(3, 9)
    ]
    assert module.words.weight.grad.any(dim=1).tolist() == [True] * 3 + [False] * 2
