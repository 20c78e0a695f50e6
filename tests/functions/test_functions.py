import pickle
import re
from xml.etree import ElementTree

import pytest
import spacy
from helpers import pipelines as parsers
from helpers.cli import done, refusal, run
from spacy.strings import hash_string
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from spacy.vocab import Vocab

import spacy_gfl
from spacy_gfl import TreeMatcher, formats, get_trees, set_trees
from spacy_gfl.functions.attributes import set_functions
from spacy_gfl.functions.corpus import FunctionCorpus, without_functions
from spacy_gfl.functions.features import N_NAME_SLOTS, N_WORD_SLOTS, make_features
from spacy_gfl.functions.scorer import FunctionScorer
from spacy_gfl.languages.heads import all_heads
from spacy_gfl.trees.labels import split_label

NAME = "constituent_functions"
LEFT = (
    "(S (NP-SBJ (PRP She)) (VP (VBD left) (NP (NNP Rome)) "
    "(PP-TMP (IN on) (NP (NNP Monday)))) (. .))"
)
IS = (
    "(S (NP-TMP (NN Today)) (NP-SBJ (PRP he)) (VP (VBZ is) "
    "(PP-LOC-PRD (IN in) (NP (NNP Oslo)))) (. .))"
)
FUN = "(S (S-NOM-SBJ (VP-TTL (VBG Swimming))) (VP (VBZ is) (NP-PRD (NN fun))) (. .))"
TREES = [LEFT, IS, FUN]


def tagged(doc):
    """The trees of a Doc in brackets, with function tags."""
    return [tree.brackets() for tree in get_trees(doc, functions=True)]


def make_doc(*brackets, vocab=None):
    """A Doc of trees whose function tags stand where the component writes them."""
    trees = [
        tree for text in brackets for tree in spacy_gfl.read_trees(text, clean=False)
    ]
    bare = map(without_functions, trees)
    vocab = vocab or spacy.blank("en").vocab
    (doc,) = spacy_gfl.trees_to_docs(bare, vocab, n_sents=0)
    labels = [node.label for tree in trees for node in tree.constituents]
    set_functions(doc, {i: split_label(one)[1][1:] for i, one in enumerate(labels)})
    return doc


@pytest.fixture
def doc():
    return make_doc(*TREES)


@pytest.fixture
def treebank(tmp_path):
    path = tmp_path / "trees.ptb"
    path.write_text("\n".join(TREES), encoding="utf-8")
    return path


@pytest.fixture
def trained(treebank):
    """A pipeline that knows the trees by heart, and its Examples."""
    nlp = spacy.blank("en")
    nlp.add_pipe(NAME, config={"min_count": 1})
    corpus = FunctionCorpus(treebank)
    sgd = nlp.initialize(lambda: corpus(nlp))
    examples = list(corpus(nlp))
    for _ in range(40):
        nlp.update(examples, sgd=sgd)
    return nlp, examples


def test_learns_and_gives_the_same_tags_after_saving(trained, tmp_path):
    nlp, examples = trained
    scores = nlp.evaluate(examples)
    assert scores["fun_f"] == scores["fun_grammatical_f"] == scores["fun_right"] == 1
    nlp.to_disk(tmp_path / "model")
    loaded = spacy.load(tmp_path / "model")
    read = spacy.blank("en")
    read.add_pipe(NAME)
    read.from_bytes(nlp.to_bytes())
    for other in (nlp, loaded, read, pickle.loads(pickle.dumps(nlp))):
        docs = [Doc(other.vocab).from_bytes(eg.predicted.to_bytes()) for eg in examples]
        assert [tagged(doc) for doc in other.pipe(docs)] == [[tree] for tree in TREES]


def test_slots_hold_the_words_around_a_constituent_and_of_no_other_tree():
    text = (
        "(S (NP (NN Today)) (NP (PRP she)) (VP (VBD met) (NP (PRP them)) (PP (IN in) "
        "(NP (NNP Oslo)))) (. .)) (NP (NNP Rome))"
    )
    trees = list(spacy_gfl.read_trees(text))
    heads = [all_heads(tree, "collins", "en") for tree in trees]
    found = make_features(trees, heads, {"PP"})
    words = {hash_string(word.lower()): word for tree in trees for word in tree.words}
    [slots] = found.words[found.word_slots][:, :, 0].tolist()
    names = ["head", "mother", "grandmother", "above", "two before", "before"]
    names += ["after", "two after", "left", "right", "further right"]
    names += ["right of before", "right of after", "mother's first"]
    names += ["grandmother's first", "first", "last", "word before", "word after", "."]
    known = {
        name: words[hashed] for name, hashed in zip(names, slots, strict=True) if hashed
    }
    assert known == {
        **{"head": "in", "mother": "met", "grandmother": "met", "above": "met"},
        **{"right": "Oslo", "two before": "met", "before": "them"},
        **{"mother's first": "met"},
        **{"grandmother's first": "Today", "first": "in", "last": "Oslo"},
        **{"word before": "them", "word after": ".", ".": "."},
    }
    assert found.name_slots.shape == (1, N_NAME_SLOTS)
    assert make_features([], [], {"PP"}).word_slots.shape == (0, N_WORD_SLOTS)


