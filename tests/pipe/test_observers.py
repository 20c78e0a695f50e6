"""The seams of the component: tasks that it is given, and observers of its parses."""

import pytest
from helpers.pipelines import get_parser, initialized, split, trained
from spacy.tokens import DocBin

from spacy_gfl.decoding.tasks import SearchTask

TEXT = "The dog barks. Yes."


def count_words(parser, docs, parses):
    """An observer at module level, so that worker processes get it too."""
    assert all("constituents" not in doc.spans for doc in docs)
    return [{"n_words": [len(parse.words) for parse in in_doc]} for in_doc in parses]


@pytest.fixture
def observed():
    nlp = trained()
    get_parser(nlp).observers.append(count_words)
    return nlp


def test_what_an_observer_says_is_kept_with_the_trees(observed):
    doc = observed(TEXT)
    assert doc.spans["constituents"].attrs["n_words"] == [4, 2]
    assert doc.spans["constituents"].attrs["flags"] == ["ok", "ok"]
    [kept] = DocBin(docs=[doc]).get_docs(observed.vocab)
    assert kept.spans["constituents"].attrs["n_words"] == [4, 2]


def test_observers_go_into_worker_processes(observed):
    docs = observed.pipe([TEXT] * 3, n_process=2, batch_size=1)
    found = [doc.spans["constituents"].attrs["n_words"] for doc in docs]
    assert found == [[4, 2]] * 3


def test_a_task_is_run_on_sentences_that_can_be_searched():
    nlp = trained()
    parser = get_parser(nlp)
    docs = [split(nlp, TEXT), nlp.make_doc(""), split(nlp, "\n")]
    before = [doc.to_bytes() for doc in docs]
    found = parser.run(docs, SearchTask(n_best=2, beam_width=4))
    assert [len(hypotheses) for hypotheses in found] == [2, 2]
    # Some words of one sentence alone.
    [[best]] = parser.run(docs, SearchTask(), [(0, [1, 2])])
    assert len(best.output) == 2
    parser.search.max_words = 3
    assert len(parser.run(docs, SearchTask())) == 1
    assert parser.run([], SearchTask()) == []
    assert [doc.to_bytes() for doc in docs] == before


def test_a_task_needs_a_network_and_sentences():
    nlp = initialized()
    parser = get_parser(nlp)
    with pytest.raises(ValueError, match="sentence"):
        parser.run([nlp.make_doc(TEXT)], SearchTask())
