"""Pieces of words, and the windows that an encoder reads."""

import base64
import json
from itertools import pairwise

import numpy
import pytest
from helpers.encoders import LETTERS, LONGER, unigram, word_piece
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_gfl.transformer.pieces import (
    make_tokenizer,
    read_pieces,
    sentence_windows,
    trim,
)

TOKENIZERS = {"WordPiece": word_piece, "Unigram": unigram}


def settings(kind="WordPiece"):
    return json.loads(TOKENIZERS[kind]().to_str())


def doc_of(words, spaces=None, sent_starts=None):
    return Doc(Vocab(), words, spaces, sent_starts=sent_starts)


def read(*docs, kind="WordPiece", window=256, overlap=64, max_pieces=128):
    """The pieces of each window, and those of each token."""
    tokenizer = make_tokenizer(settings(kind))
    batch = read_pieces(tokenizer, docs, window, overlap, max_pieces)
    windows = [[tokenizer.id_to_token(i) for i in ids] for ids in batch.windows]
    joined = numpy.array([piece for window in windows for piece in window])
    ends = [*batch.offsets[1:], len(batch.places)]
    places = [batch.places[a:b] for a, b in zip(batch.offsets, ends, strict=True)]
    return windows, [joined[at].tolist() for at in places]


def extents(window, overlap, *lengths):
    """The windows of a Doc of sentences of these lengths."""
    starts = [i == 0 for length in lengths for i in range(length)]
    doc = doc_of(["w"] * len(starts), sent_starts=starts)
    return list(sentence_windows(doc, window, overlap))


@pytest.mark.parametrize(
    ("lengths", "expected"),
    [
        ([3, 1, 4], [(0, 3), (3, 4), (4, 8)]),
        ([5], [(0, 4), (2, 5)]),
        ([6], [(0, 4), (2, 6)]),
        ([7], [(0, 4), (2, 6), (4, 7)]),
    ],
)
def test_sentences_are_read_one_by_one_and_longer_ones_in_windows(lengths, expected):
    assert extents(4, 2, *lengths) == expected


@pytest.mark.parametrize(("window", "overlap"), [(4, 2), (5, 1), (3, 0), (4, 3)])
def test_windows_cover_a_sentence(window, overlap):
    for length in range(1, 30):
        found = extents(window, overlap, length)
        covered = {i for start, end in found for i in range(start, end)}
        assert covered == set(range(length))
        assert all(0 < end - start <= window for start, end in found)
        # No window lies within another.
        assert all(a[1] < b[1] for a, b in pairwise(found))


def test_a_doc_without_boundaries_is_one_sentence():
    assert list(sentence_windows(doc_of(["w"] * 3), 4, 1)) == [(0, 3)]
    assert list(sentence_windows(doc_of([]), 4, 1)) == []


def test_tokens_have_the_pieces_of_their_characters_and_of_all_windows():
    doc = doc_of(["The", "dogs", "barking", "z"])
    windows, tokens = read(doc, window=3, overlap=2)
    first, second = [["the"], ["dog", "##s"], ["bark", "##ing"]], ["z"]
    assert windows == [
        ["<s>", "the", "dog", "##s", "bark", "##ing", "</s>"],
        ["<s>", "dog", "##s", "bark", "##ing", "z", "</s>"],
    ]
    assert tokens == [first[0], first[1] * 2, first[2] * 2, second]


def test_docs_have_their_own_tokens():
    some = doc_of(["the", "dog"], sent_starts=[True, True])
    windows, tokens = read(some, doc_of([]), doc_of(["cat"]))
    assert windows == [["<s>", word, "</s>"] for word in ("the", "dog", "cat")]
    assert tokens == [["the"], ["dog"], ["cat"]]


def test_a_piece_belongs_to_all_tokens_that_it_has_characters_of():
    assert read(doc_of(["ba", "rk"], [False, True]))[1] == [["bark"], ["bark"]]


def test_pieces_that_begin_with_a_space_belong_to_the_word_after_it():
    for spaces in ([True, True, False], [True, False, False]):
        # Also where the text has none: Unigram's pieces reach over both words.
        found = read(doc_of(["the", "dog", "."], spaces), kind="Unigram")[1]
        assert found == [["▁the"], ["▁dog"], ["▁", "."]]


def test_white_space_and_what_is_beyond_the_longest_window_have_no_pieces():
    doc = doc_of(["\n", "the", "  ", "dog"], [False, True, False, False])
    assert read(doc)[1] == [[], ["the"], [], ["dog"]]
    assert read(doc, max_pieces=2)[1] == [[], ["the"], [], []]


def test_the_penn_treebanks_quotation_marks_are_read_as_those_of_text():
    doc = doc_of(["``", "no", "''"])
    assert read(doc)[1] == [['"'], ["n", "##o"], ['"']]
    assert doc.text == "`` no '' "


