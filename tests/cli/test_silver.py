import math
import random
import shutil
from collections import Counter
from unittest.mock import Mock

import pytest
import spacy
from helpers.cli import done, rows, run
from helpers.pipelines import BRACKETS, SEQ2SEQ, make_pipeline, trained
from spacy.tokens import Doc, DocBin

from spacy_gfl.annotation.storage import SPANS_KEY, get_trees
from spacy_gfl.apps.silver import SilverMaker, has_learnt_sentences
from spacy_gfl.cli.cluster import whole_name
from spacy_gfl.data import shards as shards_module
from spacy_gfl.formats import docbin
from spacy_gfl.trees.brackets import parse_tree

TEXTS = [" ".join(parse_tree(text).words) for text in BRACKETS]
#: Sentences that no parser has seen, so that two make different trees of them.
NEW = [
    "A man with a dog saw the room .",
    "She barks .",
    "Who saw a hat with a room with the dog ?",
]


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """Two pipelines that know the trees of BRACKETS, and agree on little else."""
    folder = tmp_path_factory.mktemp("models")
    trained().to_disk(folder / "a")
    trained(SEQ2SEQ).to_disk(folder / "b")
    return [str(folder / "a"), str(folder / "b")]


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("\n".join([*TEXTS, *NEW]) + "\n")
    return path


@pytest.fixture(autouse=True)
def _small_shards(monkeypatch):
    monkeypatch.setattr(shards_module, "SHARD_WORDS", 12)


def silver(source, out, models, *options):
    names = [part for model in models for part in ("--model", model)]
    kind = {".txt": "lines"}.get(source.suffix, "auto")
    return run("silver", source, "-o", out, "--input-format", kind, *names, *options)


@pytest.fixture
def make(models, text, tmp_path):
    """Makes trees of the text's lines by the first model, unless told otherwise."""

    def make(*options, source=None, models=models[:1], out=tmp_path / "out.spacy"):
        result = silver(source or text, out, models, *options)
        assert result.exit_code == 0, result.output
        return Made(out, result)

    return make


class Made:
    """What a run has kept, and the number of sentences of each fate."""

    def __init__(self, out, result):
        files = sorted(out.glob("*.spacy")) if out.is_dir() else [out]
        vocab = spacy.blank("en").vocab
        self.docs = [doc for file in files for doc in docbin.read(file, vocab)]
        assert all(len(list(doc.sents)) == 1 for doc in self.docs)
        self.texts = [doc.text.strip() for doc in self.docs]
        table = rows(result.stdout).items()
        self.table = {fate: int(cells[0]) for fate, cells in table if fate.strip("-")}


def test_one_model_keeps_all(make, tmp_path):
    out = tmp_path / "deep" / "out.spacy"
    made = make(out=out)
    assert made.texts == [*TEXTS, *NEW]
    assert [get_trees(doc)[0].constituents for doc in made.docs[: len(BRACKETS)]] == [
        parse_tree(tree).constituents for tree in BRACKETS
    ]
    assert made.table == {"read": 7, "kept": 7}
    assert [path.name for path in out.parent.iterdir()] == ["out.spacy"]
    assert made.docs[0].spans[SPANS_KEY].attrs["flags"] == ["ok"]


def test_sentences_that_models_disagree_on_are_left_out(make, models):
    found = {}
    for agreement in ("exact", "1", "0.5", "0"):
        made = make("--agreement", agreement, models=models)
        found[agreement] = made.texts
        assert made.table.get("disagreed on", 0) == 7 - len(made.texts)
    assert found["exact"][: len(TEXTS)] == TEXTS
    assert set(found["exact"]) < set(found["0"])
    assert found["exact"] == found["1"] == make(models=models).texts
    assert set(found["1"]) <= set(found["0.5"]) <= set(found["0"])
    assert len(found["0"]) == 7
    # The first model's trees, whatever the second one found.
    assert list(map(get_trees, made.docs)) == list(map(get_trees, make().docs))


