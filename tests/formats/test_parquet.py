import pytest
import spacy
from helpers.pipelines import BRACKETS, make_examples

from spacy_gfl.annotation.storage import SPANS_KEY, get_trees
from spacy_gfl.data.inputs import InputFormat, read_docs, read_treebank
from spacy_gfl.formats import parquet
from spacy_gfl.formats.files import FormatError
from spacy_gfl.formats.parquet import read_column

pytest.importorskip("pyarrow")


@pytest.fixture
def docs():
    nlp = spacy.blank("en")
    docs = [eg.reference for eg in make_examples(nlp, BRACKETS, n_sents=3)]
    docs[0].spans[SPANS_KEY].attrs["log_probs"] = [-1.5, -2.0, -0.25]
    return docs


def test_trees_come_back(docs, tmp_path, monkeypatch):
    monkeypatch.setattr(parquet, "N_ROWS", 3)  # More rows than are written at a time.
    path = tmp_path / "trees.parquet"
    parquet.write(path, docs)
    nlp = spacy.blank("en")
    found = [get_trees(doc)[0] for doc in read_treebank(path, nlp.vocab)]
    assert found == [tree for doc in docs for tree in get_trees(doc)]
    texts = [sent.text for doc in docs for sent in doc.sents]
    assert [doc.text for doc in read_docs(nlp, path)] == texts
    table = pytest.importorskip("pyarrow.parquet").read_table(path)
    assert table["doc"].to_pylist() == [0, 0, 0, 1]
    assert table["log_prob"].to_pylist() == [-1.5, -2.0, -0.25, None]


@pytest.mark.parametrize("log_probs", [[-1.5], [None] * 3, "abc", -1.5], ids=str)
def test_edited_log_probabilities_are_not_written(docs, log_probs, tmp_path):
    path = tmp_path / "trees.parquet"
    docs[0].spans[SPANS_KEY].attrs["log_probs"] = log_probs
    parquet.write(path, docs)
    table = pytest.importorskip("pyarrow.parquet").read_table(path)
    assert table["log_prob"].to_pylist() == [None] * 4


def test_wrong_files_and_missing_columns_are_refused(docs, tmp_path):
    path = tmp_path / "trees.parquet"
    path.write_text("(S (NP (PRP We)))")
    with pytest.raises(FormatError, match="not Parquet"):
        list(read_treebank(path, spacy.blank("en").vocab, InputFormat.PARQUET))
    parquet.write(path, docs)
    with pytest.raises(FormatError, match="no column words; there are doc, text"):
        list(read_column(path, "words"))
    with pytest.raises(FormatError, match="column doc has other values than text"):
        list(read_column(path, "doc"))
    with pytest.raises(FileNotFoundError):
        list(read_column(tmp_path / "missing.parquet", "text"))