@pytest.mark.parametrize("kind", TOKENIZERS)
def test_a_trimmed_tokenizer_has_the_same_pieces_of_what_it_knows(kind):
    whole = settings(kind)
    if kind == "Unigram":
        # Special pieces may be behind all others.
        whole["added_tokens"].append({**whole["added_tokens"][0]})
        whole["added_tokens"][-1] |= {
            "id": len(whole["model"]["vocab"]),
            "content": "<m>",
        }
    tokenizer = make_tokenizer(whole)
    text = "the dogs, barking. cats"
    ids = tokenizer.encode(text).ids
    trimmed, kept = trim(whole, ids)
    other = make_tokenizer(trimmed)
    assert [kept[i] for i in other.encode(text).ids] == ids
    pieces = [
        piece for piece, _ in sorted(other.get_vocab().items(), key=lambda x: x[1])
    ]
    assert pieces == [tokenizer.id_to_token(i) for i in kept]
    assert len(pieces) == other.get_vocab_size() < tokenizer.get_vocab_size()
    assert not any("zebra" in piece for piece in pieces)
    # Any word can still be read.
    assert other.token_to_id("<unk>") not in other.encode("zebra").ids
    assert set(LETTERS) <= {piece.strip("▁#") for piece in pieces}
    assert {piece.strip("▁") for piece in pieces} >= {*LONGER} - {"zebra"}


def test_marks_are_renumbered_by_whatever_sets_them():
    whole = settings()
    vocabulary = make_tokenizer(whole).get_vocab()
    last = {**whole["added_tokens"][0], "id": vocabulary["zebra"], "content": "zebra"}
    whole["added_tokens"].append(last)
    marks = {"sep": ["</s>", 2], "cls": ["zebra", vocabulary["zebra"]]}
    processors = [{"type": "BertProcessing", **marks}]
    whole["post_processor"] = {"type": "Sequence", "processors": processors}
    trimmed, kept = trim(whole, [vocabulary["the"]])
    assert make_tokenizer(trimmed).encode("the").tokens == ["zebra", "the", "</s>"]
    assert len(kept) < len(vocabulary)


def test_pieces_of_other_kinds_are_not_trimmed():
    with pytest.raises(ValueError, match="not of BPE"):
        trim({"model": {"type": "BPE", "vocab": {}}}, [])


@pytest.mark.parametrize(
    "broken", [{}, {"model": {"type": "None"}}, {"version": "1.0"}]
)
def test_what_is_no_tokenizer_is_said_to_be_none(broken):
    with pytest.raises(ValueError, match="tokenizer cannot be read"):
        make_tokenizer(broken)


def nested(step, name, depth):
    for _ in range(depth):
        step = {"type": "Sequence", name: [step]}
    return step


def sequence(*steps):
    return {"type": "Sequence", "normalizers": list(steps)}


def replace_by(content, **pattern):
    return {"type": "Replace", "pattern": pattern, "content": content}


TEMPLATE = {"type": "TemplateProcessing", "single": [], "pair": []}
CHARSMAP = base64.b64encode(b"\0\0\0\0a\0" + b"b" * 1000 + b"\0").decode()
#: What lengthens a text, tries again or puts much around it, and what is not known.
HOSTILE = {
    "doubles": {"normalizer": replace_by("aa", String="a")},
    "doubles nothing": {"normalizer": replace_by("a", String="")},
    "a pattern of nothing": {"normalizer": replace_by("a", Regex="b*")},
    "a pattern that tries again": {"normalizer": replace_by("", Regex="(a+)+$")},
    "many": {"normalizer": sequence(*[replace_by("b", String="a")] * 100)},
    "twice": {"normalizer": sequence({"type": "NFKD"}, {"type": "NFKD"})},
    "deep": {"normalizer": nested({"type": "NFKD"}, "normalizers", 10_000)},
    "deep steps": {"pre_tokenizer": nested({"type": "Digits"}, "pretokenizers", 99)},
    "prepends": {"normalizer": {"type": "Prepend", "prepend": "a" * 1000}},
    "one character": {
        "normalizer": {"type": "Precompiled", "precompiled_charsmap": CHARSMAP}
    },
    "unknown": {"pre_tokenizer": {"type": "UnicodeScripts"}},
    "template": {
        "post_processor": {
            **TEMPLATE,
            "special_tokens": {"a": {"id": "a", "ids": [1] * 100_000, "tokens": []}},
        }
    },
    "long template": {
        "post_processor": {
            **TEMPLATE,
            "special_tokens": {},
            "single": [{"Sequence": {"id": "A", "type_id": 0}}] * 1000,
        }
    },
    "number": {
        "post_processor": {
            "type": "BertProcessing",
            "sep": ["a", 10**6],
            "cls": ["b", 1],
        }
    },
    "not a kind": {"normalizer": ["NFKD"]},
}


@pytest.mark.parametrize("changes", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("kind", TOKENIZERS)
def test_a_tokenizer_that_is_a_program_is_refused(kind, changes):
    known = settings(kind)
    make_tokenizer(known)
    with pytest.raises(ValueError, match="The tokenizer"):
        make_tokenizer({**known, **changes})


def test_word_piece_of_words_without_end_is_refused():
    known = settings()
    known["model"]["max_input_chars_per_word"] = 10**6
    with pytest.raises(ValueError, match="reads words of over 1000 characters"):
        make_tokenizer(known)
