import multiprocessing
import signal
from pathlib import Path
from unittest.mock import Mock

import pytest
from helpers.docs import token_doc
from helpers.installed_pipeline import SHOWN
from helpers.pipelines import SEQ2SEQ, initialized
from helpers.reading import read_tree_file
from spacy.tokens import Doc

import spacy_gfl.tools.correction.session as session_module
from spacy_gfl import get_trees, parse_tree, set_trees, trees_to_docs
from spacy_gfl.data.corpus import TreebankCorpus
from spacy_gfl.tools.correction.progress_files import (
    Progress,
    Sentence,
    cut_sentences,
    read_sentences,
)
from spacy_gfl.tools.correction.session import UNSURE, Refused
from spacy_gfl.tools.treebanks.formats import docbin

KEYS = SHOWN[0]
FLAT = "(S (NP (DT The) (NN dog)) (VBZ sees) (DT the) (JJ old) (NN cat) (. .))"
FRAG = "(FRAG (WP Who) (VBZ needs) (PRP them) (. ?))"


def act(session, action, **values):
    said = session.do(action, values)
    return said or session.view()


def extents(view):
    return [(n["label"], n["start"], n["end"]) for n in view["nodes"]]


def accepted(path):
    return [tree.brackets() for tree in read_tree_file(path, clean=False)]


def test_a_sentence_comes_with_the_parsers_tree(begin):
    view = begin().view()
    assert extents(view) == list(parse_tree(KEYS).constituents)
    assert view["tags"] == parse_tree(KEYS).tags
    assert (view["number"], view["total"], view["status"]) == (1, 4, "")
    assert view["labels"]["NP"] == "noun phrase"
    assert "TOP" not in view["labels"]


def test_two_words_make_a_bracket_and_the_parser_follows(begin):
    view = act(begin(), "bracket", first=8, last=4, label=None)
    nodes = {(n["start"], n["end"]): n for n in view["nodes"]}
    assert nodes[4, 9]["said"]
    assert nodes[4, 9]["label"] != "X"
    # What stood in the way is gone.
    assert not {(0, 5), (2, 5), (3, 5)} & nodes.keys()
    assert view["changes"] == 1


def test_what_the_parser_does_not_know_is_obeyed_too(begin):
    """Labels, and brackets where the search has no place for them."""
    session = begin()
    act(session, "bracket", first=1, last=2, label="ODD")
    view = act(session, "bracket", first=5, last=5, label="VB-2")
    assert {("ODD", 1, 3), ("VB-2", 5, 6)} <= set(extents(view))


def test_a_parser_that_cannot_be_asked_for_a_bracket_is_corrected_too(
    begin, nlp, tmp_path, monkeypatch
):
    """A decoder without constraints, or a sentence too long to be searched."""
    session = begin(nlp=initialized(architecture=SEQ2SEQ), output=tmp_path / "a.ptb")
    view = act(session, "bracket", first=1, last=3, label="NP")
    assert ("NP", 1, 4) in extents(view)
    search = nlp.get_pipe("constituency_parser").search
    monkeypatch.setattr(search, "max_words", 3)
    doc = token_doc("Who|left|us|?", vocab=nlp.vocab)
    view = act(begin(list(cut_sentences(doc))), "bracket", first=0, last=3, label="S")
    assert extents(view) == [("S", 0, 4)]


def test_labels_of_one_extent_are_changed_one_by_one(begin):
    session = begin()
    view = act(session, "wrap", node=0, label="TITLE")
    view = act(session, "bracket", first=0, last=9, label="HEADING")
    assert extents(view)[:3] == [("HEADING", 0, 10), ("TITLE", 0, 10), ("S", 0, 10)]
    view = act(session, "remove", node=1)
    assert extents(view)[:2] == [("HEADING", 0, 10), ("S", 0, 10)]
    view = act(session, "relabel", node=1, label="FRAG")
    assert extents(view)[:2] == [("HEADING", 0, 10), ("FRAG", 0, 10)]
    for left in (3, 2, 1, 0):
        assert act(session, "undo")["changes"] == left
    assert extents(session.view()) == list(parse_tree(KEYS).constituents)
    with pytest.raises(Refused, match="You have not changed anything"):
        session.do("undo", {})


def test_what_the_parser_is_unsure_of_is_marked(begin, nlp, monkeypatch):
    search = nlp.get_pipe("constituency_parser").search
    monkeypatch.setattr(search, "temperature", 30.0)
    session = begin()
    nodes = session.view()["nodes"]
    doubted = [i for i, n in enumerate(nodes) if n["unsure"] is not None]
    assert doubted
    assert all(0 <= nodes[i]["unsure"] < UNSURE for i in doubted)
    at = doubted[0]
    view = act(session, "relabel", node=at, label=nodes[at]["label"])
    assert view["nodes"][at] == {**nodes[at], "said": True, "unsure": None}


