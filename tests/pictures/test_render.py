import base64
import io
import re
import sys
import threading
import urllib.error
import urllib.request
from itertools import pairwise
from types import SimpleNamespace
from xml.etree import ElementTree

import nltk
import numpy
import pytest
import spacy
from spacy.tokens import Doc
from spacy.vocab import Vocab

import spacy_gfl
from spacy_gfl.annotation.building import trees_to_docs
from spacy_gfl.parser.codecs.symbols import SymbolLinearization
from spacy_gfl.pictures.page import make_picture_server, picture_file
from spacy_gfl.pictures.svg import text_width
from spacy_gfl.trees.brackets import parse_tree, read_tree_file
from spacy_gfl.trees.tree import Constituent, Tree

pytest.importorskip("svgling", reason="pictures need the extra viz")
pytest.importorskip("matplotlib", reason="pictures need the extra viz")

FIRST = "(S (NP (DT the) (NN dog)) (VP (VBZ barks)) (. .))"
SECOND = "(S (NP (PRP he)) (VP (VBZ sleeps)))"
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def doc():
    trees = [parse_tree(FIRST), parse_tree(SECOND)]
    return next(trees_to_docs(trees, Vocab(), n_sents=0))


@pytest.fixture
def wide(data):
    """A sentence of nearly forty words."""
    tree = max(read_tree_file(data / "dev.ptb"), key=len)
    assert len(tree) > 35
    return tree


def texts(svg):
    """What is written in a picture, in document order."""
    return [node.text for node in ElementTree.fromstring(svg).iter(f"{SVG}text")]


def styles(svg):
    root = ElementTree.fromstring(svg)
    return {node.text: node.get("style", "") for node in root.iter(f"{SVG}text")}


def width(svg):
    return float(ElementTree.fromstring(svg).get("width").removesuffix("px"))


def x_positions(svg):
    """The centre of each text of a tree's picture in pixels."""

    def length(value, whole):
        share = value.endswith("%")
        number = float(value.removesuffix("%").removesuffix("px"))
        return number * whole / 100 if share else number

    found = {}
    pending = [(ElementTree.fromstring(svg), 0.0, width(svg))]
    while pending:
        node, left, whole = pending.pop()
        for child in node:
            if child.tag == f"{SVG}svg":
                x = left + length(child.get("x", "0"), whole)
                pending.append((child, x, length(child.get("width"), whole)))
            elif child.tag == f"{SVG}text":
                found[child.text] = left + whole / 2
    return found


def draw(docs, **options):
    return spacy_gfl.render(docs, options=options)


def test_labels_tags_and_words_of_a_tree():
    svg = draw(parse_tree(FIRST))
    expected = ["S", "NP", "DT", "the", "NN", "dog", "VP", "VBZ", "barks", ".", "."]
    assert sorted(texts(svg)) == sorted(expected)
    assert len(re.findall("<line", svg)) == len(expected) - 1
    at = x_positions(svg)
    assert at["the"] < at["dog"] < at["barks"] < at["."]
    assert at["the"] < at["NP"] < at["dog"]


def test_one_picture_a_sentence(doc):
    first, second = draw(doc).split("\n\n")
    assert first == draw(parse_tree(FIRST))
    assert "sleeps" in texts(second)
    assert ElementTree.fromstring(second).get("aria-label") == "he sleeps"


@pytest.mark.parametrize(
    "choose",
    [
        lambda doc: next(doc.sents),
        lambda doc: parse_tree(FIRST),
        lambda doc: nltk.Tree.fromstring(FIRST),
        lambda doc: [parse_tree(FIRST)],
        lambda doc: iter(list(doc.sents)[:1]),
    ],
    ids=["sentence", "tree", "nltk", "list", "iterator"],
)
def test_everything_that_has_a_tree_is_drawn_alike(doc, choose):
    assert draw(choose(doc)) == draw(doc).split("\n\n")[0]


def test_constituent(doc):
    assert texts(draw(doc[0:2])) == ["NP", "DT", "the", "NN", "dog"]
    with pytest.raises(spacy_gfl.NonConstituentException, match="dog barks"):
        draw(doc[1:3])


