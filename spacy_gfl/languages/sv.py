"""Swedish: the common scheme. Possessors stand before their noun."""

from spacy_gfl.languages.base import Spacing
from spacy_gfl.languages.xx import common_language

LANGUAGE = common_language(
    "sv",
    # A possessor has no label of its own: (NP statens maskineri).
    heads="""
        NP right| NOUN
        NP left|  PROPN
        NP left   PRON NP NUM QP X SYM ADJ DET VERB ADJP
    """,
    labels={
        "ADVP": "also the particle of a verb: (VP komma (ADVP undan))",
        "PP": "also of som, as: som 1926",
        "SBAR": "of att, that, and of relative som: (SBAR (PRON som) (VP sade))",
        "VP": "with att of an infinitive: att skriva",
    },
    spacing=Spacing(quotes="””»»’’"),
)
