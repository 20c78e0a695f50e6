"""Damaged files are read as what they are, or refused with a sentence that names them.

All damages of trees and weights: `pytest -m slow tests/test_damage.py`.
"""

import re

import numpy
import pytest
import spacy
import srsly
from helpers.cli import done, refusal, run
from helpers.damage import changed_file, damages
from helpers.pipelines import (
    LEARNT,
    NAME,
    features,
    get_parser,
    hash_embed,
    make_examples,
    make_pipeline,
    parse,
    table,
    trained,
)
from spacy.vectors import Vectors

from spacy_gfl.embedding.static_vectors import KeptVectors

BANK = "(S (NP (DT The) (NN dog)) (VP (VBZ barks)) (. .))\n(INTJ (UH Yes))\n"


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A saved pipeline; who damages a file of it, mends it."""
    folder = tmp_path_factory.mktemp("saved")
    trained().to_disk(folder)
    return folder


@pytest.mark.parametrize(
    ("name", "step"),
    [
        ("bank.ptb", 2),
        ("bank.spacy", 9),
        pytest.param("bank.ptb", 1, marks=pytest.mark.slow),
        pytest.param("bank.spacy", 1, marks=pytest.mark.slow),
    ],
)
def test_damaged_trees_are_read_or_refused(tmp_path, name, step):
    """The file that was to be written is left as it was."""
    path, out = tmp_path / name, tmp_path / "out.ptb"
    (tmp_path / "bank.ptb").write_text(BANK)
    done("convert", tmp_path / "bank.ptb", tmp_path / "bank.spacy")
    n_refused = 0
    for content in damages(path.read_bytes(), step):
        path.write_bytes(content)
        out.write_text("kept")
        result = run("convert", path, out, "--force")
        if result.exit_code:
            sentence = refusal(result)
            assert name in result.stderr or "The input has no trees" in sentence
            assert out.read_text() == "kept"
            n_refused += 1
        else:
            done("convert", out, tmp_path / "again.spacy", "--force")
    assert n_refused > 30
    assert not list(tmp_path.glob(".*"))


@pytest.mark.parametrize(
    "name",
    [
        *["config.cfg", "meta.json", "tokenizer", "vocab/strings.json"],
        *["vocab/vectors", f"{NAME}/cfg", f"{NAME}/model"],
    ],
)
def test_damaged_pipelines_are_refused(saved, tmp_path, name):
    """Where files of the parser are not whole, the sentence says what to do."""
    path, out = saved / name, tmp_path / "out.ptb"
    out.write_text("kept")
    data = path.read_bytes()
    ours = path.parent.name == NAME
    for content in (b"", data[: len(data) // 2], *([None, data[:-1]] if ours else [])):
        with changed_file(path, content):
            result = run("parse", "Go on.", "--model", saved, "--output", out)
        sentence = refusal(result)
        assert str(saved) in sentence
        if ours:
            assert re.search(
                f"{NAME} does not have a complete .* another copy", sentence
            )
        assert out.read_text() == "kept"


@pytest.mark.parametrize("number", [15, pytest.param(1000, marks=pytest.mark.slow)])
def test_damaged_weights_are_refused_or_give_the_same_trees(saved, number):
    """All but some two thousand bytes of settings, thinc's, have a checksum."""
    nlp, path = trained(), saved / NAME / "model"
    data = path.read_bytes()
    n_refused = n_unseen = 0
    for content in damages(data, len(data) // number):
        with changed_file(path, content):
            try:
                get_parser(nlp).from_disk(path.parent, exclude=["vocab"])
                n_unseen += parse(nlp) != LEARNT
            except ValueError:
                n_refused += 1
    assert n_refused > 1.9 * number
    assert n_unseen <= number // 500


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tok2vec": table()}, r"'nO' .* from 24 to 136"),
        ({"tok2vec": hash_embed()}, "mismatched structure"),
    ],
)
def test_a_config_of_another_model_is_refused(saved, change, message):
    overrides = {f"components.{NAME}.model.{name}": x for name, x in change.items()}
    with pytest.raises(
        ValueError,
        match=rf"config\.cfg of the pipeline belongs to another one.*{message}",
    ):
        spacy.load(saved, config=overrides)


LATER = "later spacy_gfl .* version 2.*Update"
MISFIT = "labels and tags in cfg do not belong to the network"


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda data: data.update(version=2), LATER),
        (lambda data: data.update(kind="new"), 'of the kind "new"'),
        (lambda data: data.pop("tags"), MISFIT),
        (lambda data: data["tags"].pop(0), MISFIT),
        (lambda data: data["tags"].reverse(), MISFIT),
        (lambda data: data["chains"].reverse(), MISFIT),
        (lambda data: data["chains"].pop(), MISFIT),
    ],
)
def test_vocabularies_that_are_later_or_not_the_networks_are_refused(
    saved, edit, message
):
    path = saved / NAME / "cfg"
    cfg = srsly.json_loads(path.read_text())
    edit(cfg["vocabulary"])
    content = srsly.json_dumps(cfg).encode()
    with changed_file(path, content), pytest.raises(ValueError, match=message):
        spacy.load(saved)
    parser = get_parser(spacy.load(saved))
    edit(parser.cfg["vocabulary"])
    with pytest.raises(ValueError, match=message):
        get_parser(spacy.load(saved)).from_bytes(parser.to_bytes())


def test_vectors_that_a_parser_keeps_are_refused_if_rows_are_missing(tmp_path):
    values = numpy.array([[0.125, 1.5, 0.25], [-0.75, 2.5, 0.5]], dtype="f")
    nlp = make_pipeline(features(include_static_vectors=True))
    nlp.vocab.vectors = Vectors(
        data=values, keys=["dog", "a"], strings=nlp.vocab.strings
    )
    nlp.initialize(lambda: make_examples(nlp))
    get_parser(nlp).keep_static_vectors()
    nlp.to_disk(tmp_path)
    path = tmp_path / NAME / "model"
    rows = KeptVectors.of(nlp.vocab.vectors).rows
    data, kept = path.read_bytes(), srsly.msgpack_dumps(rows)
    assert data.count(kept) == 1
    other = srsly.msgpack_dumps(rows + 1)
    with (
        changed_file(path, data.replace(kept, other)),
        pytest.raises(ValueError, match="static vectors is damaged"),
    ):
        spacy.load(tmp_path)