def test_one_line_adds_it_to_a_pipeline(trained):
    nlp, examples = trained
    other = spacy.blank("en")
    other.add_pipe("sentencizer")
    other.add_pipe(NAME, source=nlp)
    assert tagged(other(examples[0].predicted.copy())) == [LEFT]


def test_worker_processes_give_the_same_tags(trained):
    nlp, examples = trained
    docs = nlp.pipe([eg.predicted.copy() for eg in examples], n_process=2)
    assert [tagged(doc) for doc in docs] == [[tree] for tree in TREES]


def test_tags_do_not_depend_on_other_docs(trained):
    nlp, examples = trained
    alone = [tagged(nlp(eg.predicted.copy())) for eg in examples]
    (joined,) = nlp.pipe([Doc.from_docs([eg.predicted for eg in examples])])
    assert [[tree] for tree in tagged(joined)] == alone


def test_docs_without_trees_or_words_pass(trained):
    nlp, _ = trained
    empty = Doc(nlp.vocab)
    set_trees(empty, [])
    flat = Doc(nlp.vocab, ["Hm", "."], sent_starts=[True, False])
    set_trees(flat, [()])
    docs = [nlp.make_doc("No trees."), Doc(nlp.vocab), empty, flat]
    assert [len(doc.spans.get("constituents", ())) for doc in nlp.pipe(docs)] == [
        *(0, 0, 0, 1)
    ]


def test_docs_whose_trees_were_lost_pass_with_a_warning(trained):
    nlp, examples = trained
    parsed = examples[0].predicted
    unparsed = Doc(nlp.vocab, ["Hm", "."], sent_starts=[True, False])
    merged = parsed.copy()
    with merged.retokenize() as retokenizer:
        retokenizer.merge(merged[0:2])
    docs = [Doc.from_docs([parsed, unparsed]), merged, parsed.copy()]
    with pytest.warns(UserWarning, match=r"no function tags.*(no tree|have changed)"):
        joined, _, last = nlp.pipe(docs)
    assert not any(span.kb_id for span in joined.spans["constituents"])
    assert tagged(last) == [LEFT]


def test_no_function_is_called_a_slip_where_others_are_found(doc, tmp_path, recwarn):
    DocBin(docs=[doc]).to_disk(tmp_path / "docs.spacy")
    matcher = TreeMatcher(doc.vocab)
    matcher.add("found", ["NP-SBJ < CC", "NP-VOC"])
    assert doc._.phrases("NP-VOC") == matcher(doc) == []
    found = run("search", "NP-SBJ < CC", tmp_path / "docs.spacy")
    assert "No tree" not in found.output
    assert not recwarn
    with pytest.warns(UserWarning, match='Did you mean "NP-SBJ"'):
        doc._.phrases("np-sbj")
    set_functions(doc, {})
    with pytest.warns(UserWarning, match='Did you mean "NP"'):
        doc._.phrases("NP-SBJ")
    with pytest.warns(UserWarning, match='Did you mean "NP"'):
        matcher(doc)


def test_a_second_run_replaces_tags_and_keeps_attributes(trained):
    nlp, examples = trained
    doc = examples[0].predicted.copy()
    doc.spans["constituents"].attrs["flags"] = ["ok"]
    set_functions(doc, {1: "VOC", 2: "TTL"})
    assert tagged(nlp(doc)) == [LEFT]
    assert doc.spans["constituents"].attrs["flags"] == ["ok"]


def json_lines_copy(doc):
    record = formats.json_lines.doc_to_json(doc)
    return formats.json_lines.doc_from_json(record, Vocab())


@pytest.mark.parametrize(
    "copy",
    [
        lambda doc: next(DocBin(docs=[doc]).get_docs(Vocab())),
        lambda doc: Doc(Vocab()).from_bytes(doc.to_bytes()),
        lambda doc: Doc(Vocab()).from_json(doc.to_json()),
        lambda doc: Doc.from_docs([doc]),
        lambda doc: pickle.loads(pickle.dumps(doc)),
        Doc.copy,
        json_lines_copy,
    ],
)
def test_tags_survive_what_trees_survive(doc, copy):
    assert tagged(copy(doc)) == TREES