def test_forest_gets_the_root_of_its_brackets():
    assert "TOP" in texts(draw(Tree.flat(["a", "b"], ["X", "Y"])))
    assert texts(draw(parse_tree("(NN x)"))) == ["NN", "x"]


def test_nothing_to_draw_is_an_empty_string():
    empty = Doc(Vocab(), words=[])
    spacy_gfl.set_trees(empty, [])
    assert draw(empty) == ""
    assert draw([]) == ""
    assert draw(Tree.flat([], [])) == ""


@pytest.mark.parametrize("item", ["(S (NN x))", b"x", ["(S (NN x))"], 3, [None]])
def test_what_is_no_tree_is_a_type_error(item):
    with pytest.raises(TypeError):
        draw(item)


def test_doc_without_trees():
    with pytest.raises(ValueError, match="no constituency trees"):
        draw(spacy.blank("en")("no trees here"))


def test_text_is_escaped():
    words = ["<script>alert(1)</script>", "&amp;", '"', "'", "]]>", "$x$"]
    tree = Tree(words, ["<b>", "&", *"WXYZ"], [Constituent('"><i>', 0, 6)])
    svg = draw(tree)
    assert set(texts(svg)) == {*words, "<b>", "&", *"WXYZ", '"><i>'}
    assert "<script" not in svg
    assert "<i>" not in svg
    page = spacy_gfl.render(tree, page=True)
    assert "<script" not in page
    assert ElementTree.fromstring(svg).get("aria-label") == " ".join(words)


@pytest.mark.parametrize("word", ["a\x00b", "a\x1b[0m", "\ud800", "\uffff", "a\nb"])
def test_what_xml_cannot_write_is_replaced(word):
    svg = draw(Tree([word, "y"], ["X", "Y"], []))
    assert any("\ufffd" in text for text in texts(svg))


def test_colors_of_labels_and_tags():
    tree = parse_tree("(S (NP (NN NP)) (VP (VB x)))")
    svg = draw(tree, colors={"NP": "#ff0000", "VB": "green"})
    drawn = [
        (node.text, node.get("style"))
        for node in ElementTree.fromstring(svg).iter(f"{SVG}text")
    ]
    assert [s for text, s in drawn if text == "NP" and "#ff0000" in s] != []
    # The word NP is no label.
    assert len([s for text, s in drawn if text == "NP" and "currentColor" in s]) == 1
    assert "fill: green" in styles(svg)["VB"]
    assert "fill: currentColor" in styles(svg)["VP"]


