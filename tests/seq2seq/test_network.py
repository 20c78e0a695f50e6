from itertools import cycle, islice

import pytest
import torch
from helpers.searching import random_vectors, tiny_parser, vocabulary

from spacy_gfl.decoding.tasks import AttentionTask, LossTask, SearchTask
from spacy_gfl.seq2seq.config import CELLS
from spacy_gfl.seq2seq.lstm_network import Seq2SeqNetwork

LENGTHS = [3, 1, 6, 2, 1]
VECTORS = random_vectors(sum(LENGTHS))
SYMBOLS = vocabulary(3, 2)
#: For each sentence some that are longer or shorter than it.
TARGETS = [[*islice(cycle([2, 1, 5, 3, 7, 1]), n), 0] for n in (8, 3, 1, 11, 0)]


def test_reversed_input_is_the_sentence_from_its_end():
    forwards = tiny_parser(SYMBOLS, reverse_input=False)
    backwards = tiny_parser(SYMBOLS, reverse_input=True)
    flipped = torch.cat([part.flip(0) for part in VECTORS.split(LENGTHS)])
    task = LossTask(TARGETS)
    expected = forwards(flipped, LENGTHS, task)
    torch.testing.assert_close(backwards(VECTORS, LENGTHS, task), expected)
    assert not torch.allclose(forwards(VECTORS, LENGTHS, task), expected)
    found = backwards(VECTORS, LENGTHS, SearchTask())
    assert found == forwards(flipped, LENGTHS, SearchTask())


@pytest.mark.parametrize("reverse_input", [True, False])
def test_attention_is_over_the_words_from_left_to_right(reverse_input):
    parser = tiny_parser(SYMBOLS, reverse_input=reverse_input, depth=1)
    for parameter in parser.encoder.parameters():
        torch.nn.init.zeros_(parameter)
    width = parser.settings["width"]
    with torch.no_grad():
        # The second number of a word makes the cell forget the words before, the
        # first makes it heed the word; attention looks for words that are heeded.
        weight = parser.encoder.forwards[0].weight_ih_l0
        weight[2 * width : 3 * width, 0] = 1.0
        weight[:width, 0] = 1.0
        weight[width : 2 * width, 1] = -100.0
        parser.decoder.attention.key.weight.copy_(torch.eye(width))
        torch.nn.init.zeros_(parser.decoder.attention.query.weight)
        parser.decoder.attention.score.fill_(50.0)
    vectors = torch.zeros(5, 5, dtype=torch.double)
    vectors[:, 1] = 1.0
    vectors[3, 0] = 5.0
    [matrix] = parser(vectors, [5], AttentionTask([[1, 1, 0]]))
    assert matrix.argmax(1).tolist() == [3, 3, 3]
    assert (matrix[:, 3] > 0.99).all()


@pytest.mark.parametrize("cell", CELLS)
def test_only_weights_around_the_paper_s_cell_start_small_and_uniform(cell):
    settings = {**tiny_parser(SYMBOLS).settings, "width": 32, "cell": cell}
    parameters = Seq2SeqNetwork(**settings).parameters()
    weights = torch.cat([weight.detach().flatten() for weight in parameters])
    assert (float(weights.abs().max()) <= 0.08) == (cell == "paper")
    if cell == "paper":
        assert float(weights.var()) == pytest.approx(0.16**2 / 12, rel=0.05)
