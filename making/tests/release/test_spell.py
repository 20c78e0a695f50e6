"""spell.py: a parser that predicts words learns to spell, and nothing else changes."""

import runpy
import sys

import numpy
import spacy
import torch
from helpers.pipelines import GENERATIVE, get_module, trained
from helpers.reading import ROOT

from spacy_gfl import get_parser

SCRIPT = ROOT / "making" / "release" / "spell.py"
TEXT = "The zebra barks. Zebras bark. The dog sat on a zebra.\n\nZebras barked.\n"


def surprisal_of(nlp, text):
    parser = get_parser(nlp)
    parser.search.per_word, parser.search.precision = True, "fp32"
    return nlp(text)._.surprisal


def test_a_pipeline_learns_to_spell(tmp_path, monkeypatch, capsys):
    without = trained(architecture=GENERATIVE, spelling_width=0)
    without.to_disk(tmp_path / "without")
    path = tmp_path / "text.txt"
    path.write_text(TEXT, encoding="utf-8")
    arguments = ["without", "with", "text.txt", "--dev", "text.txt"]
    settings = ["--width", "8", "--epochs", "150"]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["spell.py", *arguments, *settings])
    runpy.run_path(str(SCRIPT), run_name="__main__")
    printed = capsys.readouterr().out
    # Untrained, each of some five bytes and the end takes 8 bits.
    assert float(printed.split()[-4]) < 15, printed
    again = spacy.load(tmp_path / "with")
    weights = get_module(again).state_dict()
    for name, weight in get_module(without).state_dict().items():
        assert torch.equal(weights[name], weight), name
    before, after = (surprisal_of(nlp, "The zebra barks.") for nlp in (without, again))
    assert (after - before).min() > 0.5
    unlike = surprisal_of(again, "The qqzzq barks.")
    assert unlike[1] > after[1] + 10
    assert numpy.isfinite(unlike).all()
