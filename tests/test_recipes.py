"""The recipes in configs/, and spaCy's own commands on them and on the component."""

import re
import runpy

import pytest
import spacy
import srsly
import torch
from helpers.reading import ROOT
from spacy import util
from spacy.cli.init_config import fill_config, init_config
from spacy.cli.train import train
from spacy.tokens import Span
from spacy.training.initialize import init_nlp
from spacy.util import compile_infix_regex
from spacy.vocab import Vocab

from spacy_gfl.data.corpus import TreebankCorpus
from spacy_gfl.tools.training.checkpoint import (
    read_checkpoint,
    resume,
    write_checkpoint,
)
from spacy_gfl.tools.training.config_paths import check_paths
from spacy_gfl.tools.treebanks.formats import docbin

NAME = "constituency_parser"
CONFIGS = ROOT / "configs"
#: What goes on needs a trained parser.
RECIPES = sorted({path.stem for path in CONFIGS.glob("*.cfg")} - {"continue"})
#: Sizes with which a recipe is soon tried.
MODEL = f"components.{NAME}.model"
SMALL = {f"{MODEL}.width": 8, f"{MODEL}.depth": 1}


@pytest.mark.parametrize("recipe", RECIPES)
def test_recipes_are_stored_filled(recipe, tmp_path):
    path = CONFIGS / f"{recipe}.cfg"
    _, filled = fill_config(tmp_path / "filled.cfg", path, silent=True)
    assert filled == util.load_config(path)
    is_parser = NAME in filled["nlp"]["pipeline"]
    assert filled["training"]["score_weights"].get("con_f") == (
        1.0 if is_parser else None
    )


@pytest.fixture
def treebank(data, tmp_path):
    """A small treebank as spaCy reads it."""
    corpus = TreebankCorpus(data / "dev.ptb", limit=5, n_sents=2)
    docbin.write(tmp_path / "trees.spacy", corpus.docs(Vocab()))
    return tmp_path / "trees.spacy"


def few_steps(train, dev, number=2):
    """Settings that train for a short time and evaluate once."""
    settings = {"paths.train": str(train), "paths.dev": str(dev)}
    return settings | dict.fromkeys(
        ["training.max_steps", "training.eval_frequency"], number
    )


@pytest.fixture(scope="module")
def first(data, tmp_path_factory):
    """A pipeline of the recipe for tests."""
    folder = tmp_path_factory.mktemp("first")
    settings = few_steps(data / "train.ptb", data / "dev.ptb", 8)
    train(CONFIGS / "test.cfg", folder, overrides=settings)
    return folder / "model-last"


def test_a_config_of_init_config_trains(treebank, tmp_path):
    config = init_config(pipeline=["sentencizer", NAME], silent=True)
    config.to_disk(tmp_path / "config.cfg")
    settings = few_steps(treebank, treebank) | SMALL
    train(tmp_path / "config.cfg", tmp_path / "model", overrides=settings)
    nlp = spacy.load(tmp_path / "model" / "model-last")
    assert nlp.meta["performance"]["con_f"] is not None
    assert len(nlp("The dog barks. So it does.")._.parse_strings) == 2


def test_a_pipeline_without_sentences_is_told_so_before_it_trains(
    treebank, tmp_path, capsys
):
    config = init_config(pipeline=[NAME], silent=True)
    config.to_disk(tmp_path / "config.cfg")
    with pytest.raises(SystemExit):
        train(tmp_path / "config.cfg", overrides=few_steps(treebank, treebank))
    assert "init config -p sentencizer,constituency_parser" in capsys.readouterr().out


def test_what_training_prints_is_what_the_models_trees_are_worth(first, data):
    nlp = spacy.load(first)
    printed = srsly.read_json(first / "meta.json")["performance"]
    alone = list(TreebankCorpus(data / "dev.ptb", gold_sents=True)(nlp))
    assert nlp.evaluate(alone)["con_f"] == pytest.approx(printed["con_f"], abs=1e-9)


@pytest.fixture(scope="module")
def script():
    """scripts/train.py."""
    return runpy.run_path(str(ROOT / "scripts" / "train.py"))


@pytest.fixture
def corpus(data, tmp_path):
    """A folder of .spacy files, as scripts/convert.py makes it of a treebank."""
    for part in ("train", "dev"):
        docs = TreebankCorpus(data / f"{part}.ptb", n_sents=4, limit=9).docs(Vocab())
        docbin.write(tmp_path / f"{part}.spacy", docs)
    return tmp_path