def test_json_lines_of_sentences_have_their_own_tags(doc):
    (record, *_) = list(formats.json_lines.sentences_to_json(doc))[1:]
    nodes = record["sentences"][0]["constituents"]
    assert [node.get("functions") for node in nodes] == [
        *(None, "TMP", "SBJ", None, "LOC-PRD", None)
    ]


def test_new_trees_have_no_tags_of_old_ones(doc):
    set_trees(doc, get_trees(doc))
    assert not any(
        span._.functions for sent in doc.sents for span in sent._.constituents
    )


def test_a_span_tells_its_functions(doc):
    she, monday, oslo, swimming = doc[0:1], doc[3:5], doc[9:11], doc[12:13]
    assert (she._.function, monday._.function) == ("SBJ", "TMP")
    assert (oslo._.function, oslo._.functions) == ("LOC", ("LOC", "PRD"))
    # A chain: the outer constituent's first.
    assert swimming._.functions == ("NOM", "SBJ", "TTL")
    assert (doc[1:2]._.function, doc[0:6]._.functions) == ("", ())
    with pytest.raises(spacy_gfl.NonConstituentException):
        _ = doc[0:2]._.function


def test_labels_of_a_treebank_tell_their_functions():
    (tree,) = spacy_gfl.read_trees("(S (NP-SBJ-1 (PRP I)) (VP (VBP go)))", clean=False)
    (doc,) = spacy_gfl.trees_to_docs([tree], Vocab())
    assert doc[0:1]._.functions == ("SBJ",)
    (tree,) = spacy_gfl.read_trees("(NP (NP-SBJ=2 (PRP I)) (NN x))", clean=False)
    (doc,) = spacy_gfl.trees_to_docs([tree], Vocab())
    assert doc[0:1]._.functions == ("SBJ",)


@pytest.mark.parametrize(
    ("label", "found"),
    [
        ("NP-SBJ", ["She", "he"]),
        ("PP-PRD", ["in Oslo"]),
        ("PP-LOC-PRD", ["in Oslo"]),
        ("*-SBJ", ["She", "he", "Swimming"]),
        (["NP-TMP", "PP-TMP"], ["on Monday", "Today"]),
        ("PP", ["on Monday", "in Oslo"]),
    ],
)
def test_phrases_are_found_by_function(doc, label, found):
    assert [span.text for span in doc._.phrases(label)] == found
    assert {span.label_ for span in doc._.phrases("NP-SBJ")} == {"NP"}


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("NP-SBJ < PRP", ["She", "he"]),
        ("VP < (PP-LOC <, IN)", ["is in Oslo"]),
        ("S < S-SBJ", ["Swimming is fun."]),
        ("/-TMP$/", ["on Monday", "Today"]),
        ("/^NP$/ > VP", ["Rome", "fun"]),
    ],
)
def test_patterns_name_functions(doc, pattern, found):
    matcher = TreeMatcher(doc.vocab)
    matcher.add("found", [pattern])
    assert [span.text for span in matcher(doc, as_spans=True)] == found


def test_search_finds_functions_in_files_of_docs(doc, tmp_path):
    DocBin(docs=[doc]).to_disk(tmp_path / "docs.spacy")
    printed = done("search", "NP-SBJ", tmp_path / "docs.spacy").stdout
    assert re.findall(r"\[(.*?)\]", printed) == ["She", "he"]


def test_parse_writes_functions_if_asked(tmp_path, treebank):
    nlp = parsers.trained()
    nlp.to_disk(tmp_path / "bare")
    text = tmp_path / "text.txt"
    text.write_text("The dog barks .", encoding="utf-8")
    command = ("parse", text, "--functions", "--model")
    assert NAME in refusal(run(*command, tmp_path / "bare"))
    functions = nlp.add_pipe(NAME, config={"min_count": 1, "none_weight": 0})
    functions.initialize(lambda: FunctionCorpus(treebank)(nlp))
    nlp.to_disk(tmp_path / "model")
    assert re.search(r"\(NP-[-\w]+ ", done(*command, tmp_path / "model").stdout)
    bare = done("parse", text, "--model", tmp_path / "model").stdout
    assert "-" not in bare


