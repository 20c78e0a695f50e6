"""One sentence has one tree, however it is parsed."""

from functools import partial

import pytest
import torch
from helpers.docs import token_doc
from helpers.pipelines import (
    ARCHITECTURES,
    BRACKETS,
    get_parser,
    initialized,
    log_probs,
    make_examples,
    trained,
)
from thinc.api import Adam

from spacy_gfl.decoding import batches

SENTENCES = [
    *("The dog barks .", "Yes", "She saw a man with a hat .", "( The [ dog ]", "\n"),
    "Who left the room with a dog with a hat with a dog with a hat ?",
    *("A a a a a a a", "The dog saw the room .", "\U0001f415 barks e\u0301", "No !"),
]


def doc_of(nlp, sentences):
    return token_doc(*(s.replace(" ", "|") for s in sentences), vocab=nlp.vocab)


def parsed(nlp, sentences=SENTENCES, **settings):
    """The trees of the sentences, each a Doc, and their log-probabilities."""
    docs = nlp.pipe([doc_of(nlp, [text]) for text in sentences], **settings)
    return [answer for doc in docs for answer in answers(doc)]


def answers(doc):
    return list(zip(doc._.parse_strings, log_probs(doc), strict=True))


def in_sub_batches(nlp, n_words):
    get_parser(nlp).search.batch_words = n_words
    return parsed(nlp)


def with_threads(nlp, number):
    before = torch.get_num_threads()
    torch.set_num_threads(number)
    try:
        with pytest.MonkeyPatch.context() as patch:
            # A batch for each thread, of the few words that there are.
            patch.setattr(batches, "LEAST_WORDS", 1)
            return parsed(nlp)
    finally:
        torch.set_num_threads(before)


CONDITIONS = {
    **{f"batches of {n}": partial(parsed, batch_size=n) for n in (1, 3)},
    **{
        f"sub-batches of {n}": partial(in_sub_batches, n_words=n)
        for n in (1, 12, 10**6)
    },
    **{f"{n} threads": partial(with_threads, number=n) for n in (1, 3)},
    "two processes": partial(parsed, n_process=2, batch_size=3),
    "backwards": lambda nlp: parsed(nlp, SENTENCES[::-1])[::-1],
    "one Doc": lambda nlp: answers(nlp(doc_of(nlp, SENTENCES))),
}


def exact(architecture, width):
    """A trained pipeline that computes in float32, where batches differ least."""
    nlp = trained(architecture)
    search = get_parser(nlp).search
    search.precision, search.beam_width = "fp32", width
    return nlp


@pytest.fixture(scope="module", params=ARCHITECTURES)
def expected(request):
    """The answers of a pipeline, greedy and with a beam."""
    answers_of = {width: parsed(exact(request.param, width)) for width in (1, 3)}
    return request.param, answers_of


@pytest.mark.parametrize("width", [1, 3])
@pytest.mark.parametrize("parse", CONDITIONS.values(), ids=CONDITIONS)
def test_a_tree_depends_on_its_sentence_alone(expected, parse, width):
    architecture, answers_of = expected
    nlp = exact(architecture, width)
    trees, expected_numbers = zip(*answers_of[width], strict=True)
    found, numbers = zip(*parse(nlp), strict=True)
    assert found == trees
    assert numbers == pytest.approx(expected_numbers, abs=1e-4)
    assert len(set(trees)) == len(SENTENCES) > len(BRACKETS)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_one_seed_gives_the_same_weights(architecture):

    def weights():
        nlp = initialized(architecture=architecture)
        optimizer = Adam(0.01)
        for _ in range(5):
            nlp.update(make_examples(nlp), sgd=optimizer, drop=0.3)
        return get_parser(nlp).model.to_bytes()

    assert weights() == weights()