def test_training_goes_on_with_all_of_a_pipeline(script, first, corpus, tmp_path):
    last = spacy.load(first)
    infixes = compile_infix_regex([r"\+"])
    last.tokenizer.infix_finditer = infixes.finditer
    last.to_disk(tmp_path / "start")
    recipe, output = CONFIGS / "continue.cfg", tmp_path / "out"
    settings = ["training.dropout=0.2", "training.eval_frequency=10"]
    options = {"start": str(tmp_path / "start"), "steps": 10}
    script["main"](recipe, output, settings, corpus=corpus, **options)
    nlp = spacy.load(output / "model-last")
    assert nlp.pipe_names == last.pipe_names
    norms = [[t.norm_ for t in one.make_doc("I ca n't sit")] for one in (nlp, last)]
    assert norms[0] == norms[1]
    assert [token.text for token in nlp("one+two")] == ["one", "+", "two"]
    assert nlp.get_pipe(NAME).label_data == last.get_pipe(NAME).label_data
    assert nlp.get_pipe(NAME).model.to_bytes() != last.get_pipe(NAME).model.to_bytes()
    assert nlp.config["training"]["dropout"] == 0.2
    assert nlp.config["training"]["max_steps"] == 10


def test_a_training_that_was_cut_off_goes_on(script, corpus, tmp_path):
    last_step, seen = 13, []

    @util.registry.callbacks("cut_off.v1")
    def create():
        def cut_off(nlp, progress):
            nodes = nlp.get_pipe(NAME).model.walk()
            n_steps = max(shim.n_steps for node in nodes for shim in node.shims)
            seen.append((progress["step"], n_steps))
            if progress["step"] == last_step:
                raise KeyboardInterrupt

        return cut_off

    recipe, output = CONFIGS / "test.cfg", tmp_path / "out"
    rate = {"@schedules": "spacy_gfl.warmup_linear.v1", "initial_rate": 0.01}
    rate |= {"warmup_steps": 4, "total_steps": 20}
    logger = {"@loggers": "spacy.ConsoleLogger.v3", "output_file": f"{output}.jsonl"}
    settings = [
        'training.before_update={"@callbacks":"cut_off.v1"}',
        f"training.optimizer.learn_rate={srsly.json_dumps(rate)}",
        f"training.logger={srsly.json_dumps(logger)}",
    ]
    options = {"corpus": corpus, "output": output, "steps": 20}
    with pytest.raises(KeyboardInterrupt):
        script["main"](recipe, further=settings, **options)
    # Every tenth of the updates is an evaluation.
    state = read_checkpoint(output / "checkpoint.pt")
    assert state["progress"]["step"] == 12
    nlp = init_nlp(util.load_config(output / "model-last" / "config.cfg"))
    config = nlp.config.interpolate()["training"]
    optimizer = util.registry.resolve({"made": config["optimizer"]})["made"]
    resume(state, nlp, optimizer)
    write_checkpoint(tmp_path / "again.pt", nlp, optimizer)
    again = read_checkpoint(tmp_path / "again.pt")
    best = state.pop("progress")["best"]
    again.pop("progress")
    torch.testing.assert_close(again, state, rtol=0, atol=0)
    last_step = None
    seen.clear()
    (tmp_path / "out.jsonl").unlink()
    script["main"](recipe, further=settings, **options)
    assert seen == [(i, 13 + i) for i in range(9)]
    shown = list(srsly.read_jsonl(f"{output}.jsonl"))
    assert [row["step"] for row in shown] == [12, 14, 16, 18, 20]
    kept = spacy.load(output / "model-best").meta["performance"]["con_f"]
    scores = [best, *(row["score"] for row in shown)]
    assert kept == pytest.approx(max(scores), abs=1e-9)
    assert not (output / "checkpoint.pt").exists()


def test_a_start_that_lacks_frequent_labels_is_refused(script, first, corpus):
    nlp = spacy.load(first)
    docs = list(docbin.read(corpus / "train.spacy", nlp.vocab))
    script["refuse_unknown_labels"](nlp, "start", docs)
    for doc in docs:
        doc.spans["constituents"] = [
            Span(doc, span.start, span.end, span.label_.replace("VP", "VG"))
            for span in doc.spans["constituents"]
        ]
    with pytest.raises(SystemExit, match=r"VG \(\d+\).*--vars.config sm"):
        script["refuse_unknown_labels"](nlp, "start", docs)


@pytest.mark.parametrize(
    ("recipe", "start"), [("sm", "en_gfl_sm"), ("continue", "null")]
)
def test_a_start_is_for_the_recipe_that_goes_on(script, recipe, start, tmp_path):
    advice = "--vars.config continue --vars.start en_gfl_sm"
    with pytest.raises(SystemExit, match=advice):
        script["main"](CONFIGS / f"{recipe}.cfg", tmp_path / "out", start=start)