def test_given_trees_are_shown_as_they_are(begin, nlp, output):
    flat = parse_tree(FLAT)
    [doc] = trees_to_docs([flat], nlp.vocab)
    session = begin([Sentence(doc, flat)])
    view = session.view()
    assert extents(view) == list(flat.constituents)
    # Nobody would bracket it so: marked where the parser has other constituents.
    view = act(session, "bracket", first=3, last=5, label="NP")
    assert {("S", 0, 7), ("NP", 0, 2), ("NP", 3, 6)} <= set(extents(view))
    act(session, "accept")
    [tree] = read_tree_file(output)
    assert tree.tags == flat.tags


@pytest.mark.parametrize("ending", [".ptb", ".spacy"])
def test_sentences_come_least_sure_first_and_are_saved_in_the_order_of_the_input(
    begin, tmp_path, nlp, ending
):
    output = tmp_path / f"mine{ending}"
    session = begin(output=output, least_sure_first=True)
    order = []
    for _ in range(4):
        order.append(" ".join(session.view()["words"]))
        said = session.do("accept", {})
    assert said == "All sentences are accepted or skipped."
    docs = [nlp(Doc(nlp.vocab, words=words.split())) for words in order]
    sure = [d.spans["constituents"].attrs["log_probs"][0] / len(d) for d in docs]
    assert sure == sorted(sure)
    examples = TreebankCorpus(output)(nlp)
    trees = [tree for one in examples for tree in get_trees(one.reference)]
    saved = [" ".join(tree.words) for tree in trees]
    assert sorted(saved) == sorted(order)
    assert saved[1] == saved[3] == "Who needs them ?"
    assert trees[0] == parse_tree(KEYS)
    if ending == ".spacy":
        texts = [doc.text for doc in docbin.read(output, nlp.vocab)]
        assert texts[0] == "The keys to the cabinet are on the table."


def test_a_session_goes_on_where_the_last_one_was_left(begin, output):
    session = begin()
    # Edits wait while one looks elsewhere.
    act(session, "bracket", first=0, last=3, label="NP")
    act(session, "next")
    view = act(session, "previous")
    assert view["changes"] == 1
    assert ("NP", 0, 4) in extents(view)
    act(session, "skip")
    act(session, "bracket", first=0, last=1, label="WHNP")
    act(session, "accept")
    session.close()
    assert output.with_name("mine.ptb.progress").exists()

    session = begin()
    view = session.view()
    assert (view["number"], view["accepted"], view["skipped"]) == (3, 1, 1)
    view = act(session, "previous")
    assert view["status"] == "accepted"
    assert ("WHNP", 0, 2) in extents(view)
    view = act(session, "remove", node=extents(view).index(("WHNP", 0, 2)))
    assert view["status"] == "changed"
    act(session, "skip")
    assert accepted(output) == []
    # The other sentence of these words.
    act(session, "next")
    view = act(session, "previous")
    assert view["status"] == ""


def test_sentences_may_come_on_top_but_none_of_those_accepted_may_go(
    begin, output, nlp, sentences
):
    session = begin()
    act(session, "accept")
    session.close()
    # Nothing skipped leaves no file.
    assert [path.name for path in output.parent.iterdir()] == ["mine.ptb"]
    more = [*sentences[1:], *cut_sentences(nlp("The dog sees the cat.")), sentences[0]]
    session = begin(more)
    assert (session.view()["total"], session.view()["accepted"]) == (5, 1)
    session.close()
    with pytest.raises(ValueError, match=r'a tree of "The keys .* would be lost'):
        begin(sentences[1:])
    assert accepted(output) == [KEYS]
    # Nor is the file of another treebank written over; and it is not left locked.
    begin()


def hold(output, pipe):
    held = Progress(output)
    held.save({(("Who", "needs", "them", "?"), 0): True})
    pipe.send("held")
    signal.pause()


def test_two_sessions_on_one_file_refuse_each_other_until_one_is_closed_or_killed(
    begin, output
):
    forked = multiprocessing.get_context("fork")
    here, there = forked.Pipe()
    process = forked.Process(target=hold, args=(output, there))
    process.start()
    assert here.recv() == "held"
    with pytest.raises(ValueError, match="is correcting"):
        begin()
    process.kill()
    process.join()
    session = begin()
    assert session.view()["skipped"] == 1
    with pytest.raises(ValueError, match="is correcting"):
        begin()
    session.close()
    begin()


def test_what_another_program_writes_into_the_output_is_not_lost(begin, output):
    session = begin()
    act(session, "accept")
    changed = output.read_text("utf-8").replace("(NP (DT The)", "(NX (DT The)")
    output.write_text(changed, "utf-8")
    for name in ("accept", "skip"):
        with pytest.raises(Refused, match="Another program has changed"):
            session.do(name, {})
    assert output.read_text("utf-8") == changed
    assert session.view()["accepted"] == 1
    output.unlink()
    with pytest.raises(Refused, match="Another program has changed"):
        session.do("accept", {})


