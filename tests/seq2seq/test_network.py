import pytest
import torch
from helpers.searching import SETTINGS, random_vectors, tiny_parser, vocabulary

from spacy_gfl.decoding.parser import AttentionTask, LossTask, SearchTask
from spacy_gfl.seq2seq.codec import Symbols
from spacy_gfl.seq2seq.config import CELLS
from spacy_gfl.seq2seq.network import Seq2SeqParser
from spacy_gfl.trees.brackets import parse_tree

LENGTHS = [3, 1, 6, 2, 1]
SYMBOLS = vocabulary(3, 2)
VARIANTS = [
    {},
    {"attention": False},
    {"input_feeding": False},
    {"reverse_input": False},
    {"cell": "lstm", "depth": 3},
]
every_variant = pytest.mark.parametrize("settings", VARIANTS, ids=str)

FIVE = [
    "(S (NP (DT The) (NN dog)) (VP (VBZ barks)) (. .))",
    "(S (NP (PRP She)) (VP (VBD saw) (NP (NP (DT the) (NN cat)) (PP (IN on) "
    "(NP (DT the) (NN mat))))) (. .))",
    "(FRAG (ADVP (RB Not)) (NP (NN today)) (. .))",
    "(SQ (VBZ Is) (NP (PRP it)) (ADJP (JJ cold)) (. ?))",
    "(S (VP (VB Stop)) (. !))",
]


def some_targets():
    """Symbols for each sentence, longer and shorter than the sentence."""
    generator = torch.Generator().manual_seed(2)
    sizes = [9, 4, 2, 12, 1]
    drawn = [
        torch.randint(1, len(SYMBOLS), (size - 1,), generator=generator)
        for size in sizes
    ]
    return [[*symbols.tolist(), 0] for symbols in drawn]


def batch():
    return random_vectors(sum(LENGTHS)), LENGTHS


# Loss


@every_variant
def test_the_loss_is_the_sum_over_sentences(settings):
    parser = tiny_parser(SYMBOLS, **settings)
    vectors, lengths = batch()
    targets = some_targets()
    loss = parser(vectors, lengths, LossTask(targets))
    assert loss.shape == ()
    alone = [
        parser(part, [len(part)], LossTask([target]))
        for part, target in zip(vectors.split(lengths), targets, strict=True)
    ]
    torch.testing.assert_close(loss, sum(alone))
    assert all(part > 0 for part in alone)


@every_variant
@pytest.mark.parametrize("batch_words", [1, 4, 12, 1000])
def test_the_loss_does_not_depend_on_sub_batches(settings, batch_words):
    parser = tiny_parser(SYMBOLS, **settings)
    vectors, lengths = batch()
    vectors.requires_grad_()
    expected = parser(vectors, lengths, LossTask(some_targets()))
    [gradient] = torch.autograd.grad(expected, vectors)
    loss = parser(vectors, lengths, LossTask(some_targets(), batch_words=batch_words))
    [other] = torch.autograd.grad(loss, vectors)
    torch.testing.assert_close(loss, expected)
    torch.testing.assert_close(other, gradient)


def test_the_loss_is_the_cross_entropy_of_each_symbol():
    parser = tiny_parser(SYMBOLS)
    vectors, [target] = random_vectors(4), some_targets()[:1]
    encoded = parser.encode([vectors], [4], dropout=0.0)
    state = parser.decoder.start(encoded.finals)
    weights = parser.decoder.weights()
    expected = 0.0
    before = 0
    for symbol in target:
        logits, state = parser.decoder.step(
            torch.tensor([before]), state, encoded.memory, weights
        )
        expected -= logits.log_softmax(1)[0, symbol].item()
        before = symbol
    assert parser(vectors, [4], LossTask([target])).item() == pytest.approx(expected)


@every_variant
def test_gradients_reach_every_word_and_parameter(settings):
    parser = tiny_parser(SYMBOLS, **settings).train()
    vectors, lengths = batch()
    vectors.requires_grad_()
    parser(vectors, lengths, LossTask(some_targets(), dropout=0.3)).backward()
    assert vectors.grad.abs().sum(1).gt(0).all()
    for name, parameter in parser.named_parameters():
        assert parameter.grad is not None, name
        assert torch.isfinite(parameter.grad).all(), name
        assert parameter.grad.any(), name


def test_dropout_works_in_training_alone():
    parser = tiny_parser(SYMBOLS)
    vectors, lengths = batch()
    expected = parser(vectors, lengths, LossTask(some_targets()))
    torch.testing.assert_close(
        parser(vectors, lengths, LossTask(some_targets(), dropout=0.5)), expected
    )
    parser.train()
    dropped = parser(vectors, lengths, LossTask(some_targets(), dropout=0.5))
    assert not torch.allclose(dropped, expected)


def test_no_sentences_have_no_loss_and_no_parses():
    parser = tiny_parser(SYMBOLS)
    vectors = torch.zeros(0, 5, dtype=torch.double, requires_grad=True)
    loss = parser(vectors, [], LossTask([]))
    loss.backward()
    assert loss.item() == 0
    assert parser(vectors, [], SearchTask()) == []


# The order of words


