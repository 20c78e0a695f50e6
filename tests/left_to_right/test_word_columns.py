"""What a pipeline that predicts words says of each word."""

import json
import math

import numpy
import pytest
import spacy
import torch
from helpers.pipelines import (
    GENERATIVE,
    SEQ2SEQ,
    features,
    get_module,
    get_parser,
    initialized,
    trained,
)
from spacy.tokens import DocBin

from spacy_gfl import set_trees
from spacy_gfl import steps as steps_of
from spacy_gfl.left_to_right.beam_columns import OF_BEAM
from spacy_gfl.left_to_right.growth import GrowthTask
from spacy_gfl.model.model import ModelInput
from spacy_gfl.tools.treebanks.formats.json_lines import (
    doc_from_json,
    doc_to_json,
    json_line,
    sentences_to_json,
)

TEXT = "She saw\n a man with a hat. Yes."


@pytest.fixture(scope="module")
def nlp():
    nlp = trained(architecture=GENERATIVE)
    parser = get_parser(nlp)
    parser.search.beam_width, parser.search.per_word = 8, True
    return nlp


def growth_of(parser, doc, words):
    """How the trees of one sentence grow, as the network says."""
    ids = parser.codec.word_ids([doc[at].text for at in words])
    task = GrowthTask(beam_width=parser.search.beam_width, words=[ids])
    [growth] = parser.model.predict(ModelInput([doc], [(0, words)], task))
    return growth


def test_columns_are_those_of_the_beam(nlp):
    parser = get_parser(nlp)
    parser.search.precision = "fp32"
    doc = nlp(TEXT)
    table, sent = doc._.word_syntax, next(doc.sents)
    words = [token.i for token in sent if not token.is_space]
    growth = growth_of(parser, doc, words)
    beams = growth.beams
    assert table["surprisal"].tolist()[2] != table["surprisal"].tolist()[2]  # space
    assert str(doc._.surprisal.tolist()) == str(table["surprisal"].tolist())
    assert str(sent._.surprisal.tolist()) == str(doc._.surprisal.tolist()[: len(sent)])
    for n, at in enumerate(words):
        before = numpy.array([one.log_prob for one in beams[n]])
        foreseen = before + [one.next_word for one in beams[n]]
        nats = numpy.logaddexp.reduce(before) - numpy.logaddexp.reduce(foreseen)
        assert table["surprisal"][at] == pytest.approx(nats / math.log(2), abs=1e-4)
        shares = numpy.exp([one.log_prob for one in beams[n + 1]])
        shares /= shares.sum()
        bits = -(shares * numpy.log2(shares)).sum()
        assert table["entropy"][at] == pytest.approx(bits, abs=1e-4)
        outputs = [growth.hypothesis(n + 1, k).output for k in range(len(shares))]
        open_nodes = [
            len(rightmost(parser.codec.decode(output, n + 1), n + 1))
            for output in outputs
        ]
        mean = (shares * open_nodes).sum()
        assert table["expected_open_nodes"][at] == pytest.approx(mean, abs=1e-4)
    # What has been opened and not closed is open; entropies sum up.
    words = numpy.array(words)
    opened = numpy.cumsum(table["expected_opened"][words])
    assert opened[-1] > 3
    falls = table["entropy_reduction"][words].sum()
    assert falls == pytest.approx(-table["entropy"][words[-1]], abs=1e-6)


def rightmost(decoded, end):
    return [node for node in decoded.constituents if node.end == end]


def test_openings_and_closings_of_one_tree_are_the_action_s(nlp):
    parser = get_parser(nlp)
    before = parser.search.beam_width
    parser.search.beam_width = 1
    try:
        doc = nlp("The dog barks.")
    finally:
        parser.search.beam_width = before
    [tree] = doc._.parse_strings
    assert tree == "(S (NP (DT The) (NN dog)) (VP (VBZ barks)) (. .))"
    table = doc._.word_syntax
    # The NP; nothing; an S around it, and a VP; the full stop closes the VP.
    assert table["expected_opened"].tolist() == [1, 0, 2, 0]
    assert table["expected_closed"].tolist() == [0, 0, 1, 1]
    assert table["expected_open_nodes"].tolist() == [1, 1, 2, 1]