@pytest.mark.parametrize("text", ["nothing, " * 100, "", '{"version": 2}', "[[[1]]]"])
def test_a_damaged_file_of_progress_is_named(begin, output, text):
    output.with_name("mine.ptb.progress").write_text(text)
    with pytest.raises(ValueError, match=r"mine\.ptb\.progress is damaged, or anoth"):
        begin()
    assert sorted(path.name for path in output.parent.iterdir()) == [
        "mine.ptb.progress"
    ]


@pytest.mark.parametrize("fault", ["trees", "decisions"])
def test_trees_and_decisions_are_saved_together_or_neither(
    begin, output, monkeypatch, fault
):
    """Which of two sentences with the same words was accepted is a decision."""
    session = begin()
    act(session, "next")
    before = session.view()
    full = OSError(28, "No space left on device")
    with monkeypatch.context() as patch:
        if fault == "trees":
            patch.setattr(Path, "replace", Mock(side_effect=full))
            patch.setattr(Progress, "save", Mock())
        else:
            patch.setattr(Progress, "save", Mock(side_effect=full))
        with pytest.raises(OSError, match="No space"):
            session.do("accept", {})
        if fault == "trees":
            saved = [call.args[0] for call in session._progress.save.call_args_list]
            assert [len(decisions) for decisions in saved] == [1, 0]
    assert session.view() == before
    assert not output.exists()


def test_labels_are_offered_that_are_in_use(begin, nlp, sentences):
    [doc] = trees_to_docs([parse_tree("(ODD (X a) (XP (X b)))")], nlp.vocab)
    given = [*sentences, *cut_sentences(doc)]
    labels = list(begin(given).view()["labels"])
    assert labels[:2] == ["ODD", "XP"]
    first = list(session_module.FREQUENT)
    assert labels[2 : 2 + len(first)] == first
    assert not {"CAPTION", "HEADING", "TOP"} & set(labels)


@pytest.mark.parametrize(
    ("action", "values", "message"),
    [
        ("explode", {}, "no action explode"),
        ("remove", {}, "does not take these values"),
        ("accept", {"by": 1}, "does not take these values"),
        ("remove", {"node": True}, "number True"),
        ("bracket", {"first": 1, "last": 1, "label": None}, "one word needs a label"),
        ("bracket", {"first": 0, "last": 9}, "There is already a bracket"),
        *(
            ("relabel", {"node": 0, "label": label}, "A label has")
            for label in ("N P", "(NP", "", "TOP", "\ud800", ["NP"], "N" * 41)
        ),
        ("wrap", {"node": 0, "label": "N P"}, "A label has"),
        ("previous", {}, "the first sentence"),
        ("find", {"text": " "}, "Type the words"),
        ("find", {"text": "giraffe"}, "No sentence has"),
    ],
)
def test_what_makes_no_sense_changes_nothing(begin, action, values, message):
    session = begin()
    before = session.view()
    with pytest.raises(Refused, match=message):
        session.do(action, values)
    assert session.view() == before


def test_finding_goes_round(begin):
    session = begin()
    assert act(session, "find", text="the  BRIDGE")["number"] == 3
    assert act(session, "find", text="needs them")["number"] == 4
    assert act(session, "find", text="needs them?")["number"] == 2
    with pytest.raises(Refused, match="the last sentence"):
        act(session, "next"), act(session, "next"), act(session, "next")


def test_white_space_is_no_word(nlp):
    doc = nlp.make_doc("The\n\nkeys  to the cabinet.\n")
    [sentence] = cut_sentences(nlp.get_pipe("sentencizer")(doc))
    assert sentence.doc.text == "The keys to the cabinet."
    assert sentence.given is None


def test_sentences_are_read_from_text_trees_and_docs(nlp, tmp_path):
    (tmp_path / "a.txt").write_text("Who needs them? The bridge was closed.")
    (tmp_path / "b.txt").write_text(f"\n( {KEYS})\n{FLAT}\n")
    doc = nlp("Who needs them?")
    set_trees(doc, [FRAG])
    bare = Doc(nlp.vocab, words=["Who", "left", "?"])
    docbin.write(tmp_path / "c.spacy", [doc, bare])
    found = {}
    for path in tmp_path.iterdir():
        read = read_sentences(nlp, path)
        found[path.name] = [(s.doc.text, s.given and str(s.given)) for s in read]
    assert found == {
        "a.txt": [("Who needs them?", None), ("The bridge was closed.", None)],
        "b.txt": [
            ("The keys to the cabinet are on the table.", KEYS),
            ("The dog sees the old cat.", FLAT),
        ],
        "c.spacy": [("Who needs them?", FRAG), ("Who left ?", None)],
    }


def test_no_sentences_to_correct_are_an_error(begin):
    with pytest.raises(ValueError, match="no sentence"):
        begin([])