def test_trees_agree_with_dependencies(make, models, tmp_path):
    """What parsers would do by themselves, the dependencies of the Doc forbid."""
    doc = Doc(
        spacy.blank("en").vocab,
        words=["A", "man", "with", "a", "dog", "saw", "the", "room", "."],
        tags=["X"] * 9,
        heads=[1, 5, 4, 4, 1, 5, 7, 5, 5],
        deps=["det", "nsubj", "case", "det", "nmod", "ROOT", "det", "obj", "punct"],
    )
    path = tmp_path / "dependencies.spacy"
    DocBin(["TAG", "HEAD", "DEP"], docs=[doc]).to_disk(path)
    options = ("--dependencies", "--beam-width", 8)
    [found] = make(*options, source=path, models=models[:1] * 2).docs
    [tree] = get_trees(found)
    extents = {(node.start, node.end) for node in tree.constituents}
    assert {(0, 5), (2, 5), (6, 8)} <= extents
    assert set(tree.tags) == {"X"}
    # A parser of these Docs is free again.
    assert set(found.spans) == {SPANS_KEY}


def test_sentences_below_the_least_probability_are_left_out(make):
    every = make()
    means = [math.exp(next(d.sents)._.log_prob / len(d)) for d in every.docs]
    least = sorted(means)[3]
    made = make("--min-probability", least)
    pairs = zip(every.texts, means, strict=True)
    assert made.texts == [text for text, mean in pairs if mean >= least]
    assert made.table == {"read": 7, "doubtful": 3, "kept": 4}


def test_no_probability_is_asked_for_unless_said(make, monkeypatch):
    """It is not known of a tree that `max_f1` did not draw."""
    name = "spacy_gfl.apps.silver.tree_probability"
    monkeypatch.setattr(name, lambda doc: math.nan)
    assert make().texts == [*TEXTS, *NEW]


@pytest.mark.parametrize("ending", ["ptb", "spacy"])
def test_sentences_of_excluded_treebanks_are_left_out(make, tmp_path, ending):
    bank = tmp_path / f"bank.{ending}"
    write_bank(bank, "(X (X SHE) (X bark-s))", BRACKETS[0], "(X (. .))")
    made = make("--exclude", bank)
    assert made.texts == [*TEXTS[1:], NEW[0], NEW[2]]
    assert made.table == {"read": 7, "excluded": 2, "kept": 5}


def write_bank(path, *brackets):
    source = path.with_suffix(".ptb")
    source.write_text("\n".join(brackets))
    if path != source:
        done("convert", source, path, "--n-sents", 0)


def test_sentences_too_short_too_long_or_over_the_limit_are_left_out(make):
    limits = ("--min-length", 4, "--max-length", 8)
    made = make(*limits, "--limit", 1)
    assert made.texts == [TEXTS[0]]
    assert made.table["kept"] == 1
    assert made.table["read"] < 7  # It stops reading.
    table = make(*limits).table
    assert table == {"read": 7, "too short": 2, "too long": 2, "kept": 3}


def test_lengths_are_those_of_gold(make, text, tmp_path):
    rng = random.Random(0)
    lengths = [rng.choice([2, 2, 2, 5, 9]) for _ in range(120)]
    text.write_text("".join("dog " * (n - 1) + ".\n" for n in lengths))
    gold = tmp_path / "gold.ptb"
    wanted = [2] * 20 + [5] * 5 + [9] * 75
    gold.write_text("".join(f"(X {'(N dog)' * n})\n" for n in wanted))
    made = make("--match-lengths", gold)
    found = Counter(map(len, made.docs))
    rate = lengths.count(9) / 75
    assert found == {n: round(rate * wanted.count(n)) for n in (2, 5, 9)}
    assert made.table["of no matching length"] == 120 - found.total()


def test_an_interrupted_run_goes_on_where_it_stopped(
    make, models, text, tmp_path, monkeypatch
):
    expected = make(out=tmp_path / "whole.spacy").texts
    out = tmp_path / "out.spacy"
    calls = []

    def fail_in_third(self, docs, progress):
        calls.append(len(docs))
        if len(calls) == 3:
            raise KeyboardInterrupt
        return call(self, docs, progress)

    call = SilverMaker.__call__
    monkeypatch.setattr(SilverMaker, "__call__", fail_in_third)
    result = silver(text, out, models[:1])
    assert result.exit_code != 0
    assert "goes on" in result.stderr
    assert not out.exists()
    assert not list(tmp_path.rglob("*.part"))
    # Other settings would make other trees.
    result = silver(text, out, models[:1], "--min-probability", 0.1)
    assert (result.exit_code, "min_probability" in result.stderr) == (1, True)
    assert len(calls) == 3
    assert make().texts == expected
    # Of the three shards only the last was left.
    assert len(calls) == 4
    assert not (tmp_path / "out.spacy.parts").exists()


