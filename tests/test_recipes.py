"""The recipes in configs/, and spaCy's own commands on them and on the component."""

import itertools
import runpy
import shlex

import pytest
import spacy
import srsly
from helpers.reading import ROOT
from spacy import util
from spacy.cli._util import app, parse_config_overrides
from spacy.cli.init_config import fill_config, init_config
from spacy.cli.train import train
from spacy.vocab import Vocab
from typer.testing import CliRunner

from spacy_gfl.data.corpus import TreebankCorpus
from spacy_gfl.formats import docbin

NAME = "constituency_parser"
CONFIGS = ROOT / "configs"
#: Those of silver trees and of people's trees need a trained parser.
RECIPES = sorted({path.stem for path in CONFIGS.glob("*.cfg")} - {"silver", "people"})
#: Sizes with which a recipe is soon tried.
MODEL = f"components.{NAME}.model"
SMALL = {f"{MODEL}.width": 8, f"{MODEL}.depth": 1}


@pytest.mark.parametrize("recipe", RECIPES)
def test_recipes_are_stored_filled(recipe, tmp_path):
    if recipe == "trf":
        pytest.importorskip("spacy_transformers", reason="spacy-gfl[transformers]")
    path = CONFIGS / f"{recipe}.cfg"
    _, filled = fill_config(tmp_path / "filled.cfg", path, silent=True)
    assert filled == util.load_config(path)
    is_parser = NAME in filled["nlp"]["pipeline"]
    assert filled["training"]["score_weights"].get("con_f") == (
        1.0 if is_parser else None
    )


#: One of each decoder; spaCy's own corpora and components need no test of ours.
@pytest.mark.parametrize("recipe", ["gfl", "sm"])
@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("config --show-functions", "Config is valid|spacy_gfl.TreebankCorpus.v1"),
        ("data", "Pipeline can be initialized with data|Corpus is loadable"),
        (
            f"model {NAME} -P3",
            "Initialized the model with the training corpus|looks good|log_prob",
        ),
    ],
)
def test_debug_commands_find_a_recipe_whole(recipe, data, command, says):
    command, *arguments = command.split()
    settings = {f"paths.{part}": data / f"{part}.ptb" for part in ("train", "dev")}
    for name, value in (SMALL | settings).items():
        arguments += [f"--{name}", str(value)]
    config = str(CONFIGS / f"{recipe}.cfg")
    done = CliRunner().invoke(app, ["debug", command, config, *arguments])
    assert done.exit_code == 0, f"{done.output}\n{done.exception!r}"
    assert all(text in done.output for text in says.split("|")), done.output


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
    settings = few_steps(data / "train.ptb", data / "dev.ptb", 20)
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


def trainings():
    """The config and settings of every `spacy train` in project.yml, by its output."""
    project = srsly.read_yaml(ROOT / "project.yml")
    text = srsly.yaml_dumps([command["script"] for command in project["commands"]])
    for name, value in project["vars"].items():
        text = text.replace(f"${{vars.{name}}}", str(value))
    for line in itertools.chain.from_iterable(srsly.yaml_loads(text)):
        command, _, settings = line.partition(" --output ")
        if command.startswith("python -m spacy train configs/"):
            output, *settings = shlex.split(settings)
            yield output, command.split()[-1], parse_config_overrides(settings)


@pytest.mark.parametrize(("output", "config", "settings"), list(trainings()))
def test_a_training_of_the_project_is_as_long_as_its_schedule(output, config, settings):
    config = util.load_config(ROOT / config, overrides=settings, interpolate=True)
    corpora = util.registry.resolve(config["corpora"])
    assert set(corpora) == {"train", "dev"}
    training = config["training"]
    rate = training["optimizer"]["learn_rate"]
    if isinstance(rate, dict) and "total_steps" in rate:
        assert rate["total_steps"] >= training["max_steps"]


def test_what_ships_learns_from_several_corpora_at_once(data, tmp_path):
    trees = data / "dev.ptb"
    settings = few_steps(trees, trees, 4) | SMALL | {"paths.train": None}
    [shipped] = [found for name, _, found in trainings() if name.endswith("en_gfl_sm")]
    for name, value in shipped.items():
        if name.startswith("corpora.train.paths."):
            settings[name] = str(trees)
        elif name.startswith("corpora.") or name == "training.max_epochs":
            settings[name] = value
    train(CONFIGS / "sm.cfg", tmp_path, overrides=settings)
    nlp = spacy.load(tmp_path / "model-last")
    assert len(nlp("The dog barks. So it does.")._.parse_strings) == 2


def test_a_trained_parser_goes_on_with_silver_trees(first, treebank, data, tmp_path):
    settings = few_steps(data / "train.ptb", data / "dev.ptb")
    gold, silver = settings.pop("paths.train"), str(treebank)
    settings |= {"paths.parser": str(first), "paths.gold": gold, "paths.silver": silver}
    train(CONFIGS / "silver.cfg", tmp_path, overrides=settings)
    paths = (first, tmp_path / "model-last")
    before, after = (spacy.load(path).get_pipe(NAME) for path in paths)
    assert after.label_data == before.label_data
    assert after.model.to_bytes() != before.model.to_bytes()


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


@pytest.fixture
def script():
    """The script scripts/train.py, and what it trains with."""
    script = runpy.run_path(str(ROOT / "scripts" / "train.py"))
    found = []

    def train(config, output, *, use_gpu, overrides):
        util.load_config(config, overrides=overrides, interpolate=True)
        found.append((config.stem, overrides))

    script["main"].__globals__["train"] = train
    return script, found


def test_training_starts_from_the_shipped_parser_unless_told_not_to(
    script, data, tmp_path
):
    script, found = script
    for part in ("train", "dev"):
        docs = TreebankCorpus(data / f"{part}.ptb").docs(Vocab())
        docbin.write(tmp_path / f"{part}.spacy", docs)
    for options in ({}, {"start": "null"}, {"lang": "de"}, {"vectors": "v"}):
        script["main"]("sm", tmp_path, tmp_path / "out", **options)
    script["main"]("test", tmp_path, tmp_path / "out")
    assert [config for config, _ in found] == ["silver", "sm", "sm", "sm", "test"]
    going_on, anew, *_, test = (overrides for _, overrides in found)
    assert going_on["paths.parser"] == "en_gfl_sm"
    assert going_on["corpora.train.path"] == anew["paths.train"]
    for overrides in (going_on, anew):
        assert overrides["training.max_steps"] == 300
        assert overrides["training.eval_frequency"] == 30
        assert overrides["training.optimizer.learn_rate.total_steps"] == 300
        assert overrides["training.optimizer.learn_rate.warmup_steps"] == 30
    assert "training.max_steps" not in test


@pytest.mark.parametrize(
    ("n_words", "n_steps"),
    [(6_000, 300), (40_000, 2_000), (319_000, 15_950), (320_000, None)],
)
def test_steps_of_training_follow_the_number_of_words(script, n_words, n_steps):
    training = util.load_config(CONFIGS / "sm.cfg")["training"]
    found = script[0]["steps"](training, n_words)
    assert found.get("training.max_steps") == n_steps
    assert found.get("training.eval_frequency", 800) <= 800