def test_reversed_input_is_the_sentence_from_its_end():
    forwards = tiny_parser(SYMBOLS, reverse_input=False)
    backwards = tiny_parser(SYMBOLS, reverse_input=True)
    vectors, lengths = batch()
    flipped = torch.cat([part.flip(0) for part in vectors.split(lengths)])
    torch.testing.assert_close(
        backwards(vectors, lengths, LossTask(some_targets())),
        forwards(flipped, lengths, LossTask(some_targets())),
    )
    assert backwards(vectors, lengths, SearchTask()) == forwards(
        flipped, lengths, SearchTask()
    )
    assert not torch.allclose(
        backwards(vectors, lengths, LossTask(some_targets())),
        forwards(vectors, lengths, LossTask(some_targets())),
    )


# Attention


@pytest.mark.parametrize("feeding", [True, False])
@pytest.mark.parametrize("batch_words", [1, 1000])
def test_attention_is_a_distribution_over_the_words(feeding, batch_words):
    parser = tiny_parser(SYMBOLS, input_feeding=feeding)
    targets = some_targets()
    matrices = parser(*batch(), AttentionTask(targets, batch_words=batch_words))
    for matrix, target, n_words in zip(matrices, targets, LENGTHS, strict=True):
        assert matrix.shape == (len(target), n_words)
        torch.testing.assert_close(matrix.sum(1), torch.ones_like(matrix.sum(1)))
        assert (matrix >= 0).all()


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


def test_a_model_without_attention_has_none_to_show():
    parser = tiny_parser(SYMBOLS, attention=False)
    with pytest.raises(ValueError, match="attention = false"):
        parser(*batch(), AttentionTask(some_targets()))


# Settings


@every_variant
def test_settings_and_weights_rebuild_the_model(settings):
    parser = tiny_parser(SYMBOLS, **settings)
    again = Seq2SeqParser(**parser.settings).double().eval()
    assert again.settings == parser.settings
    again.load_state_dict(parser.state_dict())
    assert torch.equal(
        again(*batch(), LossTask(some_targets())),
        parser(*batch(), LossTask(some_targets())),
    )
    for beam_width in (1, 3):
        task = SearchTask(beam_width, constrained=False)
        assert again(*batch(), task) == parser(*batch(), task)


def test_the_vocabulary_is_in_the_settings_not_in_the_weights():
    parser = tiny_parser(SYMBOLS)
    assert not [name for name in parser.state_dict() if name.startswith("symbol")]
    assert parser.grammar.kinds.tolist() == SYMBOLS.kinds
    assert parser.grammar.labels.tolist() == SYMBOLS.label_ids
    assert parser.grammar.longest_opening_run == SYMBOLS.longest_opening_run


@pytest.mark.parametrize("cell", CELLS)
def test_only_weights_around_the_paper_s_cell_start_small_and_uniform(cell):
    settings = {**tiny_parser(SYMBOLS).settings, "width": 32, "cell": cell}
    parameters = Seq2SeqParser(**settings).parameters()
    weights = torch.cat([weight.detach().flatten() for weight in parameters])
    assert (float(weights.abs().max()) <= 0.08) == (cell == "paper")
    if cell == "paper":
        assert float(weights.var()) == pytest.approx(0.16**2 / 12, rel=0.05)


# Learning


@pytest.mark.parametrize(
    "settings",
    [{}, {"attention": False}, {"cell": "lstm"}],
    ids=str,
)
def test_five_trees_are_learned_by_heart(settings):
    trees = [parse_tree(text) for text in FIVE]
    symbols = Symbols.from_trees(trees)
    targets = [symbols.encode(tree) for tree in trees]
    lengths = [len(tree) for tree in trees]
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        # Each word has a vector of its own, as in a word table.
        vectors = torch.randn(sum(lengths), 16)
        parser = Seq2SeqParser(
            input_width=16,
            symbol_kinds=symbols.kinds,
            symbol_labels=symbols.label_ids,
            longest_opening_run=symbols.longest_opening_run,
            **{**SETTINGS, "width": 32, **settings},
        )
        optimizer = torch.optim.Adam(parser.parameters(), lr=0.01)
        for _ in range(400):
            optimizer.zero_grad()
            loss = parser(vectors, lengths, LossTask(targets))
            loss.backward()
            optimizer.step()
            if loss < 0.5:
                break
    parser.eval()
    with torch.no_grad():
        for constrained in (True, False):
            for beam_width in (1, 3):
                task = SearchTask(beam_width, constrained=constrained)
                found = [best for [best] in parser(vectors, lengths, task)]
                assert [parse.output for parse in found] == targets
    total = sum(parse.log_prob for parse in found)
    assert total == pytest.approx(
        -parser(vectors, lengths, LossTask(targets)).item(), rel=1e-4
    )


@every_variant
def test_products_of_training_may_be_rough(settings):
    """The weights stay in single precision, and so does the softmax."""
    parser = Seq2SeqParser(**tiny_parser(SYMBOLS, **settings).settings).train()
    vectors, lengths = batch()
    found = []
    for precision in ("fp32", "bf16"):
        task = LossTask(some_targets(), precision=precision)
        loss = parser(vectors.float(), lengths, task)
        gradients = torch.autograd.grad(loss, list(parser.parameters()))
        assert {loss.dtype, *(g.dtype for g in gradients)} == {torch.float32}
        found.append((loss.detach(), torch.cat([g.flatten() for g in gradients])))
    (exact, gradient), (rough, other) = found
    assert float(rough) == pytest.approx(float(exact), rel=0.01)
    assert float(rough) != float(exact)
    assert float(torch.cosine_similarity(gradient, other, dim=0)) > 0.99
