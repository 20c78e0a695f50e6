"""The labels and tags that a reader of Penn brackets knows, and the parts of a label.

`spacy_gfl.languages` explains what they mean.
"""

import re
from functools import lru_cache

_LABELS = """
    S SBAR SBARQ SINV SQ ADJP ADVP CONJP FRAG INTJ LST NAC NML NP NX PP PRN PRT QP RRC
    UCP VP WHADJP WHADVP WHNP WHPP X CAPTION CIT HEADING TITLE EDITED EMBED META TYPO
    TOP ROOT S1 VROOT
"""
_TAGS = """
    NN NNS NNP NNPS PRP PRP$ DT PDT POS CD EX JJ JJR JJS
    VB VBD VBG VBN VBP VBZ MD AUX AUXG BES HVS RP TO
    RB RBR RBS CC IN UH WDT WP WP$ WRB FW LS SYM ADD AFX GW XX -NONE-
    HYPH NFP . , : `` '' "" $ # -LRB- -RRB- -LSB- -RSB- -LCB- -RCB- _SP SP
"""
#: Labels of constituents, those of the root among them.
LABELS = frozenset(_LABELS.split())
#: Part-of-speech tags, punctuation included.
TAGS = frozenset(_TAGS.split())
#: Labels that nothing but a constituent has.
CONSTITUENTS = LABELS - TAGS - {"TOP", "ROOT", "S1", "VROOT", "X"}
# A label, and what follows it after the first - or = that is not its first
# character; -LRB- and -NONE- are whole labels.
_PARTS = re.compile(r"(-[^-=]+-|.[^-=]*)(.*)", re.DOTALL)


@lru_cache(maxsize=4096)
def split_label(label: str) -> tuple[str, str]:
    """Part a label from its function tags and indices.

    >>> split_label("NP-SBJ-1")
    ('NP', '-SBJ-1')
    """
    match = _PARTS.fullmatch(label)
    return (match[1], match[2]) if match else (label, "")
