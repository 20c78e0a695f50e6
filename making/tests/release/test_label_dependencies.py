"""Trees on gold dependencies by a parser that knows no words."""

import runpy

import pytest
import spacy
from helpers.pipelines import initialized
from helpers.reading import ROOT

from spacy_gfl.annotation.dependencies import spans_from_dependencies
from spacy_gfl.tools.treebanks.formats import docbin

GERMAN = """\
1	Der	der	DET	_	_	2	det	_	_
2	Hund	Hund	NOUN	_	_	5	nsubj	_	_
3	im	in	ADP	_	_	4	case	_	_
4	Garten	Garten	NOUN	_	_	2	nmod	_	_
5	schläft	schlafen	VERB	_	_	0	root	_	_
6	.	.	PUNCT	_	_	5	punct	_	_

"""
ENGLISH = GERMAN
for old, new in {"Der": "The", "Hund": "dog", "im": "in", "Garten": "towns"}.items():
    ENGLISH = ENGLISH.replace(f"\t{old}\t", f"\t{new}\t")


@pytest.fixture(scope="module")
def script():
    return runpy.run_path(str(ROOT / "making" / "release" / "label_dependencies.py"))


def docs_of(script, folder, text):
    (folder / "bank.conllu").write_text(text, encoding="utf-8")
    return list(script["read"](folder / "bank.conllu", spacy.blank("xx").vocab))


def test_features_are_of_dependencies_and_not_of_words(script, tmp_path):
    [german] = docs_of(script, tmp_path, GERMAN)
    [english] = docs_of(script, tmp_path, ENGLISH)
    assert [token.text for token in german] != [token.text for token in english]
    shown = [[token.text for token in script["features"](d)] for d in (german, english)]
    assert shown[0] == shown[1]
    # No two words of this sentence play one part.
    assert len(set(shown[0])) == len(german)
    [other] = docs_of(script, tmp_path, GERMAN.replace("nsubj", "obj"))
    assert script["describe"](other[1]) != script["describe"](german[1])


def test_trees_have_the_constituents_of_the_dependencies(script, tmp_path):
    docs_of(script, tmp_path, GERMAN)
    initialized().to_disk(tmp_path / "model")
    out = tmp_path / "de" / "train.spacy"
    script["label"]([tmp_path / "bank.conllu"], out, str(tmp_path / "model"), "de")
    [doc] = docbin.read(out, spacy.blank("de").vocab)
    extents = {(span.start, span.end) for span in doc.spans["constituents"]}
    required = {(span.start, span.end) for span in spans_from_dependencies(doc)}
    assert required == {(0, 4), (2, 4)}
    assert required <= extents
    assert [token.tag_ for token in doc] == [
        *("DET", "NOUN", "ADP", "NOUN", "VERB", "PUNCT")
    ]


def test_a_labeller_learns_from_trees_that_agree_with_dependencies(script, tmp_path):
    [doc] = docs_of(script, tmp_path, ENGLISH)
    initialized().to_disk(tmp_path / "model")
    train, dev = tmp_path / "shown" / "train.spacy", tmp_path / "shown" / "dev.spacy"
    bank = [tmp_path / "bank.conllu", tmp_path / "bank.conllu"]
    script["show"](bank, train, dev, str(tmp_path / "model"))
    vocab = spacy.blank("xx").vocab
    for file in (train, dev):
        [shown] = docbin.read(file, vocab)
        assert [token.text for token in shown] == [
            token.text for token in script["features"](doc)
        ]
        extents = {(span.start, span.end) for span in shown.spans["constituents"]}
        # That of the prepositional phrase, a constituent in the common scheme too.
        assert (2, 4) in extents
