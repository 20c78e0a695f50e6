"""The parser in spaCy's registries, without PyTorch until it is needed.

spaCy loads the factories of all installed packages for every pipeline. So this module
imports PyTorch neither itself nor through another, and what computes with it is
imported when the registry is asked for it by name.
"""

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from spacy.language import Language
from thinc.api import Config, Model

from spacy_gfl.annotation.storage import SPANS_KEY
from spacy_gfl.sentences.sentence_rules import SentenceRules

if TYPE_CHECKING:
    from spacy_gfl.pipe.component import ConstituencyParser

NEEDS_TORCH = (
    "The constituency parser computes with PyTorch, which cannot be imported: install "
    "it (`pip install torch`). Only to read, search, draw and compare trees needs none."
)
_MODULES = {
    "build_attach_juxtapose": "spacy_gfl.model.architectures",
    "build_ensemble": "spacy_gfl.model.architectures",
    "build_generative": "spacy_gfl.model.architectures",
    "build_seq2seq": "spacy_gfl.model.architectures",
    "build_transformer": "spacy_gfl.transformer.layer",
    "build_word_features": "spacy_gfl.embedding.word_features",
    "build_word_table": "spacy_gfl.seq2seq.word_table",
    "ConstituencyParser": "spacy_gfl.pipe.component",
}

DEFAULT_CONFIG = Config().from_str(
    """
[model]
@architectures = "spacy_gfl.AttachJuxtapose.v1"
width = 256
depth = 2

[model.tok2vec]
@architectures = "spacy.MultiHashEmbed.v2"
width = 256
rows = [5000, 1000, 2500, 1000]
attrs = ["NORM", "PREFIX", "SUFFIX", "SHAPE"]
include_static_vectors = false
"""
)


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return getattr(import_module(_MODULES[name]), name)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "torch":
            raise
        raise ImportError(NEEDS_TORCH) from None


@Language.factory(
    "sentence_rules",
    assigns=["token.is_sent_start"],
    retokenizes=True,
    default_config={"line_ends": False},
)
def make_sentence_rules(nlp: Language, name: str, line_ends: bool) -> SentenceRules:
    """Construct SentenceRules, whose docstring says what its arguments are."""
    return SentenceRules(nlp.lang or "xx", line_ends=line_ends)


@Language.factory(
    "constituency_parser",
    assigns=["doc.spans", "token.tag"],
    requires=["token.is_sent_start"],
    default_config={
        "model": DEFAULT_CONFIG["model"],
        "search": {},
        "spans_key": SPANS_KEY,
        "predict_tags": True,
        "scorer": {"@scorers": "spacy_gfl.bracket_scorer.v1"},
    },
    default_score_weights={
        "con_f": 1.0,
        "con_p": None,
        "con_r": None,
        "con_exact": None,
    },
)
def make_constituency_parser(
    nlp: Language,
    name: str,
    model: Model,
    search: dict[str, Any],
    spans_key: str,
    predict_tags: bool,
    scorer: Callable | None,
) -> "ConstituencyParser":
    """Construct a ConstituencyParser, whose docstring says what its arguments are."""
    return __getattr__("ConstituencyParser")(
        nlp.vocab,
        model,
        name,
        search=search,
        spans_key=spans_key,
        predict_tags=predict_tags,
        scorer=scorer,
    )
