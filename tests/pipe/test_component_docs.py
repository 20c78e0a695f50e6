"""Prediction on all kinds of Docs, alone and in batches."""

import math
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, product

import pytest
import torch
from helpers.pipelines import (
    ARCHITECTURES,
    ATTACH_JUXTAPOSE,
    get_module,
    get_parser,
    initialized,
    log_probs,
    trained,
)
from spacy.tokens import Doc
from spacy.util import raise_error

from spacy_gfl import get_trees

TEXTS = [
    "The dog barks.",
    "",
    "Yes",
    "She saw a man with a hat. The dog barks.",
    "   ",
    "Who left the room? Yes. She saw the dog with a hat with a dog with a hat.",
    "\n",
    "\n\nThe dog \n barks .\n\nYes\n",
    "(The) [dog] {barks} -LRB- <>.",
    "🐕 barks 👩‍👩‍👧 e\u0301 שלום.",
]


PROCESSES = """
import multiprocessing
from concurrent.futures import ThreadPoolExecutor
import numpy
import torch
from helpers.pipelines import initialized
from thinc.api import Adam, ArgsKwargs
from spacy_gfl.model.shim import NetworkShim
from spacy_gfl.tools.training.few_bits import save_in_bits


def work(shim):
    shim.from_bytes(shim.to_bytes())
    ones = torch.from_numpy(numpy.ones((1000, 1000), "float32"))
    inputs = ArgsKwargs((ones,), {})
    shim.predict(inputs)
    output, backprop = shim.begin_update(inputs)
    backprop(ArgsKwargs(((output,),), {"grad_tensors": (ones,)}))
    shim.finish_update(Adam(0.01))
    shim.to_bytes()


if __name__ == "__main__":
    torch.set_num_threads(2)
    square = torch.ones(1000, 1000)
    square @ square
    nlp = initialized()
    texts = ["The dog barks. Yes."] * 4
    # What a process finds out of the processor is not known yet.
    multiprocessing.set_start_method("fork")
    found = list(nlp.pipe(texts, n_process=2, batch_size=2))
    assert all(doc._.parse_strings for doc in found)
    shim = NetworkShim(torch.nn.Linear(1000, 1000), build=torch.nn.Linear)
    shim.network.settings = {"in_features": 1000, "out_features": 1000}
    save_in_bits(shim.network, 16)
    with multiprocessing.Pool(1) as pool:
        pool.apply_async(work, (shim,)).get(timeout=60)
    alone = [doc._.parse_strings for doc in nlp.pipe(texts)]
    with ThreadPoolExecutor(3) as pool:
        found = pool.map(lambda text: nlp(text)._.parse_strings, texts)
        assert list(found) == alone
        for method in ("fork", "spawn"):
            multiprocessing.set_start_method(method, force=True)
            found = nlp.pipe(texts, n_process=2, batch_size=2)
            assert [doc._.parse_strings for doc in found] == alone
    assert torch.get_num_threads() == 2
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_processes_can_be_started_from_threads(tmp_path):
    """Torch's threads do not survive a fork: work for them would never be done."""
    script = tmp_path / "processes.py"
    script.write_text(PROCESSES, encoding="utf8")
    env = dict(os.environ, PYTHONPATH=os.pathsep.join(sys.path), OMP_NUM_THREADS="2")
    command = [sys.executable, "-W", "ignore", str(script)]
    subprocess.run(command, env=env, check=True, timeout=240)


@pytest.mark.usefixtures("hasty_threads")
def test_threads_that_share_a_pipeline_change_nothing():
    settings = {"architecture": ATTACH_JUXTAPOSE}
    alone, shared = (initialized(**settings) for _ in range(2))
    texts = [" ".join(TEXTS[i % 10] for i in range(n % 9)) for n in range(32)]
    parts = [texts[i::4] for i in range(4)]
    expected = [[log_probs(alone(text)) for text in part] for part in parts]
    with ThreadPoolExecutor(4) as pool:
        run = pool.map(lambda part: [log_probs(shared(x)) for x in part], parts)
        found = list(run)
    for one, other in zip(chain(*expected), chain(*found), strict=True):
        assert one == pytest.approx(other, abs=1e-4)


def test_only_the_broken_doc_is_lost(nlp):
    """An error in a batch is that of one Doc, and it alone goes to the handler."""
    docs = [nlp.make_doc(text) for text in TEXTS]
    broken = Doc(nlp.vocab, ["No", "sentences", "."])
    lost = []

    def handle(name, parser, failed, error):
        lost.extend((doc, str(error)) for doc in failed)

    parser = get_parser(nlp)
    with nlp.select_pipes(enable="sentencizer"):
        docs = list(nlp.pipe(docs))
    stream = [*docs[:4], broken, *docs[4:]]
    with pytest.raises(ValueError, match="no sentence boundaries"):
        list(parser.pipe(stream))
    parser.set_error_handler(handle)
    try:
        found = list(parser.pipe(stream, batch_size=6))
    finally:
        parser.set_error_handler(raise_error)
    for one, expected in zip(found, nlp.pipe(TEXTS), strict=True):
        assert one._.parse_strings == expected._.parse_strings
    [(doc, message)] = lost
    assert doc is broken
    assert "no sentence boundaries" in message


@pytest.mark.parametrize("objective", ["max_probability", "max_f1"])
def test_sentences_too_long_to_be_searched_get_flat_trees(objective):
    nlp = trained()
    words = ["the", "dog", "barks"] * 100
    doc = nlp(Doc(nlp.vocab, words))
    assert doc.spans["constituents"].attrs["flags"] == ["ok"]
    [tree] = get_trees(doc)
    assert len(tree) == 300
    search = get_parser(nlp).search
    search.max_words, search.objective, search.probabilities = 3, objective, True
    long, doc = nlp.pipe([Doc(nlp.vocab, words), "Dogs bark. Yes. The dog barks."])
    assert long.spans["constituents"].attrs["flags"] == ["flat"]
    # What was not searched is not certain.
    assert math.isnan(log_probs(long)[0])
    assert math.isnan(long[:]._.probability)
    assert get_trees(long)[0].constituents == ()
    group = doc.spans["constituents"]
    assert group.attrs["flags"] == ["ok", "ok", "flat"]
    *searched, flat = group
    assert all(0.0 <= span._.probability <= 1.0 for span in searched)
    assert flat.label_ == ""
    assert math.isnan(flat._.probability)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_non_finite_weights_give_flat_trees(architecture):
    nlp = initialized(architecture=architecture)
    with torch.no_grad():
        for parameter in get_module(nlp).parameters():
            parameter.fill_(float("nan"))
    search = get_parser(nlp).search
    for settings in (
        *product((1, 3), (True, False), ["max_probability"], [False]),
        *product([1], [True], ["max_probability", "max_f1"], [True]),
    ):
        search.beam_width, search.constrained, *others = settings
        search.objective, search.probabilities = others
        doc = nlp("The dog barks. Yes.")
        assert doc.spans["constituents"].attrs["flags"] == ["flat", "flat"]
        assert all(math.isnan(log_prob) for log_prob in log_probs(doc))
        assert [tree.constituents for tree in get_trees(doc)] == [(), ()]
        known = doc.spans["constituents"].attrs.get("probabilities", [])
        assert all(math.isnan(value) for value in known)
