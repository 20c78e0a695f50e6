import re
from xml.etree import ElementTree

import pytest
import spacy
from helpers.reading import read_tree_file
from helpers.svg import SVG, texts, width, x_positions
from spacy.tokens import Doc
from spacy.vocab import Vocab

import spacy_gfl
from spacy_gfl import Constituent, Tree, parse_tree, trees_to_docs
from spacy_gfl.tools.pictures.page import picture_file

pytest.importorskip("svgling", reason="pictures need the extra viz")

FIRST = "(S (NP (DT the) (NN dog)) (VP (VBZ barks)) (. .))"


@pytest.fixture
def wide(data):
    """A sentence of nearly forty words."""
    tree = max(read_tree_file(data / "dev.ptb"), key=len)
    assert len(tree) > 35
    return tree


def draw(docs, **options):
    return spacy_gfl.render(docs, options=options)


def test_labels_tags_and_words_are_drawn_in_order():
    svg = draw(parse_tree(FIRST))
    expected = ["S", "NP", "DT", "the", "NN", "dog", "VP", "VBZ", "barks", ".", "."]
    assert sorted(texts(svg)) == sorted(expected)
    assert len(re.findall("<line", svg)) == len(expected) - 1
    at = x_positions(svg)
    assert at["the"] < at["dog"] < at["barks"] < at["."]
    assert at["the"] < at["NP"] < at["dog"]


def test_everything_that_has_a_tree_is_drawn_alike(doc):
    first, second = draw(doc).split("\n\n")
    assert "sleeps" in texts(second)
    assert ElementTree.fromstring(second).get("aria-label") == "he sleeps"
    sentence, tree = next(doc.sents), parse_tree(FIRST)
    for item in (sentence, iter([sentence]), tree, [tree], tree.to_nltk()):
        assert draw(item) == first


def test_a_constituent_is_drawn_and_any_other_span_is_refused(doc):
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


def test_what_has_no_tree_is_refused():
    for item in ("(S (NN x))", b"x", ["(S (NN x))"], 3, None, [None]):
        with pytest.raises(TypeError, match=r"render draws Docs, spans, .*, not"):
            draw(item)
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


def test_colors_are_of_labels_and_tags_not_of_words():
    tree = parse_tree("(S (NP (NN NP)) (VP (VB x)))")
    colors = {"NP": "hsl(0 50% 50% / 0.9)", "VB": "green"}
    svg = ElementTree.fromstring(draw(tree, colors=colors))
    fills = {}
    for node in svg.iter(f"{SVG}svg"):
        fill = re.search(" fill: ([^;]+)", node.get("style", ""))
        for child in node:
            fills[child] = fill[1] if fill else fills.get(node)
    drawn = sorted((node.text, fills[node]) for node in svg.iter(f"{SVG}text"))
    assert {node.get("fill") for node in svg.iter(f"{SVG}text")} == {"inherit"}
    colored = [pair for pair in drawn if pair[1] != "currentColor"]
    assert colored == [("NP", colors["NP"]), ("VB", "green")]
    # The word NP is no label.
    assert [text for text, _ in drawn] == ["NN", "NP", "NP", "S", "VB", "VP", "x"]