def test_colors_are_the_page_s_unless_chosen():
    tree = parse_tree(FIRST)
    svg = draw(tree)
    assert "#" not in svg
    assert "black" not in svg
    assert "<rect" not in svg
    svg = draw(tree, color="#eee", bg="#111")
    assert ElementTree.fromstring(svg).find(f"{SVG}rect").get("fill") == "#111"
    assert "color: #eee" in ElementTree.fromstring(svg).get("style")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"colour": "red"}, "no option colour; there are colors, color"),
        ({"color": 'red"; background: url(x)'}, "color is no value"),
        ({"colors": {"NP": "}"}}, "colors"),
        ({"font": "x; color: red"}, "font is no value"),
        ({"font_size": 0}, "font_size must be"),
        ({"max_depth": 1000}, "max_depth must be"),
        ({"max_width": -1}, "max_width must be"),
        ({"direction": "up"}, "direction must be"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        draw(parse_tree(FIRST), **options)


def test_unknown_style():
    with pytest.raises(ValueError, match="no style 'dep'; there are tree, attention"):
        spacy_gfl.render(parse_tree(FIRST), style="dep")


def test_tags():
    tree = parse_tree(FIRST)
    assert texts(draw(tree, tags=False)) == [
        "S",
        "NP",
        "the",
        "dog",
        "VP",
        "barks",
        ".",
    ]
    untagged = parse_tree("(S (XX a) (XX b))")
    assert texts(draw(untagged)) == ["S", "a", "b"]
    assert texts(draw(untagged, tags=True)).count("XX") == 2


def test_compact_is_smaller(wide):
    def height(svg):
        return float(ElementTree.fromstring(svg).get("height").removesuffix("px"))

    full, compact = draw(wide), draw(wide, compact=True)
    assert sorted(texts(full)) == sorted(texts(compact))
    assert height(compact) < height(full)
    assert width(compact) < width(full)


def test_font():
    svg = draw(parse_tree(FIRST), font="Times, serif", font_size=30)
    assert "font-family: Times, serif" in svg
    assert width(svg) > 1.5 * width(draw(parse_tree(FIRST)))


def test_words_on_the_lowest_level(wide):
    svg = draw(wide, align_words=True)
    assert sorted(texts(svg)) == sorted(texts(draw(wide)))


def test_words_do_not_overlap(wide):
    at = x_positions(
        draw(
            Tree(
                [f"{i}{word}" for i, word in enumerate(wide.words)],
                wide.tags,
                wide.constituents,
            )
        )
    )
    words = sorted((x, text) for text, x in at.items() if text[0].isdigit())
    assert [int(re.match(r"\d+", text)[0]) for _, text in words] == list(
        range(len(wide))
    )
    for (x, text), (other_x, other) in pairwise(words):
        assert other_x - x > 15 * (text_width(text) + text_width(other)) / 2


def test_wide_trees_in_parts(wide):
    svg = draw(wide, max_width=500)
    assert width(svg) <= 500 + 24
    assert width(svg) < width(draw(wide))
    written = texts(svg)
    numbers = [text for text in written if re.fullmatch(r"\[\d+\]", text)]
    parts = len(numbers) // 2
    assert parts > 1
    # Every part is referred to once, and has its number once.
    assert sorted(numbers) == sorted([f"[{n + 1}]" for n in range(parts)] * 2)
    rest = [text for text in written if text not in numbers]
    whole = texts(draw(wide))
    assert len(rest) == len(whole) + parts  # the label of a part is written twice
    assert sorted(set(rest)) == sorted(set(whole))


def test_narrow_trees_are_in_one_part():
    assert draw(parse_tree(FIRST), max_width=1000) == draw(parse_tree(FIRST))


def test_words_that_are_too_wide_stay():
    tree = parse_tree("(S (NN {0}) (NN {0}))".format("x" * 60))
    assert draw(tree, max_width=100) == draw(tree)


def test_deep_constituents_are_folded():
    svg = draw(parse_tree(FIRST), max_depth=1)
    assert texts(svg) == ["S", "the dog barks ."]
    assert texts(draw(parse_tree(FIRST), max_depth=2)) == texts(draw(parse_tree(FIRST)))
    long = parse_tree("(S (NP (X (NN {}))))".format(") (NN ".join(["word"] * 20)))
    lines = texts(draw(long, max_depth=1))[1:]
    assert " ".join(lines) == " ".join(["word"] * 20)
    assert max(map(len, lines)) <= 32


@pytest.mark.parametrize("suffix", [".svg", ".png", ".html", ".txt"])
@pytest.mark.parametrize("inner", ["(NN x)", "(NN x) (NN y)"])
def test_depth_of_a_thousand(suffix, inner):
    tree = parse_tree("(S " * 1000 + inner + ")" * 1000)
    assert len(picture_file(tree, suffix)) > 100


def test_deepest_drawing():
    tree = parse_tree("(S (A a) " * 300 + "(NN x)" + ")" * 300)
    assert texts(draw(tree, max_depth=150)).count("A") == 149


@pytest.mark.parametrize("direction", ["ltr", "rtl", "auto"])
def test_direction(direction):
    words = ["הילד", "ישן", "😀"]
    tree = Tree(words, ["NN", "VB", "UH"], [Constituent("S", 0, 3)])
    doc = next(trees_to_docs([tree], spacy.blank("he").vocab))
    at = x_positions(draw(doc, direction=direction))
    order = sorted(words, key=at.__getitem__)
    assert order == (words if direction == "ltr" else words[::-1])
    page = spacy_gfl.render(doc, page=True, options={"direction": direction})
    assert ('dir="rtl"' in page) == (direction != "ltr")


def test_page(doc):
    page = spacy_gfl.render(doc, page=True)
    assert page.startswith("<!DOCTYPE html>\n<html")
    assert page.endswith("</html>\n")
    assert "color-scheme: light dark" in page
    assert page.count('style="overflow-x: auto') == page.count("<svg xmlns") >= 2
    for part in draw(doc).split("\n\n"):
        assert part in page
    assert "\n" not in spacy_gfl.render(doc, page=True, minify=True)
    assert "\n" not in spacy_gfl.render(doc, minify=True)


def test_jupyter(doc, monkeypatch):
    shown = []
    fake = SimpleNamespace(HTML=lambda html: html, display=shown.append)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(display=fake))
    monkeypatch.setitem(sys.modules, "IPython.display", fake)
    assert spacy_gfl.render(doc, jupyter=True) is None
    assert len(shown) == 1
    assert shown[0].count("overflow-x: auto") == 2
    assert "tex2jax_ignore" in shown[0]
    assert spacy_gfl.render(doc, jupyter=False).startswith("<svg")


