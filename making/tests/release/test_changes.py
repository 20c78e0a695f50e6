"""What a release changes of the recipes in configs/."""

import re
import runpy

import pytest
import srsly
from helpers.reading import ROOT
from spacy import util

RELEASE, CONFIGS = ROOT / "making" / "release", ROOT / "configs"


@pytest.fixture(scope="module")
def script():
    """scripts/train.py."""
    return runpy.run_path(str(ROOT / "scripts" / "train.py"))


def trainings():
    """Each recipe and what changes of it, by the output of its training."""
    project = srsly.read_yaml(RELEASE / "project.yml")
    for command in project["commands"]:
        for line in command["script"]:
            if match := re.search(r"configs/(\w+)\.cfg .*?--changes (\S+\.cfg)", line):
                output = re.search(r"--output training/(\S+)", line)[1]
                yield pytest.param(*match.groups(), id=output)


@pytest.mark.parametrize(("recipe", "changes"), list(trainings()))
def test_what_a_release_changes_of_a_recipe_fits_it(script, recipe, changes):
    overrides = script["read_changes"](RELEASE / changes)
    config = util.load_config(CONFIGS / f"{recipe}.cfg", overrides=overrides)
    config = config.interpolate()
    corpora = util.registry.resolve(config["corpora"])
    assert set(corpora) == {"train", "dev"}
    training = config["training"]
    rate = training["optimizer"]["learn_rate"]
    assert rate["total_steps"] >= training["max_steps"]
    assert all(
        str(name) in config["corpora"]["train"]["paths"]
        for name in config["corpora"]["train"]["weights"]
    )