@pytest.mark.parametrize(
    ("recipe", "settings", "said"),
    [
        ("absent", [], r"Error: \[E053\].*absent.cfg"),
        ("test", [], r"Error: \[corpora.train\] has no path of a treebank."),
        ("test", ["paths.train=a.ptb"], "Error: .*no treebank at a.ptb .*train"),
        ("functions", ["paths.train=a.ptb"], "Error: .*no treebank at a.ptb .*train"),
        ("test", ["paths.dev=b.ptb"], "Error: .*no treebank at b.ptb .*dev"),
        ("test", ["paths.dev=null"], r"Error: \[corpora.dev\] has no path"),
        (
            "test",
            ["corpora.train.path=null", "corpora.train.paths.mine=c.ptb"],
            "Error: .*no treebank at c.ptb .*train",
        ),
        ("test", ["paths.labels=gone.json"], "Error: .*no file of labels at gone.json"),
        ("test", ["paths.vectors=none"], "Error: .*vectors could not be found"),
        ("test", ["training.dropout=x"], "Error: dropout Input should be a valid"),
    ],
)
def test_what_a_training_lacks_is_said_in_one_line_before_it_begins(
    script, recipe, settings, said, data, tmp_path, capsys
):
    there = ["paths.train", "paths.dev"] if settings else []
    given = [f"{name}={data / 'dev.ptb'}" for name in there]
    with pytest.raises(SystemExit) as ended:
        script["main"](CONFIGS / f"{recipe}.cfg", tmp_path / "out", given + settings)
    assert ended.value.code == 1
    printed = capsys.readouterr()
    assert re.fullmatch(f"{said}.*\n", printed.err)
    assert "LOSS" not in printed.out


def test_folders_without_a_part_and_pipelines_that_are_not_there_are_named(
    script, corpus, tmp_path, capsys
):
    main = script["main"]
    for part in ("dev", "train"):
        (corpus / f"{part}.spacy").unlink()
        with pytest.raises(SystemExit):
            main(CONFIGS / "test.cfg", tmp_path / "out", corpus=corpus)
        assert f"{part}.spacy" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(CONFIGS / "continue.cfg", tmp_path / "out", start="nowhere")
    assert "There is no pipeline nowhere" in capsys.readouterr().err


def test_a_recipe_may_leave_out_what_has_a_default(script, corpus, tmp_path):
    config = util.load_config(CONFIGS / "test.cfg")
    for name in ("max_steps", "eval_frequency", "patience", "max_epochs"):
        del config["training"][name]
    config.to_disk(tmp_path / "own.cfg")
    script["main"](tmp_path / "own.cfg", tmp_path / "out", corpus=corpus, steps=2)
    nlp = spacy.load(tmp_path / "out" / "model-best")
    assert nlp.config["training"]["max_steps"] == 2
    assert nlp.config["training"]["dropout"] == config["training"]["dropout"]


def test_a_pipeline_learns_from_examples_though_its_treebanks_are_gone(treebank):
    settings = few_steps(treebank, treebank) | SMALL
    nlp = init_nlp(util.load_config(CONFIGS / "test.cfg", overrides=settings))
    for part, path in (("train", "gone.ptb"), ("dev", None)):
        nlp.config["corpora"][part]["path"] = path
    examples = list(TreebankCorpus(treebank)(nlp))
    nlp.initialize(lambda: examples)
    assert nlp.update(examples)["constituency_parser"] > 0


def test_a_weight_of_zero_asks_for_no_treebank(treebank):
    settings = few_steps(treebank, treebank)
    config = util.load_config(CONFIGS / "test.cfg", overrides=settings)
    paths = {"mine": str(treebank), "other": "gone.ptb"}
    config["corpora"]["train"] |= {"path": None, "paths": paths}
    with pytest.raises(FileNotFoundError, match="no treebank at gone"):
        check_paths(config)
    config["corpora"]["train"]["weights"] = {"other": 0}
    check_paths(config)


def test_the_rate_falls_to_zero_at_whatever_length_of_training():
    settings = {"training.max_steps": 10, "paths.train": "a", "paths.dev": "b"}
    config = util.load_config(CONFIGS / "sm.cfg", overrides=settings).interpolate()
    optimizer = util.registry.resolve({"o": config["training"]["optimizer"]})["o"]
    rates = optimizer.schedules["learn_rate"]
    # The optimizer has taken the first rate, 0.
    found = [next(rates) for _ in range(10)]
    assert found[:2] == [0.0005, 0.001]
    assert found[8:] == [pytest.approx(0.001 / 8), 0]