def test_colors_and_fonts_are_the_page_s_unless_chosen():
    tree = parse_tree(FIRST)
    plain = draw(tree)
    assert not any(text in plain for text in ("#", "black", "<rect"))
    svg = draw(tree, color="#eee", bg="#111", font="Times, serif", font_size=30)
    assert "font-family: Times, serif" in svg
    assert width(svg) > 1.5 * width(plain)
    assert ElementTree.fromstring(svg).find(f"{SVG}rect").get("fill") == "#111"
    assert "color: #eee" in ElementTree.fromstring(svg).get("style")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"colour": "red"}, "no option colour. The options are color, bg, font"),
        ({"color": 'red"; background: url(x)'}, "The option color is not a value"),
        ({"colors": {"NP": "}"}}, "The option colors.NP is not a value"),
        ({"font": "x; color: red"}, "The option font is not a value"),
        ({"font_size": 0}, "The option font_size: Input should be"),
        ({"max_depth": 1000}, "The option max_depth: Input should be"),
        ({"max_width": -1}, "The option max_width: Input should be"),
        ({"direction": "up"}, "The option direction: Input should be"),
    ],
)
def test_wrong_options_are_named(options, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        draw(parse_tree(FIRST), **options)


def test_tags_are_drawn_unless_missing_or_not_wanted():
    tree = parse_tree(FIRST)
    assert " ".join(texts(draw(tree, tags=False))) == "S NP the dog VP barks ."
    untagged = parse_tree("(S (XX a) (XX b))")
    assert texts(draw(untagged)) == ["S", "a", "b"]
    assert texts(draw(untagged, tags=True)).count("XX") == 2


def test_wide_trees_are_drawn_in_numbered_parts(wide):
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


def test_punctuation_may_be_left_out():
    tree = parse_tree(
        "(S (NP (NNP Max)) (PRN (: -)) (VP (VBZ says) (NP (`` ``) (CD 1.5))) (. .))"
    )
    expected = ["S", "NP", "NNP", "Max", "VP", "VBZ", "says", "NP", "CD", "1.5"]
    assert sorted(texts(draw(tree, punctuation=False))) == sorted(expected)
    assert texts(draw(tree, punctuation=False, max_depth=1)) == ["S", "Max says 1.5"]
    drawing = picture_file(tree, ".txt", options={"punctuation": False}).decode()
    assert drawing.split()[-3:] == ["Max", "says", "1.5"]
    # Where there are no tags, the words tell.
    untagged = parse_tree("(S (XX Go) (XX ...) (XX !))")
    assert texts(draw(untagged, punctuation=False)) == ["S", "Go"]
    alone = parse_tree("(S (XX !))")
    assert draw(alone, punctuation=False) == draw(alone)


def test_deep_constituents_are_folded():
    svg = draw(parse_tree(FIRST), max_depth=1)
    assert texts(svg) == ["S", "the dog barks ."]
    assert texts(draw(parse_tree(FIRST), max_depth=2)) == texts(draw(parse_tree(FIRST)))
    deep = parse_tree("(S (A a) " * 300 + "(NN x)" + ")" * 300)
    assert texts(draw(deep, max_depth=150)).count("A") == 149
    long = parse_tree("(S (NP (X (NN {}))))".format(") (NN ".join(["word"] * 20)))
    lines = texts(draw(long, max_depth=1))[1:]
    assert " ".join(lines) == " ".join(["word"] * 20)
    assert max(map(len, lines)) <= 32


@pytest.mark.parametrize("suffix", [".svg", ".png", ".html", ".txt"])
@pytest.mark.parametrize("inner", ["(NN x)", "(NN x) (NN y)"])
def test_trees_a_thousand_levels_deep_are_drawn(suffix, inner):
    tree = parse_tree("(S " * 1000 + inner + ")" * 1000)
    assert len(picture_file(tree, suffix)) > 100


@pytest.mark.parametrize("direction", ["ltr", "rtl", "auto"])
def test_words_run_from_right_to_left_where_the_script_does(direction):
    words = ["הילד", "ישן", "😀"]
    tree = Tree(words, ["NN", "VB", "UH"], [Constituent("S", 0, 3)])
    doc = next(trees_to_docs([tree], spacy.blank("he").vocab))
    at = x_positions(draw(doc, direction=direction))
    order = sorted(words, key=at.__getitem__)
    assert order == (words if direction == "ltr" else words[::-1])
    page = spacy_gfl.render(doc, page=True, options={"direction": direction})
    assert ('dir="rtl"' in page) == (direction != "ltr")


def opacities(svg):
    """How opaque each text is, by the nearest style around it that says so."""
    found, pending = {}, [(ElementTree.fromstring(svg), 1.0)]
    while pending:
        node, opacity = pending.pop()
        declared = re.findall(r"fill-opacity: ([\d.]+)", node.get("style", ""))
        opacity = float(declared[-1]) if declared else opacity
        if node.tag == f"{SVG}text":
            found[node.text] = opacity
        pending += [(child, opacity) for child in node]
    return found


def test_doubtful_constituents_are_paler():
    tree = parse_tree("(S (NP (PRP I)) (VP (VBP see) (PP (IN it))))")
    doc = next(trees_to_docs([tree], Vocab()))
    plain = draw(doc, probabilities=True)
    assert plain == draw(doc)
    probabilities = [1.0, 0.5, 0.0, float("nan")]
    doc.spans["constituents"].attrs["probabilities"] = probabilities
    assert draw(doc) == plain
    shown = opacities(draw(doc, probabilities=True))
    assert shown["S"] == shown["PP"] == shown["see"] == 1
    assert 0 < shown["VP"] < shown["NP"] < 1
    # In a part of the tree, and in letters.
    assert opacities(draw(doc[1:3], probabilities=True))["VP"] == shown["VP"]
    letters = picture_file(doc, ".txt", options={"probabilities": True}).decode()
    assert all(text in letters for text in ("S 1.00", "NP 0.50", "VP 0.00"))
    assert re.search(r"PP$", letters, re.MULTILINE)
    assert draw(tree, probabilities=True) == draw(tree)
