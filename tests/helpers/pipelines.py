"""Small pipelines and treebanks for the tests of the component."""

from functools import lru_cache
from typing import Any, Callable, Dict, Iterable, List, Optional

import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import fix_random_seed
from thinc.api import Adam, Optimizer

from spacy_gfl.annotation.building import trees_to_docs
from spacy_gfl.parser.component import ConstituencyParser
from spacy_gfl.trees.brackets import parse_tree
from spacy_gfl.trees.tree import Tree

NAME = "constituency_parser"

BRACKETS = (
    "(S (NP (DT The) (NN dog)) (VP (VBZ barks)) (. .))",
    "(S (NP (PRP She)) (VP (VBD saw) (NP (NP (DT a) (NN man)) (PP (IN with)"
    " (NP (DT a) (NN hat))))) (. .))",
    "(FRAG (INTJ (UH Yes)))",
    "(SBARQ (WHNP (WP Who)) (SQ (VP (VBD left) (NP (DT the) (NN room)))) (. ?))",
)


def table(width: int = 24, **settings: Any) -> Dict[str, Any]:
    return {
        "@architectures": "spacy_gfl.WordTable.v1",
        "width": width,
        "max_words": 1000,
        **settings,
    }


def listener(width: int = 24) -> Dict[str, Any]:
    return {
        "@architectures": "spacy.Tok2VecListener.v1",
        "width": width,
        "upstream": "*",
    }


def hash_embed(width: int = 24) -> Dict[str, Any]:
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
    tok2vec: Optional[Dict[str, Any]] = None, **settings: Any
) -> Dict[str, Any]:
    """A model that learns a few trees in a second."""
    return {
        "@architectures": "spacy_gfl.Seq2Seq.v1",
        "tok2vec": tok2vec or table(),
        "width": 24,
        "depth": 1,
        "cell": "standard",
        "bias": True,
        **settings,
    }


def add_parser(
    nlp: Language,
    tok2vec: Optional[Dict[str, Any]] = None,
    search: Optional[Dict[str, Any]] = None,
    **settings: Any,
) -> ConstituencyParser:
    config: Dict[str, Any] = {"model": model_config(tok2vec, **settings)}
    if search is not None:
        config["search"] = search
    parser = nlp.add_pipe(NAME, config=config)
    assert isinstance(parser, ConstituencyParser)
    return parser


def make_pipeline(
    tok2vec: Optional[Dict[str, Any]] = None,
    search: Optional[Dict[str, Any]] = None,
    **settings: Any,
) -> Language:
    """A sentencizer and an uninitialised parser."""
    fix_random_seed(0)
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    add_parser(nlp, tok2vec, search, **settings)
    return nlp


def trees(brackets: Iterable[str] = BRACKETS) -> List[Tree]:
    return [parse_tree(text) for text in brackets]


def make_examples(
    nlp: Language, brackets: Iterable[str] = BRACKETS, n_sents: int = 1
) -> List[Example]:
    docs = trees_to_docs(trees(brackets), nlp.vocab, n_sents=n_sents)
    return [Example(copy_words(doc), doc) for doc in docs]


def copy_words(doc: Doc) -> Doc:
    """A Doc of the same tokens without annotation."""
    words = [token.text for token in doc]
    return Doc(doc.vocab, words, [bool(token.whitespace_) for token in doc])


def initialized(**arguments: Any) -> Language:
    nlp = make_pipeline(**arguments)
    examples = make_examples(nlp)
    nlp.initialize(lambda: examples)
    return nlp


def train(
    nlp: Language,
    examples: Optional[List[Example]] = None,
    steps: int = 150,
    optimizer: Optional[Optimizer] = None,
    stop: Optional[Callable[[float], bool]] = None,
    **update: Any,
) -> float:
    """Update on all examples at a time; gives the last loss."""
    examples = make_examples(nlp) if examples is None else examples
    optimizer = optimizer or Adam(0.02, L2=0.0, grad_clip=0.0)
    loss = 0.0
    for _ in range(steps):
        fresh = [Example(copy_words(eg.reference), eg.reference) for eg in examples]
        loss = nlp.update(fresh, sgd=optimizer, drop=0.0, **update)[NAME]
        if loss < 0.2 if stop is None else stop(loss):
            break
    return loss


@lru_cache(maxsize=1)
def _trained_bytes() -> bytes:
    nlp = initialized()
    train(nlp)
    return nlp.to_bytes()


def trained() -> Language:
    """A pipeline that knows the trees of BRACKETS, trained once a session."""
    return make_pipeline().from_bytes(_trained_bytes())


def get_parser(nlp: Language) -> ConstituencyParser:
    parser = nlp.get_pipe(NAME)
    assert isinstance(parser, ConstituencyParser)
    return parser


def get_module(nlp: Language) -> Any:
    return get_parser(nlp).model.get_ref("network").shims[0]._model


def parse(nlp: Language, brackets: Iterable[str] = BRACKETS) -> List[str]:
    """The pipeline's trees of the words of these, without tags."""
    docs = [copy_words(eg.reference) for eg in make_examples(nlp, brackets)]
    return [found for doc in nlp.pipe(docs) for found in doc._.parse_strings]


def without_tags(brackets: str) -> str:
    tree = parse_tree(brackets)
    return str(Tree(tree.words, ("XX",) * len(tree), tree.constituents))
