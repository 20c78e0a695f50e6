"""A training goes on with the components of a pipeline that was saved."""

import numpy
import pytest
from helpers.pipelines import NAME, hash_embed, make_examples, make_pipeline, table
from spacy.training.initialize import init_nlp
from spacy.util import load_config

from spacy_gfl import set_trees
from spacy_gfl.parser.model import parser_shim


def weights(nlp):
    """Everything that training changes, by where it is."""
    model = nlp.get_pipe(NAME).model
    module = parser_shim(model)._model
    found = {name: value.numpy() for name, value in module.state_dict().items()}
    for i, node in enumerate(model.walk()):
        for name in node.param_names:
            if node.has_param(name):
                found[f"{i} {node.name} {name}"] = node.get_param(name)
    return found


@pytest.mark.parametrize("tok2vec", [table(), hash_embed()], ids=["table", "hash"])
def test_sourced_components_keep_what_they_learned(tok2vec, data, tmp_path):
    nlp = make_pipeline(tok2vec=tok2vec)
    nlp.initialize(lambda: make_examples(nlp))
    last = tmp_path / "model-last"
    nlp.to_disk(last)
    # The config of docs/how-to/train.md, with data of other labels and words.
    config = load_config(last / "config.cfg")
    for name in config["nlp"]["pipeline"]:
        config["components"][name] = {"source": str(last)}
    for part in ("train", "dev"):
        config["corpora"][part] = {
            "@readers": "spacy_gfl.TreebankCorpus.v1",
            "path": str(data / "train.ptb"),
        }
    more = init_nlp(config)
    before, after = weights(nlp), weights(more)
    assert before.keys() == after.keys()
    for name, value in before.items():
        assert numpy.array_equal(value, after[name]), name
    assert more.get_pipe(NAME).labels == nlp.get_pipe(NAME).labels
    examples = make_examples(more)
    more.update(examples, sgd=more.resume_training())
    assert any(not numpy.array_equal(before[n], v) for n, v in weights(more).items())


def test_labels_that_a_trained_parser_lacks_are_said_once(caplog):
    nlp = make_pipeline()
    examples = make_examples(nlp)
    nlp.initialize(lambda: examples)
    nlp.update(examples)
    assert not caplog.messages
    doc = examples[0].reference
    tree = next(doc.sents)._.parse_tree
    tree.set_label("FRAG-NEW")
    set_trees(doc, [tree])
    for _ in range(2):
        nlp.update(examples)
    [message] = caplog.messages
    assert "has not learnt the labels FRAG-NEW" in message
