"""The factories of the components, without PyTorch until one is made.

spaCy loads the factories of all installed packages for every pipeline. So this module
imports PyTorch neither itself nor through another.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from spacy.language import Language
from thinc.api import Config, Model

from spacy_gfl.annotation.storage import SPANS_KEY

if TYPE_CHECKING:
    from spacy_gfl.pipe.component import ConstituencyParser
    from spacy_gfl.sentences.sentence_rules import SentenceRules

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


@Language.factory(
    "sentence_rules",
    assigns=["token.is_sent_start"],
    retokenizes=True,
    default_config={"line_ends": False},
)
def make_sentence_rules(nlp: Language, name: str, line_ends: bool) -> "SentenceRules":
    """Construct SentenceRules, whose docstring says what its arguments are."""
    from spacy_gfl.sentences.sentence_rules import SentenceRules

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
    from spacy_gfl.pipe.component import ConstituencyParser

    return ConstituencyParser(
        nlp.vocab,
        model,
        name,
        search=search,
        spans_key=spans_key,
        predict_tags=predict_tags,
        scorer=scorer,
    )
