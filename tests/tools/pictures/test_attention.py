import numpy
import pytest
import spacy
from helpers.svg import texts

import spacy_gfl
from spacy_gfl import parse_tree
from spacy_gfl.seq2seq.symbol_codec import Symbols

matplotlib = pytest.importorskip("matplotlib", reason="pictures need the extra viz")
pytest.importorskip("matplotlib.colors")

WEIGHTS = {
    "words": ["the", "<b>dog</b>", "$\\alpha$"],
    "symbols": ["(S", "XX", "XX", "XX", ")S", "</s>"],
    "weights": numpy.full((6, 3), 1 / 3),
}


def attention(docs, **options):
    return spacy_gfl.render(docs, style="attention", options=options)


def test_given_weights_are_drawn_with_their_words_and_symbols():
    svg = attention(WEIGHTS)
    assert texts(svg) == [*WEIGHTS["words"], *WEIGHTS["symbols"], "0.33", "0"]
    assert "<b>" not in svg
    assert "<image" not in svg
    turned = attention(WEIGHTS, symbols_across=True)
    assert texts(turned)[:6] == WEIGHTS["symbols"]
    # Several on one page, and the same ones again.
    assert attention([WEIGHTS, WEIGHTS]) == f"{svg}\n\n{svg}"


@pytest.mark.parametrize(
    ("changes", "options", "message"),
    [
        ({"weights": numpy.ones((3, 6))}, {}, "6 symbols to 3 words"),
        ({"weights": numpy.full((6, 3), numpy.nan)}, {}, "finite"),
        ({"weights": -numpy.ones((6, 3))}, {}, "negative"),
        ({}, {"cmap": "none"}, "no colormap 'none'"),
        ({}, {"vmax": 0}, "vmax"),
        ({}, {"tags": True}, "no option tags"),
    ],
)
def test_wrong_weights_and_options_are_refused(changes, options, message):
    with pytest.raises(ValueError, match=message):
        attention({**WEIGHTS, **changes}, **options)


class Parser:
    """The part of a parser that pictures of attention ask."""

    def __init__(self, *labels):
        self.codec = Symbols(labels)
        self.spans_key = "constituents"
        self.calls = 0

    def attention(self, doc):
        self.calls += 1
        trees = spacy_gfl.get_trees(doc)
        return [numpy.eye(len(self.codec.steps(tree)), len(tree)) for tree in trees]


def test_a_doc_is_drawn_as_its_sentences_and_read_once(doc):
    parser = Parser("S", "NP", "VP")
    first, second = attention(doc, parser=parser).split("\n\n")
    assert parser.calls == 1
    # A row of a word has the word itself.
    rows = "(S (NP he )NP (VP sleeps )VP )S </s>"
    assert " ".join(texts(second)[:-2]) == f"he sleeps {rows}"
    assert attention(list(doc.sents)[1], parser=parser) == second
    assert attention(doc.sents, parser=parser) == f"{first}\n\n{second}"
    assert parser.calls == 3


def test_missing_attention_is_explained(doc):
    with pytest.raises(ValueError, match="no symbols and no weights"):
        attention({"words": ["a"]})
    with pytest.raises(ValueError, match="whose attention you want"):
        attention(doc)
    with pytest.raises(ValueError, match="English has none"):
        attention(doc, parser=spacy.blank("en"))
    with pytest.raises(ValueError, match='"the dog" is not one'):
        attention(doc[0:2], parser=Parser("S", "NP", "VP"))
    with pytest.raises(TypeError, match="Tree"):
        attention(parse_tree("(NN x)"), parser=Parser("S"))

    unknowing = Parser("S")
    unknowing.attention = lambda doc: [numpy.zeros((0, len(s))) for s in doc.sents]
    with pytest.raises(ValueError, match="labels that the parser does not know"):
        attention(doc, parser=unknowing)
