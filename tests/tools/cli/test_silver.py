import math
import random
from collections import Counter

import pytest
import spacy
from helpers.cli import done, rows
from helpers.pipelines import BRACKETS, SEQ2SEQ, trained

from spacy_gfl import get_trees, parse_tree
from spacy_gfl.annotation.storage import SPANS_KEY
from spacy_gfl.tools.training.silver import Selection
from spacy_gfl.tools.treebanks.formats import docbin

TEXTS = [" ".join(parse_tree(text).words) for text in BRACKETS]
#: Sentences that no parser has seen, so that two make different trees of them.
NEW = [
    "A man with a dog saw the room .",
    "She barks .",
    "Who saw a hat with a room with the dog ?",
]


@pytest.fixture(scope="module")
def parsed(tmp_path_factory):
    """Text parsed by two pipelines that know BRACKETS, and agree on little else."""
    folder = tmp_path_factory.mktemp("parsed")
    text = folder / "text.txt"
    text.write_text("\n".join([*TEXTS, *NEW]) + "\n\n \n")
    for name, architecture in (("a", {}), ("b", {"architecture": SEQ2SEQ})):
        trained(**architecture).to_disk(folder / name)
        command = ["parse", text, "-m", folder / name, "--input-format", "lines"]
        done(*command, "-o", folder / f"{name}.spacy")
    done(*command, "-o", folder / "b.jsonl")
    return folder


@pytest.fixture
def make(parsed, tmp_path):
    """Chooses from what the first pipeline has parsed, unless told otherwise."""

    def make(*options, source=parsed / "a.spacy", out=tmp_path / "out.spacy"):
        return Made(out, done("silver", source, "-o", out, *options))

    return make


class Made:
    """What a run has kept, and the number of sentences of each fate."""

    def __init__(self, out, result):
        self.docs = list(docbin.read(out, spacy.blank("en").vocab))
        assert all(len(list(doc.sents)) == 1 for doc in self.docs)
        self.texts = [doc.text.strip() for doc in self.docs]
        table = rows(result.stdout).items()
        self.table = {fate: int(cells[0]) for fate, cells in table if fate.strip("-")}


def test_all_is_kept_unless_something_is_asked_for(make, tmp_path):
    out = tmp_path / "deep" / "out.spacy"
    made = make(out=out)
    assert made.texts == [*TEXTS, *NEW]
    assert [get_trees(doc)[0].constituents for doc in made.docs[: len(BRACKETS)]] == [
        parse_tree(tree).constituents for tree in BRACKETS
    ]
    assert made.table == {"read": 7, "kept": 7}
    assert [path.name for path in out.parent.iterdir()] == ["out.spacy"]
    assert made.docs[0].spans[SPANS_KEY].attrs["flags"] == ["ok"]


def test_sentences_that_parsers_disagree_on_are_left_out(make, parsed):
    found = {}
    for agreement in ("", "1", "0.5", "0"):
        options = ("--agreement", agreement) if agreement else ()
        made = make("--agree-with", parsed / "b.spacy", *options)
        found[agreement] = made.texts
        assert made.table.get("disagreed on", 0) == 7 - len(made.texts)
    assert found[""][: len(TEXTS)] == TEXTS
    assert found[""] == found["1"]
    assert set(found["1"]) < set(found["0"])
    assert set(found["1"]) <= set(found["0.5"]) <= set(found["0"])
    assert len(found["0"]) == 7
    # The first parser's trees, whatever the second one found, from any format.
    assert list(map(get_trees, made.docs)) == list(map(get_trees, make().docs))
    assert make("--agree-with", parsed / "b.jsonl").texts == found[""]


def test_sentences_that_another_parser_has_not_parsed_are_left_out(make, tmp_path):
    other = tmp_path / "other.ptb"
    other.write_text(f"{BRACKETS[1]}\n(X (X gone))\n")
    made = make("--agree-with", other)
    assert made.texts == [TEXTS[1]]
    assert made.table == {"read": 7, "not in all files": 6, "kept": 1}


def test_sentences_below_the_least_probability_are_left_out(make):
    every = make()
    means = [math.exp(next(d.sents)._.log_prob / len(d)) for d in every.docs]
    least = sorted(means)[3]
    made = make("--min-probability", least)
    pairs = zip(every.texts, means, strict=True)
    assert made.texts == [text for text, mean in pairs if mean >= least]
    assert made.table == {"read": 7, "doubtful": 3, "kept": 4}


def test_unknown_probabilities_matter_only_where_one_is_asked_for(make):
    """Such as those of trees that `max_f1` did not draw."""
    docs = make().docs
    docs[0].spans[SPANS_KEY].attrs["log_probs"] = [math.nan]
    docs[1].spans[SPANS_KEY].attrs["flags"] = ["flat"]
    assert len(list(Selection().kept(docs))) == 6
    selection = Selection(min_probability=1e-300)
    assert len(list(selection.kept(docs))) == 5
    assert set(selection.fates) == {"doubtful", "not searched", "kept"}


@pytest.mark.parametrize("ending", ["ptb", "spacy"])
def test_sentences_of_excluded_treebanks_are_left_out(make, tmp_path, ending):
    source, bank = tmp_path / "bank.ptb", tmp_path / f"bank.{ending}"
    source.write_text("\n".join(["(X (X SHE) (X bark-s))", BRACKETS[0], "(X (. .))"]))
    if bank != source:
        done("convert", source, bank, "--n-sents", 0)
    made = make("--exclude", bank)
    assert made.texts == [*TEXTS[1:], NEW[0], NEW[2]]
    assert made.table == {"read": 7, "excluded": 2, "kept": 5}


def test_sentences_too_short_too_long_or_over_the_limit_are_left_out(make):
    limits = ("--min-length", 4, "--max-length", 8)
    made = make(*limits, "--limit", 1)
    assert made.texts == [TEXTS[0]]
    assert made.table["kept"] == 1
    assert made.table["read"] < 7  # It stops reading.
    table = make(*limits).table
    assert table == {"read": 7, "too short": 2, "too long": 2, "kept": 3}


def test_lengths_are_those_of_gold(make, tmp_path):
    rng = random.Random(0)
    lengths = [rng.choice([2, 2, 2, 5, 9]) for _ in range(120)]
    gold, text = tmp_path / "gold.ptb", tmp_path / "text.ptb"
    text.write_text("".join(f"(X {'(N dog)' * n})\n" for n in lengths))
    wanted = [2] * 20 + [5] * 5 + [9] * 75
    gold.write_text("".join(f"(X {'(N dog)' * n})\n" for n in wanted))
    made = make("--match-lengths", gold, source=text)
    found = Counter(map(len, made.docs))
    rate = lengths.count(9) / 75
    assert found == {n: round(rate * wanted.count(n)) for n in (2, 5, 9)}
    assert made.table["of no matching length"] == 120 - found.total()
