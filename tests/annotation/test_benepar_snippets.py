"""The usage that benepar's README shows, with no name changed but the pipe's."""

import nltk
import pytest
import spacy
from helpers.docs import token_doc
from helpers.pipelines import NAME, make_examples, make_pipeline, train

TEXT = "The time for action is now. It's never too late to do something."
NOW = (
    "(S (NP (NP (DT The) (NN time)) (PP (IN for) (NP (NN action)))) "
    "(VP (VBZ is) (ADVP (RB now))) (. .))"
)
LATE = (
    "(S (NP (PRP It)) (VP (VBZ 's) (ADVP (RB never)) (ADJP (RB too) (JJ late) "
    "(S (VP (TO to) (VP (VB do) (NP (NN something))))))) (. .))"
)


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A pipeline from disk that has learned the README's sentences by heart.

    What benepar's models know of tags, rules for single words know here.
    """
    nlp = make_pipeline(width=16)
    ruler = nlp.add_pipe("attribute_ruler", before=NAME)
    examples = make_examples(nlp, [NOW, LATE])
    nlp.initialize(lambda: examples)
    for example in examples:
        for token in example.reference:
            ruler.add([[{"ORTH": token.text}]], {"TAG": token.tag_})
    train(nlp, examples)
    path = tmp_path_factory.mktemp("pipeline")
    nlp.to_disk(path)
    return spacy.load(path)


def test_benepars_example_for_spacy_works_with_the_pipe_renamed(trained, capsys):
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("attribute_ruler", source=trained)
    nlp.add_pipe("constituency_parser", source=trained)
    doc = nlp(TEXT)
    sent = list(doc.sents)[0]  # noqa: RUF015
    print(sent._.parse_string)
    assert capsys.readouterr().out == NOW + "\n"
    assert sent._.labels == ("S",)
    assert list(sent._.children)[0].text == "The time for action"  # noqa: RUF015


def test_given_words_and_tags_are_kept_in_nltk_trees(trained):
    words, tags = '"|Fly|safely|.|"', "``|VB|RB|.|''"
    doc = trained(token_doc(words, vocab=trained.vocab, tags=tags))
    tree = next(doc.sents)._.parse_tree
    assert isinstance(tree, nltk.Tree)
    assert tree.leaves() == ['"', "Fly", "safely", ".", '"']
    assert [tag for _, tag in tree.pos()] == ["``", "VB", "RB", ".", "''"]


def test_sentences_of_given_words_are_parsed_in_a_batch(trained):
    sentences = (
        "The|time|for|action|is|now|.",
        "It|'s|never|too|late|to|do|something|.",
    )
    docs = [token_doc(words, vocab=trained.vocab) for words in sentences]
    trees = [next(doc.sents)._.parse_tree for doc in trained.pipe(docs)]
    assert trees == [nltk.Tree.fromstring(NOW), nltk.Tree.fromstring(LATE)]