@pytest.mark.parametrize(
    "options", [("--format", "conll"), ("-o", "out.conll"), ("--n-best", "2")]
)
def test_parse_refuses_functions_where_it_cannot_write_them(tmp_path, options):
    text = tmp_path / "text.txt"
    text.write_text("The dog barks .", encoding="utf-8")
    options = [tmp_path / one if "." in one else one for one in options]
    assert "--functions" in refusal(run("parse", text, "--functions", *options))


def test_convert_writes_functions_of_docs_if_asked(doc, tmp_path):
    docs, out = tmp_path / "docs.spacy", tmp_path / "out.ptb"
    DocBin(docs=[doc]).to_disk(docs)
    done("convert", docs, out, "--keep-functions")
    assert out.read_text("utf-8").splitlines() == TREES
    done("convert", docs, out, "--force")
    assert "SBJ" not in out.read_text("utf-8")


def test_a_function_alone_is_explained():
    assert spacy_gfl.explain("SBJ") == "subject"
    # A tag comes first, and a hyphen says which is meant.
    assert spacy_gfl.explain("PRP") != spacy_gfl.explain("-PRP") == "purpose or reason"


def test_pictures_show_functions_small(doc):
    pytest.importorskip("svgling")
    for item in (doc, next(doc.sents)):
        svg = spacy_gfl.render(item, jupyter=False, options={"colors": {"NP": "red"}})
        (first, *_) = svg.split("\n\n")
        root = ElementTree.fromstring(first)
        small = [node.text for node in root.iter() if node.tag.endswith("tspan")]
        assert small == ["-SBJ", "-TMP"]


def test_scores_are_of_constituents_that_are_right():
    gold = spacy_gfl.read_trees(LEFT, clean=False)
    (reference,) = spacy_gfl.trees_to_docs(gold, Vocab())
    wrong = LEFT.replace("NP-SBJ", "NP-TPC").replace("(PP-TMP", "(ADVP-TMP")
    example = Example(make_doc(wrong, vocab=reference.vocab), reference)
    scores = FunctionScorer({"grammatical": ["SBJ"], "time": ["TMP"]})([example])
    # Of six constituents, the ADVP is not gold's.
    assert scores["fun_right"] == 5 / 6
    assert (scores["fun_f"], scores["fun_grammatical_r"]) == (0, 0)
    assert (scores["fun_other_p"], scores["fun_time_f"]) == (0, None)
    assert set(scores["fun_per_tag"]) == {"SBJ", "TPC"}
    bare = Example(example.predicted, example.predicted)
    assert FunctionScorer()([bare])["fun_f"] is None


def test_learns_on_predicted_trees_what_gold_has_too(trained, treebank):
    nlp, _ = trained
    (example, *_) = FunctionCorpus(treebank, gold_trees=False)(nlp)
    # Another tree: Rome and the rest are one phrase.
    words = "(NP (XX She)) (VP (XX left) (NP (XX Rome) (PP (XX on) (NP (XX Monday)))))"
    set_trees(example.predicted, [f"(S {words} (. .))"])
    losses = nlp.update([example], losses={})
    assert losses[NAME] > 0


def test_training_data_without_functions_or_trees_are_refused(treebank):
    nlp = spacy.blank("en")
    nlp.add_pipe(NAME)
    corpus = FunctionCorpus(treebank, gold_trees=False)
    with pytest.raises(ValueError, match="--keep-functions"):
        nlp.initialize(lambda: corpus(nlp))
    with pytest.raises(TypeError):
        nlp.initialize(lambda: [make_doc(LEFT)])
    with pytest.raises(ValueError, match="E143"):
        nlp("Not initialized.")


def test_of_rare_combinations_the_first_part_is_learnt(treebank, tmp_path):
    path = tmp_path / "more.ptb"
    path.write_text("\n".join([LEFT, IS.replace("LOC", "TMP")]), encoding="utf-8")
    nlp = spacy.blank("en")
    pipe = nlp.add_pipe(NAME, config={"min_count": 2})
    nlp.initialize(lambda: FunctionCorpus(path)(nlp))
    assert pipe.labels == ("SBJ", "TMP")
    again = spacy.blank("en").add_pipe(NAME)
    again.initialize(lambda: FunctionCorpus(path)(nlp), labels=pipe.label_data)
    assert again.label_data == pipe.label_data


def test_docs_that_were_tagged_and_corrected_are_gold(tmp_path):
    DocBin(docs=[make_doc(*TREES)]).to_disk(tmp_path / "docs.spacy")
    (example,) = FunctionCorpus(tmp_path / "docs.spacy")(spacy.blank("en"))
    assert [tree.brackets() for tree in get_trees(example.reference)] == TREES
    assert "SBJ" not in tagged(example.predicted)[0]
