"""Function tags of constituents: subject, predicate, time, place, and so on.

This file has the component's factory alone: spaCy imports it for every pipeline.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from spacy.language import Language
from thinc.api import Model

if TYPE_CHECKING:
    from spacy_gfl.functions.component import ConstituentFunctions


@Language.factory(
    "constituent_functions",
    assigns=["doc.spans"],
    requires=["doc.spans"],
    default_config={
        "model": {"@architectures": "spacy_gfl.FunctionTagger.v1"},
        "min_count": 5,
        "none_weight": 0.5,
        "scorer": {"@scorers": "spacy_gfl.function_scorer.v1"},
    },
    default_score_weights={
        "fun_f": 1.0,
        "fun_p": None,
        "fun_r": None,
        "fun_grammatical_f": None,
        "fun_adverbial_f": None,
        "fun_other_f": None,
    },
)
def make_constituent_functions(
    nlp: Language,
    name: str,
    model: Model,
    min_count: int,
    none_weight: float,
    scorer: Callable | None,
) -> "ConstituentFunctions":
    """Construct ConstituentFunctions, whose docstring says what its arguments are."""
    from spacy_gfl.functions.component import ConstituentFunctions

    return ConstituentFunctions(
        nlp.vocab,
        model,
        name,
        min_count=min_count,
        none_weight=none_weight,
        scorer=scorer,
    )
