"""package.py: tokenizers of languages, and the table of a model card."""

import importlib
import runpy

import pytest
import spacy
import srsly
from helpers.reading import ROOT
from spacy.cli.package import package
from spacy.lang.id import Indonesian
from spacy.tokens import Doc, DocBin

SCRIPT = runpy.run_path(str(ROOT / "making" / "release" / "package.py"))
FOLDERS = sorted(SCRIPT["PACKAGES"].iterdir())


def words(nlp, text):
    return [token.text for token in nlp.make_doc(text)]


def test_a_tokenizer_parts_words_as_the_treebank_and_keeps_its_words(
    tmp_path, monkeypatch
):
    # Of thousands of words with hyphens the one of this test: adding them takes long.
    rules = Indonesian.Defaults.tokenizer_exceptions
    few = {w: rule for w, rule in rules.items() if "-" not in w or w == "buku-buku"}
    monkeypatch.setattr(Indonesian.Defaults, "tokenizer_exceptions", few)
    nlp = spacy.blank("id")
    assert words(nlp, "buku-buku") == ["buku-buku"]
    SCRIPT["adapt_tokenizer"](nlp)
    assert words(nlp, "buku-buku") == ["buku", "-", "buku"]
    found = words(nlp, "hanya buku-bukunya.")
    assert found == ["ha", "nya", "buku", "-", "buku", "nya", "."]
    path = tmp_path / "words.spacy"
    DocBin(docs=[Doc(nlp.vocab, words=["hanya", "12,", "dll."])]).to_disk(path)
    SCRIPT["keep_words"](nlp, path)
    assert words(nlp, "Hanya dll. hanya 12,") == ["Hanya", "dll.", "hanya", "12", ","]


def test_a_tokenizer_without_rules_stays_as_it_is(tmp_path):
    nlp = spacy.blank("zh")
    path = tmp_path / "words.spacy"
    DocBin(docs=[Doc(nlp.vocab, words=["小狗"])]).to_disk(path)
    SCRIPT["adapt_tokenizer"](nlp)
    SCRIPT["keep_words"](nlp, path)
    assert words(nlp, "小狗") == ["小", "狗"]


def test_english_parts_full_stops_that_no_space_follows():
    nlp = spacy.blank("en")
    SCRIPT["adapt_tokenizer"](nlp)
    assert words(nlp, "The end.The start.")[2:4] == [".", "The"]
    assert words(nlp, '"So do I."') == ['"', "So", "do", "I", ".", '"']
    assert words(nlp, "I.e. the G.I.") == ["I.e.", "the", "G.I."]


def test_scores_are_written_into_the_part_of_their_package(tmp_path):
    page = tmp_path / "card.md"
    end = "<!-- end of scores -->"
    page.write_text(
        f"<!-- scores: a_x -->\nold\n{end}\n<!-- scores: b_x -->\nold\n{end}\n", "utf-8"
    )
    scores = {name.format("b"): 0.5 for name in SCRIPT["CARD"].values()}
    SCRIPT["write_card"](page, scores, "b_x")
    first, second = page.read_text("utf-8").split(f"{end}\n")[:2]
    assert "old" in first
    assert "| | B dev |" in second
    with pytest.raises(ValueError, match="no <!-- scores"):
        SCRIPT["write_card"](page, scores, "c_x")


def test_a_meta_of_another_language_is_refused(tmp_path):
    spacy.blank("en").to_disk(tmp_path)
    SCRIPT["check_language"]("id.json", "en", tmp_path, "en_gfl_sm")
    with pytest.raises(SystemExit, match=r"of the language en, id\.json says id"):
        SCRIPT["check_language"]("id.json", "id", tmp_path, "en_gfl_sm")


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_packages_are_built_by_their_meta_and_by_no_program(folder):
    inner = folder / folder.name
    meta = srsly.read_json(inner / "meta.json")
    written = (folder / "pyproject.toml").read_text(encoding="utf-8")
    assert written == SCRIPT["pyproject"](meta)
    [model] = inner.glob(f"{folder.name}-{meta['version']}")
    assert srsly.read_json(model / "meta.json") == meta
    assert not (folder / "setup.py").exists()


# spaCy leaves it to Python to close the files.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")
def test_what_spacy_packages_is_laid_out_like_the_others(tmp_path):
    nlp = spacy.blank("en")
    nlp.meta.update(name="tiny", version="0.1.0", license="MIT")
    nlp.to_disk(tmp_path / "model")
    package(tmp_path / "model", tmp_path, create_sdist=False, create_wheel=False)
    found = tmp_path / "en_tiny-0.1.0"
    SCRIPT["build_by_pyproject"](found)
    assert {path.name for path in found.iterdir()} == {
        *("README.md", "pyproject.toml", "en_tiny")
    }
    meta = srsly.read_json(found / "en_tiny" / "meta.json")
    written = (found / "pyproject.toml").read_text(encoding="utf-8")
    assert written == SCRIPT["pyproject"](meta)


def test_word_pieces_are_called_as_in_the_encoder():
    encoder = "spacy_gfl.transformer.pretrained_encoder"
    pytest.importorskip("curated_transformers", reason="spacy-gfl[transformers]")
    assert SCRIPT["PIECES"] == importlib.import_module(encoder).PIECES
