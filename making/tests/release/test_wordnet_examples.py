"""wordnet_examples.py: WordNet's examples as text."""

import runpy
import tarfile

import pytest
import typer
from helpers.reading import ROOT
from helpers.shipped import needs

SCRIPT = runpy.run_path(str(ROOT / "making" / "release" / "wordnet_examples.py"))
GLOSSES = {
    "verb": 'make a sound; "the dog barked at us"; "they  barked"; "We left at once"',
    "noun": 'an animal; "a dog with long ears;"; "The dog barked at us."',
    "adj": "not long",
    "adv": 'soon; "will he come back soon?"',
}
OTHERS = ["We left at once.", "a dog with long ears", "will he come back soon?"]


@pytest.fixture
def archive(tmp_path):
    """A WordNet of four senses."""
    for part, gloss in GLOSSES.items():
        text = f"  1 A licence.\n00001740 29 v 01 word 0 000 | {gloss}  \n"
        (tmp_path / f"data.{part}").write_text(text, encoding="utf8")
    path = tmp_path / "wordnet.tar.gz"
    with tarfile.open(path, "w:gz") as files:
        for part in GLOSSES:
            name = f"data.{part}"
            files.add(tmp_path / name, f"WordNet-3.0/dict/{name}")
    return path


def test_examples_of_four_words_and_more_are_found_once(archive):
    assert SCRIPT["examples"](archive) == ["the dog barked at us", *OTHERS]


@needs("en_gfl_sm")
def test_sentences_get_a_capital_and_a_full_stop(archive, tmp_path):
    out = tmp_path / "new" / "examples.txt"
    SCRIPT["main"](archive, out, "en_gfl_sm")
    lines = out.read_text(encoding="utf8").splitlines()
    assert lines == ["The dog barked at us.", *OTHERS]


@pytest.mark.parametrize("content", [None, b"no archive"])
def test_what_is_no_archive_is_named(content, tmp_path):
    path = tmp_path / "wordnet.tar.gz"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(typer.BadParameter, match=r"wordnet\.tar\.gz is no .tar.gz"):
        SCRIPT["main"](path, tmp_path / "out.txt", "en_gfl_sm")
