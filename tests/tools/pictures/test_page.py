from xml.etree import ElementTree

import pytest
from helpers.svg import SVG, texts

import spacy_gfl
from spacy_gfl import parse_tree
from spacy_gfl.tools.pictures.page import picture_file

pytest.importorskip("svgling", reason="pictures need the extra viz")


def test_a_page_holds_all_pictures_and_can_be_one_line(doc):
    page = spacy_gfl.render(doc, page=True)
    assert page.startswith("<!DOCTYPE html>\n<html")
    assert page.endswith("</html>\n")
    assert "color-scheme: light dark" in page
    assert page.count('style="overflow-x: auto') == page.count("<svg xmlns") >= 2
    for part in spacy_gfl.render(doc).split("\n\n"):
        assert part in page
    assert "\n" not in spacy_gfl.render(doc, page=True, minify=True)
    assert "\n" not in spacy_gfl.render(doc, minify=True)


def test_svg_file_is_one_picture_on_white(doc):
    data = picture_file(doc, ".svg")
    root = ElementTree.fromstring(data)
    assert data.startswith(b"<?xml")
    assert root.get("aria-label") == "the dog barks . he sleeps"
    assert root.find(f"{SVG}rect").get("fill") == "white"
    parts = spacy_gfl.render(doc).split("\n\n")
    assert texts(data) == [text for part in parts for text in texts(part)]


def test_png_file_has_its_scale(doc):
    def png_size(data):
        assert data[:8] == b"\x89PNG\r\n\x1a\n"
        return [int.from_bytes(data[i : i + 4], "big") for i in (16, 20)]

    small, large = (picture_file(doc, ".png", scale=scale) for scale in (1, 3))
    for one, other in zip(png_size(small), png_size(large), strict=True):
        assert other == pytest.approx(3 * one, abs=3)
    with pytest.raises(ValueError, match="smaller scale"):
        picture_file(doc, ".png", scale=1000)


def test_trees_are_drawn_as_text(doc):
    drawing = picture_file(doc, ".txt").decode()
    lines = drawing.splitlines()
    assert lines[0].strip() == "S"
    assert [line.split() for line in lines if "dog" in line] == [
        ["the", "dog", "barks", "."]
    ]
    assert "sleeps" in drawing
    # Bare words keep their order, also beside constituents.
    plain = picture_file(doc, ".txt", options={"tags": False}).decode()
    assert "the dog barks" in " ".join(plain.split())
    # A word stands below its line also after letters of two columns each.
    wide = picture_file(parse_tree("(NP (NN 日本語) (NN x))"), ".txt").decode()
    *_, line, words = wide.splitlines()
    assert len(line) == len(words) + len("日本語")


def test_files_of_nothing_and_of_unknown_kinds_and_styles_are_refused(doc):
    with pytest.raises(ValueError, match="no sentence to draw"):
        picture_file([], ".svg")
    with pytest.raises(ValueError, match=r"not '\.pdf'"):
        picture_file(doc, ".pdf")
    with pytest.raises(ValueError, match="cannot be drawn as text"):
        picture_file(doc, ".txt", "attention")
    with pytest.raises(
        ValueError, match=r"no style 'dep'\. The styles are tree and attention"
    ):
        picture_file(doc, ".svg", "dep")
