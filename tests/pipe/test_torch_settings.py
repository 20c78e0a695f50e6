"""What a program has set in PyTorch for its own sake changes no tree."""

import contextlib

import pytest
import torch
from helpers.pipelines import (
    ARCHITECTURES,
    get_parser,
    initialized,
    make_examples,
    make_pipeline,
)
from spacy.util import fix_random_seed

pytestmark = pytest.mark.usefixtures("seeded")


@contextlib.contextmanager
def deterministic():
    """Memory that nobody has filled has NaN, too."""
    torch.use_deterministic_algorithms(True)
    try:
        yield
    finally:
        torch.use_deterministic_algorithms(False)


SETTINGS = {
    "inference_mode": torch.inference_mode,
    "deterministic": deterministic,
}
every_setting = pytest.mark.parametrize("setting", SETTINGS)
every_architecture = pytest.mark.parametrize("architecture", ARCHITECTURES)
SEARCHES = [{}, {"beam_width": 3}, {"probabilities": True, "n_samples": 3}]


def parsed(nlp):
    """Docs as bytes: one sentence, and many, for each way to search."""
    found, search = [], get_parser(nlp).search
    for settings in SEARCHES:
        for name, value in settings.items():
            setattr(search, name, value)
        docs = [example.predicted.copy() for example in make_examples(nlp)]
        [first, *_], many = docs, [doc.copy() for doc in docs for _ in range(3)]
        for doc in [nlp(first), *nlp.pipe(many)]:
            group = doc.spans["constituents"]
            group.attrs.pop("log_probs", None)
            found.append(group.to_bytes())
    return found


def learnt(nlp):
    """A parser after two updates."""
    fix_random_seed(0)
    optimizer = nlp.resume_training()
    for _ in range(2):
        losses = nlp.update(make_examples(nlp), sgd=optimizer)
    assert losses["constituency_parser"] > 0
    return get_parser(nlp).to_bytes()


@every_setting
@every_architecture
def test_what_is_parsed_is_the_same(architecture, setting):
    nlp = initialized(architecture=architecture)
    data = get_parser(nlp).to_bytes()
    expected = parsed(nlp)
    loaded = make_pipeline(architecture=architecture)
    get_parser(loaded).from_bytes(data)
    with SETTINGS[setting]():
        assert parsed(loaded) == expected
        assert get_parser(loaded).to_bytes() == get_parser(loaded).to_bytes()
    # It can learn after it.
    assert learnt(loaded) == learnt(nlp)


@every_architecture
def test_what_is_learnt_is_the_same(architecture):
    expected = learnt(initialized(architecture=architecture))
    with deterministic():
        found = learnt(initialized(architecture=architecture))
    assert found == expected