@pytest.mark.parametrize("style", ["tree", "attention"])
def test_missing_package(style, monkeypatch):
    for module in ("tree_svg", "attention_svg"):
        monkeypatch.delitem(sys.modules, f"spacy_gfl.pictures.{module}", raising=False)
    for package in ("svgling", "svgling.core", "matplotlib", "matplotlib.image"):
        monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=r'pip install "spacy-gfl\[viz\]"'):
        spacy_gfl.render(parse_tree(FIRST), style=style)


WEIGHTS = {
    "words": ["the", "<b>dog</b>", "$\\alpha$"],
    "symbols": ["(S", "XX", "XX", "XX", ")S", "</s>"],
    "weights": numpy.full((6, 3), 1 / 3),
}


def attention(docs, **options):
    return spacy_gfl.render(docs, style="attention", options=options)


def test_attention_of_given_weights():
    svg = attention(WEIGHTS)
    assert texts(svg) == [*WEIGHTS["symbols"], *WEIGHTS["words"], "0.33", "0"]
    assert "<b>" not in svg
    assert svg.count("data:image/png;base64,") == 2
    turned = attention(WEIGHTS, symbols_across=True)
    assert texts(turned)[:3] == WEIGHTS["words"]


@pytest.mark.parametrize(
    ("changes", "options", "message"),
    [
        ({"weights": numpy.ones((3, 6))}, {}, "6 symbols to 3 words"),
        ({"weights": numpy.full((6, 3), numpy.nan)}, {}, "finite"),
        ({"weights": -numpy.ones((6, 3))}, {}, "negative"),
        ({}, {"cmap": "none"}, "no colormap 'none'"),
        ({}, {"vmax": 0}, "vmax"),
        ({}, {"tags": True}, "no option tags"),
    ],
)
def test_bad_attention(changes, options, message):
    with pytest.raises(ValueError, match=message):
        attention({**WEIGHTS, **changes}, **options)


def test_attention_given_in_part():
    with pytest.raises(ValueError, match="no symbols and no weights"):
        attention({"words": ["a"]})


def test_colors_of_cells():
    svg = attention(
        {"words": ["a", "b"], "symbols": ["x"], "weights": [[0.0, 0.5]]},
        cell_size=10,
    )
    image = next(ElementTree.fromstring(svg).iter(f"{SVG}image"))
    assert (image.get("width"), image.get("height")) == ("20", "10")
    pixels = pytest.importorskip("matplotlib.image").imread(
        io.BytesIO(base64.b64decode(image.get("href").split(",")[1])), format="png"
    )
    assert pixels.shape[:2] == (10, 20)
    colormap = pytest.importorskip("matplotlib").colormaps["Blues"]
    assert numpy.allclose(pixels[:, :10], colormap(0.0), atol=0.01)
    assert numpy.allclose(pixels[:, 10:], colormap(1.0), atol=0.01)


class Parser:
    """As much of the component as its attention takes."""

    def __init__(self, *labels):
        self.linearization = SymbolLinearization(labels)
        self.calls = 0

    def attention(self, doc):
        self.calls += 1
        trees = spacy_gfl.get_trees(doc)
        return [
            numpy.eye(len(self.linearization.encode(tree)), len(tree)) for tree in trees
        ]


def test_attention_of_a_doc_and_of_its_sentences(doc):
    parser = Parser("S", "NP", "VP")
    first, second = attention(doc, parser=parser).split("\n\n")
    assert " ".join(texts(second)[:9]) == "(S (NP XX )NP (VP XX )VP )S </s>"
    assert attention(list(doc.sents)[1], parser=parser) == second
    parser.calls = 0
    assert attention(doc.sents, parser=parser) == f"{first}\n\n{second}"
    assert parser.calls == 1


