"""What processes of a training do in tests. Other processes import this module."""

import spacy
import torch
from spacy.util import fix_random_seed

from spacy_gfl.data.corpus import TreebankCorpus
from spacy_gfl.tools.training.workers import _gradients

SMALL = {"width": 8, "decoder_width": 8, "hidden_width": 8, "depth": 1}


def pipeline(path):
    """A small parser of a treebank's labels, and the examples."""
    nlp = spacy.blank("en")
    model = {"@architectures": "spacy_gfl.AttachJuxtapose.v1", **SMALL}
    model["tok2vec"] = {"@architectures": "spacy_gfl.WordFeatures.v1"}
    nlp.add_pipe("constituency_parser", config={"model": model})
    examples = list(TreebankCorpus(path, n_sents=1)(nlp))
    fix_random_seed(0)
    nlp.initialize(lambda: examples)
    return nlp, examples


def gradients(nlp):
    return [None if g is None else g.clone() for _, g, _ in _gradients(nlp)]


def learn(workers, path, folder):
    """One update: write the gradients of this process, and those after sharing."""
    nlp, examples = pipeline(path)
    mine = examples[workers.place :: workers.count]
    own, _ = pipeline(path)
    fix_random_seed(workers.place)
    own.update(mine, sgd=False)
    fix_random_seed(workers.place)
    workers.share_gradients(nlp)
    losses = nlp.update(mine, sgd=False)
    assert losses["constituency_parser"] > 0
    score, others = workers.share_scores(lambda: (0.5 + workers.place, {"con_f": 1}))()
    assert score == 0.5
    assert others == ({"con_f": 1} if workers.writes else {})
    torch.save((gradients(own), gradients(nlp)), folder / f"{workers.place}.pt")
    print("only the first process prints")


def fail(workers, place):
    if workers.place == place:
        raise ValueError("no more")
    torch.distributed.all_reduce(torch.zeros(1))


class Broken:
    """What another process cannot load."""

    def __reduce__(self):
        return int, ("no number",)