def test_the_chosen_tree_has_the_probability_of_its_actions(nlp):
    doc = nlp(TEXT)
    parser = get_parser(nlp)
    for sent in doc.sents:
        steps = steps_of(parser, sent, parser.search.beam_width)
        words = [token.i for token in sent if not token.is_space]
        column = doc._.word_syntax["action_probability"][words]
        bits = doc._.surprisal[words]
        assert [step.surprisal for step in steps] == pytest.approx(bits, rel=1e-2)
        best = steps[-1].trees[0].log_prob
        assert sent._.log_prob == pytest.approx(best, rel=1e-2)
        assert numpy.log(column).sum() > best


def test_columns_survive_saving_and_loading(nlp, tmp_path):
    nlp.to_disk(tmp_path)
    again = spacy.load(tmp_path)
    docs = [nlp(TEXT), again(TEXT)]
    assert str(docs[0]._.word_syntax.tolist()) == str(docs[1]._.word_syntax.tolist())
    [kept] = DocBin(docs=[docs[0]]).get_docs(nlp.vocab)
    assert str(kept._.surprisal.tolist()) == str(docs[0]._.surprisal.tolist())


def test_a_parser_without_words_has_actions_alone():
    nlp = trained()
    parser = get_parser(nlp)
    parser.search.per_word = True
    doc = nlp("The dog barks.")
    table = doc._.word_syntax
    assert (
        (table["action_probability"] > 0.3) & (table["action_probability"] <= 1)
    ).all()
    log_prob = numpy.log(table["action_probability"]).sum()
    assert log_prob == pytest.approx(doc[:]._.log_prob, abs=0.05)
    assert all(numpy.isnan(table[name]).all() for name in OF_BEAM)
    with pytest.raises(ValueError, match="with a parser that predicts words"):
        _ = doc._.surprisal
    steps = steps_of(parser, doc[:])
    assert all(math.isnan(step.surprisal) for step in steps)
    # Trees that the parser has not made have nothing beside them.
    set_trees(doc, doc._.parse_strings)
    assert numpy.isnan(doc._.word_syntax["action_probability"]).all()


def test_symbols_are_no_actions_of_words():
    nlp = initialized(architecture=SEQ2SEQ)
    get_parser(nlp).search.per_word = True
    with pytest.raises(ValueError, match="does not add one word after the other"):
        nlp("Yes.")


def test_capitals_tell_nothing_of_what_follows():
    layers = [features(lower_capitals=lower) for lower in (True, False)]
    for layer, same in zip(layers, (False, True), strict=True):
        model = get_parser(initialized(tok2vec=layer)).model.get_ref("tok2vec")
        nlp = initialized()
        texts = ["THE DOG BARKS LOUDLY", "THE DOG barks loudly"]
        first, other = (model.predict([nlp.make_doc(text)])[0][:2] for text in texts)
        assert numpy.array_equal(first, other) is same


def test_docs_of_which_nothing_is_searched_have_columns_of_nothing(nlp):
    parser = get_parser(nlp)
    texts = ["", " \n", TEXT]
    with_columns = [nlp(text) for text in texts]
    parser.search.max_words = 1
    docs = [*with_columns[:2], nlp(TEXT)]
    parser.search.max_words = 5000
    found = [doc._.surprisal for doc in docs]
    assert list(map(len, found)) == list(map(len, docs))
    assert numpy.isnan(numpy.concatenate(found)[:-2]).all()


def test_steps_need_a_sentence(nlp):
    parser = get_parser(nlp)
    doc = nlp(TEXT)
    for other in (doc, doc[:2]):
        with pytest.raises(ValueError, match="is not one"):
            steps_of(parser, other)
    one = nlp("Yes.")
    assert [step.word for step in steps_of(parser, one)] == list(one)


def test_columns_survive_json_lines(nlp):
    doc = nlp(TEXT)
    for records in ([doc_to_json(doc)], sentences_to_json(doc)):
        kept = [doc_from_json(json.loads(json_line(r)), nlp.vocab) for r in records]
        table = numpy.concatenate([one._.word_syntax for one in kept])
        assert str(table["surprisal"].tolist()) == str(doc._.surprisal.tolist())


def test_a_broken_network_has_no_steps():
    nlp = initialized(architecture=GENERATIVE)
    with torch.no_grad():
        get_module(nlp).score.fill_(float("nan"))
    doc = nlp("The dog barks.")
    assert steps_of(get_parser(nlp), doc[:]) == []
