"""The common scheme: trees of all languages that have no treebank of their own here."""

import re
from dataclasses import replace

from spacy_gfl.languages import en
from spacy_gfl.languages.common import LABELS, UNIVERSAL, ToCommon
from spacy_gfl.languages.head_rules import head_rules
from spacy_gfl.languages.spacing import Spacing

# Nouns that stand side by side without a label are headed by the first (UD's flat), but
# where they follow what modifies them (`HEAD_LAST`) by the last, unless they are names.
_COLLINS = """
    ADJP   right| ADJ VERB
    ADJP   right  ADJP ADV NUM NOUN
    ADVP   right| ADV
    ADVP   left   ADVP ADP ADJ NOUN
    CONJP  left
    FRAG   left
    INTJ   left
    NP     left|  NOUN
    NP     left|  PROPN
    NP     left   PRON NP NUM QP X SYM ADJ DET VERB ADJP
    PP     left   ADP PP
    PP     left
    PRN    left   S VP NP
    QP     right| NUM
    QP     left   NOUN
    S      left   VP S SBAR NP ADJP
    SBAR   left   SCONJ ADP ADV PRON WHNP WHPP WHADVP WHADJP S VP
    UCP    left
    VP     left|  AUX VERB
    VP     left   VP S ADJP NP
    WHADJP right  ADJ
    WHADVP right  ADV
    WHNP   right| NOUN PROPN
    WHNP   left   PRON DET
    WHPP   left   ADP
"""
_SEMANTIC = """
    PP     left   NP PP VP S SBAR ADVP ADP
    SBAR   left   S VP SBAR NP ADJP
    VP     right| VERB
    VP     left   VP ADJP NP PP S AUX
    WHPP   left   WHNP NP PRON
"""
_HEAD_LAST = """
    NP     right| NOUN VERB
    NP     left|  PROPN
    NP     right  PRON NP NUM QP X SYM ADJ DET ADJP
"""
# There clauses end with their predicate, and verbs in a row are headed by the first.
_SEMANTIC_HEAD_LAST = """
    S      right| VP S NP ADJP
    VP     left|  VERB
    VP     left   VP ADJP NP PP S AUX
"""

LANGUAGE = replace(
    en.LANGUAGE,
    lang="xx",
    abbreviations=None,
    labels={**en.LANGUAGE.labels, **LABELS},
    tags={**en.LANGUAGE.tags, **dict.fromkeys(sorted(UNIVERSAL), "")},
    punctuation=en.LANGUAGE.punctuation | {"PUNCT"},
    conjunctions=en.LANGUAGE.conjunctions | {"CCONJ"},
    closed_class={},
    heads=head_rules(_COLLINS, _SEMANTIC),
    to_common=ToCommon(labels={}, tags={}),
    evalb_name="COMMON",
    evalb_deleted=frozenset({"PUNCT"}),
    spacing=Spacing(),
)
#: Languages whose nouns follow what modifies them.
HEAD_LAST = replace(
    LANGUAGE,
    heads=head_rules(
        re.sub("\n +NP .*", "", _COLLINS).rstrip() + _HEAD_LAST,
        re.sub("\n +VP .*", "", _SEMANTIC).rstrip() + _SEMANTIC_HEAD_LAST,
    ),
)
