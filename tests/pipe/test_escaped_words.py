r"""Words as in Penn treebanks, -LRB- or `\/`, are parsed as what they stand for."""

import pytest
from helpers.docs import token_doc
from helpers.pipelines import hash_embed, initialized, log_probs, make_shared
from spacy.tokens import Doc
from spacy.training import Example

from spacy_gfl import set_trees
from spacy_gfl.annotation.sentence_words import unescaped
from spacy_gfl.tools.treebanks.inputs import docs_from_lines

ESCAPED = [
    ("The dog -LRB- barks -RRB- .", "The dog ( barks ) ."),
    ("The dog -lrb- barks -rrb- .", "The dog ( barks ) ."),
    ("The dog -LSB- barks -RSB- .", "The dog [ barks ] ."),
    ("The dog -lcb- barks -Rcb- .", "The dog { barks } ."),
    (r"The dog saw 1\/2 man", "The dog saw 1/2 man"),
    (r"The dog saw US\$ 5 \* .", "The dog saw US$ 5 * ."),
    ("The dog /- barks /.", "The dog - barks ."),
]


def make_doc(nlp, text):
    return token_doc(text.replace(" ", "|"), vocab=nlp.vocab)


@pytest.fixture(scope="module")
def nlp():
    # Unknown words have vectors of their own.
    return initialized(tok2vec=hash_embed())


@pytest.mark.parametrize(("text", "plain"), ESCAPED)
def test_trees_are_those_of_what_the_words_stand_for(nlp, text, plain):
    parser = nlp.get_pipe("constituency_parser")
    doc, expected = (parser(make_doc(nlp, t)) for t in (text, plain))
    assert log_probs(doc) == log_probs(expected)
    assert doc[:]._.labels == expected[:]._.labels
    assert [token.text for token in doc] == text.split()
    [of_tokens] = docs_from_lines(nlp, [text + "\n"], "tokens")
    assert [token.text for token in of_tokens] == text.split()
    assert log_probs(parser(of_tokens)) == log_probs(expected)


def test_training_learns_what_the_words_stand_for(nlp):
    losses = []
    for text in ESCAPED[0]:
        gold = make_doc(nlp, text)
        set_trees(gold, [[("S", 0, 6), ("NP", 0, 2)]])
        nlp = initialized(tok2vec=hash_embed())
        losses.append(nlp.update([Example(make_doc(nlp, text), gold)]))
    assert losses[0] == losses[1]


def test_a_listener_is_given_the_docs_that_it_has_heard():
    nlp = make_shared()
    doc = nlp(make_doc(nlp, ESCAPED[0][0]))
    assert len(doc._.parse_strings) == 1


def test_a_copy_has_the_annotation_that_words_may_be_known_by(nlp):
    doc = make_doc(nlp, ESCAPED[0][1])
    assert unescaped(doc) is doc
    doc = Doc(
        nlp.vocab,
        words=["-LRB-", "Ann", "left"],
        spaces=[False, True, False],
        tags=["-LRB-", "NNP", "VBD"],
        pos=["PUNCT", "PROPN", "VERB"],
        morphs=["", "Number=Sing", ""],
        ents=["O", "B-PERSON", "O"],
        sent_starts=[True, False, True],
    )
    copy = unescaped(doc)
    assert copy.text == "(Ann left"
    for name in ("tag_", "pos_", "morph", "ent_type_", "ent_iob_", "is_sent_start"):
        values = [[str(getattr(t, name)) for t in d] for d in (doc, copy)]
        assert values[0] == values[1], name