def test_attention_that_there_is_not(doc):
    with pytest.raises(ValueError, match="Which attention"):
        attention(doc)
    with pytest.raises(ValueError, match="which has no attention"):
        attention(doc, parser=spacy.blank("en"))
    with pytest.raises(ValueError, match='"the dog" is none'):
        attention(doc[0:2], parser=Parser("S", "NP", "VP"))
    with pytest.raises(TypeError, match="Tree"):
        attention(parse_tree(FIRST), parser=Parser("S"))

    class Unknowing(Parser):
        def attention(self, doc):
            return [numpy.zeros((0, len(sent))) for sent in doc.sents]

    with pytest.raises(ValueError, match="labels that the parser does not know"):
        attention(doc, parser=Unknowing("S"))


def test_svg_file_is_one_picture_on_white(doc):
    data = picture_file(doc, ".svg")
    root = ElementTree.fromstring(data)
    assert data.startswith(b"<?xml")
    assert len(root.findall(f"{SVG}svg")) == 2
    assert b'fill="white"' in data
    assert sorted(texts(data)) == sorted(texts(draw(doc[:4])) + texts(draw(doc[4:])))


def test_png_file_has_its_scale(doc):
    def png_size(data):
        assert data[:8] == b"\x89PNG\r\n\x1a\n"
        return [int.from_bytes(data[i : i + 4], "big") for i in (16, 20)]

    small, large = (picture_file(doc, ".png", scale=scale) for scale in (1, 3))
    for one, other in zip(png_size(small), png_size(large), strict=True):
        assert other == pytest.approx(3 * one, abs=3)
    with pytest.raises(ValueError, match="smaller scale"):
        picture_file(doc, ".png", scale=1000)


def test_text_file(doc):
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


def test_file_of_nothing_or_of_no_kind(doc):
    with pytest.raises(ValueError, match="no sentence to draw"):
        picture_file([], ".svg")
    with pytest.raises(ValueError, match=r"not '\.pdf'"):
        picture_file(doc, ".pdf")
    with pytest.raises(ValueError, match="cannot be drawn as text"):
        picture_file(WEIGHTS, ".txt", "attention")


def test_application():
    answers = []

    def start_response(status, headers):
        answers.append((status, dict(headers)))

    application = make_application("<p>ü</p>")
    assert b"".join(application({"PATH_INFO": "/"}, start_response)) == (
        "<p>ü</p>".encode()
    )
    status, headers = answers[-1]
    assert status == "200 OK"
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    assert headers["Content-Length"] == "9"
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    head = {"PATH_INFO": "/", "REQUEST_METHOD": "HEAD"}
    assert b"".join(application(head, start_response)) == b""
    application({"PATH_INFO": "/favicon.ico"}, start_response)
    assert answers[-1][0] == "404 Not Found"


def test_request(doc):
    server = make_picture_server(doc, port=0)
    assert server.server_address[0] == "127.0.0.1"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        address = f"http://127.0.0.1:{server.server_port}/"
        with opener.open(address, timeout=10) as response:
            body = response.read().decode("utf-8")
        assert body == spacy_gfl.render(doc, page=True, jupyter=False)
        with pytest.raises(urllib.error.HTTPError, match="404"):
            opener.open(f"{address}other", timeout=10)
        with pytest.raises(ValueError, match="already in use"):
            make_picture_server(doc, port=server.server_port)
        with pytest.warns(UserWarning, match="in use"):
            other = make_picture_server(
                doc, port=server.server_port, auto_select_port=True
            )
        assert other.server_port != server.server_port
        other.server_close()
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_serve_ends_when_interrupted(doc, monkeypatch, capsys):
    def interrupt(self):
        raise KeyboardInterrupt

    monkeypatch.setattr("wsgiref.simple_server.WSGIServer.serve_forever", interrupt)
    spacy_gfl.serve(doc, port=0)
    printed = capsys.readouterr().out
    assert "Serving on http://127.0.0.1:" in printed
    assert "Shutting down server" in printed
