"""Small pipelines and treebanks for the tests of the component."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import fix_random_seed
from thinc.api import Adam, Optimizer

from spacy_gfl import Tree, get_parser, parse_tree, trees_to_docs
from spacy_gfl.pipe.component import ConstituencyParser

NAME = "constituency_parser"

BRACKETS = (
    "(S (NP (DT The) (NN dog)) (VP (VBZ barks)) (. .))",
    "(S (NP (PRP She)) (VP (VBD saw) (NP (NP (DT a) (NN man)) (PP (IN with)"
    " (NP (DT a) (NN hat))))) (. .))",
    "(FRAG (INTJ (UH Yes)))",
    "(SBARQ (WHNP (WP Who)) (SQ (VP (VBD left) (NP (DT the) (NN room)))) (. ?))",
)


#: The architectures that are to pass the same tests.
SEQ2SEQ, ATTACH_JUXTAPOSE = "spacy_gfl.Seq2Seq.v1", "spacy_gfl.AttachJuxtapose.v1"
ARCHITECTURES = (SEQ2SEQ, ATTACH_JUXTAPOSE)
GENERATIVE = "spacy_gfl.GenerativeAttachJuxtapose.v1"
#: Sizes with which either learns a few trees in a second.
SMALL: dict[str, dict[str, Any]] = {
    SEQ2SEQ: {"cell": "lstm"},
    ATTACH_JUXTAPOSE: {"decoder_width": 16, "hidden_width": 24},
    GENERATIVE: {"decoder_width": 16, "hidden_width": 24},
}


def table() -> dict[str, Any]:
    """The layer of `en_gfl_paper`."""
    settings = {"width": 24, "max_words": 1000}
    return {"@architectures": "spacy_gfl.WordTable.v1", **settings}


def features(**settings: Any) -> dict[str, Any]:
    """The layer of `en_gfl_sm`."""
    return {"@architectures": "spacy_gfl.WordFeatures.v1", "word_width": 8, **settings}


def listener(width: int = 24) -> dict[str, Any]:
    settings = {"width": width, "upstream": "*"}
    return {"@architectures": "spacy.Tok2VecListener.v1", **settings}


def hash_embed(width: int = 24) -> dict[str, Any]:
    return {
        "@architectures": "spacy.HashEmbedCNN.v2",
        "width": width,
        "depth": 1,
        "embed_size": 100,
        "window_size": 1,
        "maxout_pieces": 2,
        "subword_features": False,
        "pretrained_vectors": None,
    }


def model_config(
    tok2vec: dict[str, Any] | None = None,
    architecture: str = ATTACH_JUXTAPOSE,
    **settings: Any,
) -> dict[str, Any]:
    """A model that learns a few trees in a second, on the layer that ships with it."""
    own = table() if architecture == SEQ2SEQ else features()
    return {
        "@architectures": architecture,
        "tok2vec": tok2vec or own,
        **{"width": 24, "depth": 1, **SMALL[architecture]},
        **settings,
    }


def add_parser(
    nlp: Language, tok2vec: dict[str, Any] | None = None, **settings: Any
) -> ConstituencyParser:
    parser = nlp.add_pipe(NAME, config={"model": model_config(tok2vec, **settings)})
    assert isinstance(parser, ConstituencyParser)
    return parser


def blank(**settings: Any) -> Language:
    """An English pipeline of a sentencizer alone."""
    nlp = spacy.blank("en", **settings)
    nlp.add_pipe("sentencizer")
    return nlp


def make_pipeline(tok2vec: dict[str, Any] | None = None, **settings: Any) -> Language:
    """A sentencizer and an uninitialised parser."""
    fix_random_seed(0)
    nlp = blank()
    add_parser(nlp, tok2vec, **settings)
    return nlp


def make_shared(architecture: str = ATTACH_JUXTAPOSE) -> Language:
    """A tok2vec, a sentencizer and a parser that listens, initialised."""
    nlp = make_pipeline(listener(), architecture=architecture)
    nlp.add_pipe("tok2vec", config={"model": hash_embed()}, first=True)
    nlp.initialize(lambda: make_examples(nlp))
    return nlp


def trees(brackets: Iterable[str] = BRACKETS) -> list[Tree]:
    return [parse_tree(text) for text in brackets]


def make_examples(
    nlp: Language, brackets: Iterable[str] = BRACKETS, n_sents: int = 1
) -> list[Example]:
    docs = trees_to_docs(trees(brackets), nlp.vocab, n_sents=n_sents)
    return [Example(copy_words(doc), doc) for doc in docs]


def copy_words(doc: Doc) -> Doc:
    """A Doc of the same tokens without annotation."""
    spaces = [bool(token.whitespace_) for token in doc]
    return Doc(doc.vocab, [token.text for token in doc], spaces)


def split(nlp: Language, text: str) -> Doc:
    """A Doc with sentences and no trees."""
    return nlp.get_pipe("sentencizer")(nlp.make_doc(text))


def without_trees(nlp: Language) -> Example:
    """An Example of three words whose reference has no tree."""
    words = ["No", "tree", "."]
    return Example(Doc(nlp.vocab, words), Doc(nlp.vocab, words, sent_starts=[1, 0, 0]))


def without_words(nlp: Language) -> Example:
    """An Example of two empty Docs."""
    return Example(Doc(nlp.vocab), Doc(nlp.vocab))


def initialized(**arguments: Any) -> Language:
    nlp = make_pipeline(**arguments)
    examples = make_examples(nlp)
    nlp.initialize(lambda: examples)
    return nlp


def train(
    nlp: Language,
    examples: list[Example] | None = None,
    steps: int = 150,
    optimizer: Optimizer | None = None,
    enough: float = 0.2,
    **update: Any,
) -> float:
    """Update on all examples at a time until the loss is below enough, and give it."""
    examples = make_examples(nlp) if examples is None else examples
    optimizer = optimizer or Adam(0.02, L2=0.0, grad_clip=0.0)
    loss = 0.0
    for _ in range(steps):
        fresh = [Example(copy_words(eg.reference), eg.reference) for eg in examples]
        loss = nlp.update(fresh, sgd=optimizer, drop=0.0, **update)[NAME]
        if loss < enough:
            break
    return loss


@lru_cache(maxsize=None)
def _trained_bytes(steps: int, **settings: Any) -> bytes:
    nlp = initialized(**settings)
    train(nlp, steps=steps)
    return nlp.to_bytes()


def trained(
    architecture: str = ATTACH_JUXTAPOSE, steps: int = 150, **settings: Any
) -> Language:
    """A pipeline trained once a session, in 150 steps to know the trees of BRACKETS."""
    settings["architecture"] = architecture
    return make_pipeline(**settings).from_bytes(_trained_bytes(steps, **settings))


def get_module(nlp: Language) -> Any:
    return get_parser(nlp).model.get_ref("network").shims[0].network


def parse(nlp: Language, brackets: Iterable[str] = BRACKETS) -> list[str]:
    """The pipeline's trees of the words of these, without tags."""
    docs = nlp.pipe(eg.predicted for eg in make_examples(nlp, brackets))
    found = [brackets for doc in docs for brackets in doc._.parse_strings]
    return [without_tags(brackets) for brackets in found]


def log_probs(doc: Doc) -> list[float]:
    """What the parser said of each sentence's tree."""
    return doc.spans["constituents"].attrs["log_probs"]


def annotated(nlp: Language) -> tuple[list[list[str]], list[float]]:
    """The pipeline's trees of the gold sentences, and their log-probabilities."""
    docs = list(nlp.pipe(eg.reference.copy() for eg in make_examples(nlp)))
    return [d._.parse_strings for d in docs], [log_probs(d)[0] for d in docs]


def without_tags(brackets: str) -> str:
    tree = parse_tree(brackets)
    return str(Tree(tree.words, ("XX",) * len(tree), tree.constituents))


#: What a pipeline that knows the trees of BRACKETS says.
LEARNT = [without_tags(text) for text in BRACKETS]
