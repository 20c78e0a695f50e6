"""The parser of a pipeline: `spacy_gfl.get_parser(nlp)`."""

import pytest
import spacy

from spacy_gfl import get_parser
from spacy_gfl.pipe import pipelines


def test_the_last_parser_is_taken_unless_one_is_named():
    nlp = spacy.blank("en")
    first = nlp.add_pipe("constituency_parser", "first")
    last = nlp.add_pipe("constituency_parser", "last")
    assert get_parser(nlp) is last
    assert get_parser(nlp, "first") is first
    with nlp.select_pipes(disable="last"):
        assert get_parser(nlp) is first


def test_what_is_no_pipeline_is_refused():
    with pytest.raises(TypeError, match=r"takes a pipeline, not a str"):
        get_parser("en_gfl_sm")


@pytest.mark.parametrize("name", [None, "sentencizer", "gone"])
def test_a_pipeline_without_such_a_parser_is_refused(name):
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    with pytest.raises(ValueError, match=r"no constituency parser.* sentencizer"):
        get_parser(nlp, name)


@pytest.mark.parametrize(
    ("name", "meant"),
    [("en_gfl_ml", " Did you mean en_gfl_sm?"), ("de_dep_news", "")],
)
def test_a_name_like_that_of_an_installed_pipeline_is_asked_for(
    name, meant, monkeypatch
):
    installed = ["en_gfl_sm", "da_core_news_lg"]
    monkeypatch.setattr(pipelines, "get_installed_models", lambda: installed)
    with pytest.raises(ValueError, match=r"no pipeline") as refused:
        pipelines.load_pipeline(name)
    assert str(refused.value).endswith(f"or the folder of a pipeline.{meant}")
