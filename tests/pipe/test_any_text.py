"""Any text at all: a legal tree over exactly the words of each sentence, no error.

The models are untrained: random weights find what trained ones hide.
"""

import math

import pytest
import spacy
from helpers.pipelines import ARCHITECTURES, get_parser, initialized
from helpers.shipped import needs
from helpers.strategies import texts
from hypothesis import given
from hypothesis import strategies as st
from spacy.tokens import Doc

from spacy_gfl import get_trees, parse_tree

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467\U0001f3fd"
TEXTS = {
    "nothing": "",
    "one word": "Yes",
    "white space": " \t\n\r\x0b\x0c\x1c\x85\u00a0\u2003\u2028\u2029 ",
    "paragraphs": "\n\n\nThe dog \n\n barks .\r\n\r\n \tYes\n",
    "brackets": "(S (NP x) ))) ((( [a] {b} <c> -LRB- -RRB- -U+0028- (TOP) ()",
    "backslashes": '\\ \\\\ \\n \\( \\u0041 C:\\dir\\ \\" /\\ %s {0} $HOME',
    "quotes": "\"''``'\u201c\u201d\u2018\u2019\u00ab\u00bb \" ' \" ' \"",
    "emoji": f"{FAMILY} \U0001f3f4\U000e0067\U000e007f \u2764\ufe0f 1\ufe0f\u20e3",
    "zero width": "\u200b \u200c\u200d\u2060 a\u200bb \ufeff \u00ad\u034f \u180e",
    "combining": "Z\u0351\u036b\u0343\u036a\u0302 e\u0301\u0301\u0301 \u0301 \u0300",
    "controls": "".join(map(chr, range(32))) + "a\x00b \x7f\x80\x9f \x1b[31m \b",
    "right to left": "\u05e9\u05dc \u202e(abc)\u202c \u0645\u0631 dog \u2067x\u2069.",
    "mixed scripts": "\u72ac\u3002 \u0421\u043e \u0915\u0941 a \u0e2a\u0e38 \ufb01",
    "no characters": "\ufffe \uffff \ue000 \U000f0000 \U0010ffff \U0001fffe",
    "punctuation": "." * 300 + "?!?!?!" * 20 + ". . . , , ; : - -- --- \u2026",
    "numbers": "\u0663\u0664 \u00bd \u216b 1,000.00 -1e999 0x1F \u2460 \u17b4",
    "markup": "<script>alert(1)</script> &amp; <!-- ]]> http://a.b/?c=d&e#f @x #y",
    "a long word": "x" * 5_000 + " " + "\u00e4\u200d" * 2_000 + " " + "-" * 3_000,
    "a long sentence": "the dog , which barks ( and ) " * 50,
    "many sentences": "Yes. No! (Why?) " * 100,
    "one letter words": "a b c d e f g " * 100,
}


@pytest.fixture(scope="module")
def pipelines():
    return {name: initialized(architecture=name) for name in ARCHITECTURES}


PACKAGES = [pytest.param(n, marks=needs(n)) for n in ("en_gfl_sm", "en_gfl_trf")]


@pytest.fixture(scope="module", params=[*ARCHITECTURES, *PACKAGES])
def nlp(request, pipelines):
    return pipelines.get(request.param) or spacy.load(request.param)


def check(doc):
    """Every sentence has one tree over its words, which can be printed and saved."""
    trees, sents = get_trees(doc), list(doc.sents) if len(doc) else []
    assert len(trees) == len(sents)
    for tree, sent in zip(trees, sents, strict=True):
        words = [token.text for token in sent if not token.text.isspace()]
        assert list(tree.words) == words
        text = sent._.parse_string
        assert (parse_tree(text) == tree) if words else (text == "")
    attrs = doc.spans["constituents"].attrs
    assert set(attrs["flags"]) <= {"ok"}
    assert all(map(math.isfinite, attrs["log_probs"]))
    assert len(attrs["flags"]) == len(attrs["log_probs"]) == len(sents)
    again = Doc(doc.vocab).from_bytes(doc.to_bytes())
    assert get_trees(again) == trees


def test_odd_texts_get_trees_alone_and_beside_each_other(nlp):
    search = get_parser(nlp).search
    for text in TEXTS.values():
        check(nlp(text))
    search.beam_width = 2
    docs = list(nlp.pipe(TEXTS.values()))
    search.beam_width = 1
    assert [doc.text for doc in docs] == list(TEXTS.values())
    for doc in docs:
        check(doc)


@st.composite
def tokens(draw):
    """Words, the spaces after them, and sentence starts: yes, no and unknown."""
    words = draw(st.lists(st.just(" ") | texts(), max_size=12))
    n = len(words)
    spaces = draw(st.none() | st.lists(st.booleans(), min_size=n, max_size=n))
    kinds = st.sampled_from([True, False, None])
    return words, spaces, draw(st.lists(kinds, min_size=n, max_size=n))


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@given(made=tokens())
def test_any_tokens_in_any_sentences_get_trees(pipelines, architecture, made):
    nlp, (words, spaces, starts) = pipelines[architecture], made
    doc = Doc(nlp.vocab, words=words, spaces=spaces)
    for token, start in zip(doc, starts, strict=True):
        token.is_sent_start = start
    parser = get_parser(nlp)
    if len(doc) < 2 or doc.has_annotation("SENT_START"):
        check(parser(doc))
        return
    with pytest.raises(ValueError, match=r'no sentence boundaries.*add_pipe\("sent'):
        parser(doc)
