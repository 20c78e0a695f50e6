"""A component of spacy-transformers to which the parser listens."""

import json

import pytest
import spacy
from helpers.encoders import make_folder
from helpers.pipelines import NAME, add_parser, blank, make_examples

from spacy_gfl import get_trees


def test_a_transformer_component_can_be_listened_to(tmp_path):
    pytest.importorskip("spacy_transformers")
    folder = make_folder(tmp_path / "bert")
    config = {"tokenizer_class": "PreTrainedTokenizerFast", "pad_token": "<pad>"}
    (folder / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")
    nlp = blank()
    model = {
        "@architectures": "spacy-transformers.TransformerModel.v3",
        "name": str(folder),
        "get_spans": {"@span_getters": "spacy-transformers.doc_spans.v1"},
        "tokenizer_config": {},
        "transformer_config": {},
        "mixed_precision": False,
        "grad_scaler_config": {},
    }
    nlp.add_pipe("transformer", config={"model": model})
    listener = {
        "@architectures": "spacy-transformers.TransformerListener.v1",
        "pooling": {"@layers": "reduce_mean.v1"},
        "grad_factor": 1.0,
    }
    add_parser(nlp, listener)
    optimizer = nlp.initialize(lambda: make_examples(nlp))
    examples = make_examples(nlp)
    losses = [nlp.update(examples, sgd=optimizer)[NAME] for _ in range(20)]
    assert losses[-1] < losses[0]
    nlp.to_disk(tmp_path / "saved")
    docs = [
        pipeline("The dog barks .")
        for pipeline in (nlp, spacy.load(tmp_path / "saved"))
    ]
    trees = [get_trees(doc) for doc in docs]
    assert trees[0] == trees[1]
    assert len(trees[0]) == 1
    with (
        nlp.select_pipes(disable="transformer"),
        pytest.warns(UserWarning, match=r"listens to .*transformer"),
    ):
        nlp("the dog barks .")
