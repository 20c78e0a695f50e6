"""Emoji of several characters are words, and begin no sentence by themselves."""

import pytest
import spacy
from spacy.tokens import Doc

HEART, THUMB, FLAG = "\u2764\ufe0f", "\U0001f44d\U0001f3fd", "\U0001f1e9\U0001f1ea"
FAMILY = "\U0001f468\u200d\U0001f469\U0001f3fd\u200d\U0001f467"


@pytest.fixture(scope="module")
def nlp():
    nlp = spacy.blank("en")
    nlp.add_pipe("sentence_rules")
    return nlp


@pytest.mark.parametrize("emoji", [HEART, THUMB, FLAG, FAMILY, "1\ufe0f\u20e3"])
@pytest.mark.parametrize("text", ["So {} good", "Good {}.", "{}", "({})!", ":{}{}b"])
def test_an_emoji_is_one_token(nlp, emoji, text):
    doc = nlp(text.format(emoji, emoji))
    words = text.replace("{}", " {} ").format(emoji, emoji)
    for mark in ".()!:":
        words = words.replace(mark, f" {mark} ")
    assert [token.text for token in doc] == words.split()
    assert doc.text == text.format(emoji, emoji)


@pytest.mark.parametrize(
    ("text", "not_starts"),
    [
        (f"Great! {HEART}\nOk.", [HEART]),
        (f"Great! {THUMB}{FLAG}", [THUMB, FLAG]),
        (f"{HEART} you\n{THUMB}", []),
        ("a \ufe0f b \u200b c", ["\ufe0f", "\u200b"]),
    ],
)
def test_emoji_at_the_end_of_a_line_begin_no_sentence(nlp, text, not_starts):
    doc = nlp(text)
    words = [t for t in doc if not t.is_space]
    assert [t.text for t in words if t.is_sent_start is False] == not_starts


def test_tokens_that_are_marked_stay(nlp):
    doc = Doc(nlp.vocab, ["\u2764", "\ufe0f"], [False, False])
    doc.spans["constituency_required"] = [doc[0:2]]
    assert len(nlp(doc)) == 2


@pytest.mark.parametrize("run", [f"{HEART}.", HEART, f"{THUMB} ", FAMILY, "\ufe0f "])
def test_runs_of_emoji_take_no_longer_than_other_text(nlp, run):
    # Any square of such a length would take minutes.
    text = run * (20_000 // len(run))
    doc = nlp.get_pipe("sentence_rules")(nlp.make_doc(text))
    assert doc.text == text