@pytest.mark.parametrize("change", ["text", "model", "bank"])
def test_an_interrupted_run_is_refused_if_its_input_has_changed(
    models, text, tmp_path, monkeypatch, change
):
    model, bank, out = tmp_path / "model", tmp_path / "bank.ptb", tmp_path / "out.spacy"
    shutil.copytree(models[0], model)
    bank.write_text(BRACKETS[0])
    interrupt = Mock(side_effect=KeyboardInterrupt)
    with monkeypatch.context() as patch:
        patch.setattr(shards_module.ShardFolder, "join", interrupt)
        assert silver(text, out, [model], "--exclude", bank).exit_code != 0
    if change == "text":
        text.write_text(TEXTS[1])
    elif change == "model":
        shutil.copytree(models[1], model, dirs_exist_ok=True)
    else:
        bank.write_text(BRACKETS[1])
    named = {"text": text, "model": model, "bank": bank}[change]
    result = silver(text, out, [model], "--exclude", bank)
    assert result.exit_code == 1
    assert f"other settings or files ({named})" in result.stderr
    assert not out.exists()


def test_packages_are_known_by_content(tmp_path, monkeypatch):
    package = tmp_path / "some_pipeline"
    package.mkdir()
    (package / "__init__.py").write_text("A = 1\n")
    known = shards_module.fingerprint(package)
    assert shards_module.fingerprint(tmp_path) != known
    monkeypatch.setattr(shards_module, "is_package", lambda name: True)
    monkeypatch.setattr(shards_module, "get_package_path", lambda name: package)
    (package / "__pycache__").mkdir()
    (package / "__pycache__" / "a.pyc").touch()
    assert shards_module.fingerprint("some_pipeline") == known
    (package / "__init__.py").write_text("A = 2\n")
    assert shards_module.fingerprint("some_pipeline") != known


def test_a_package_goes_before_a_folder_of_its_name_as_in_spacy(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("spacy", "mine"):
        (tmp_path / name).mkdir()
    assert whole_name("spacy") == "spacy"
    assert whole_name("mine") == str(tmp_path / "mine")


def test_an_output_without_an_ending_is_a_folder_of_files(make, tmp_path):
    out = tmp_path / "shards"
    assert make(out=out).texts == [*TEXTS, *NEW]
    assert len(list(out.iterdir())) == 3
    # Where no sentence of a part is kept there is none.
    assert make("--max-length", 2, out=out.with_name("few")).texts == [TEXTS[2]]
    assert len(list(out.with_name("few").iterdir())) == 1


def test_text_without_sentences_gives_no_trees(make, text):
    text.write_text("\n \n")
    made = make()
    assert (made.docs, made.table) == ([], {"kept": 0})


def test_treebanks_keep_words_and_sentences(make, tmp_path):
    write_bank(tmp_path / "bank.spacy", *BRACKETS)
    made = make(source=tmp_path / "bank.spacy")
    assert [get_trees(doc) for doc in made.docs] == [[parse_tree(t)] for t in BRACKETS]


def test_sentences_are_found_where_there_are_none(make, text):
    """Some Docs of a batch have boundaries, others do not; white space goes."""
    paragraphs = [f"{TEXTS[0]}\n{TEXTS[1]}  {TEXTS[3]}", *NEW * 3]
    text.write_text("\n\n".join(paragraphs))
    made = make("--input-format", "text")
    assert made.texts == [TEXTS[0], TEXTS[1], TEXTS[3], *NEW * 3]
    assert not any(token.text.isspace() for doc in made.docs for token in doc)


def test_sentences_are_found_by_the_pipeline_that_is_named(make, text, tmp_path):
    text.write_text("She barks; who left?")
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer", config={"punct_chars": [";"]})
    nlp.to_disk(tmp_path / "splitter")
    assert make("--input-format", "text").texts == ["She barks; who left?"]
    by_name = make("--input-format", "text", "--sentences", tmp_path / "splitter")
    assert by_name.texts == ["She barks;", "who left?"]


def test_sentences_found_by_rule_are_told_from_learned_ones():
    by_rule, learnt = make_pipeline(), spacy.blank("en")
    learnt.add_pipe("senter")
    assert not has_learnt_sentences(by_rule)
    assert has_learnt_sentences(learnt)
    assert not has_learnt_sentences(spacy.blank("en"))
