"""Indonesian: ICON. Heads stand first."""

from dataclasses import replace

from spacy_gfl.languages import en
from spacy_gfl.languages.base import Spacing, ToCommon
from spacy_gfl.languages.head_rules import head_rules

_COLLINS = """
    ADJP   left|  ADJ
    ADJP   left   ADJP VP NP
    ADVP   left|  ADV
    ADVP   left   ADVP
    CONJP  left|  CCN CSN
    CP     left   CSN WHADVP WHNP CP VP S SINV ADJP
    NP     left|  NNO NNP PRN PRI NP
    NP     left   QP NUM KUA
    PP     left   PPO PP
    QP     right| NUM KUA
    RPN    left   PRR RPN
    S      left   VP S SINV CP ADJP
    S      right  NP
    SBARQ  left   S SINV VP ADJP NP
    SINV   left   VP S SINV ADJP NP
    VP     left|  VBT VBI VBP VBL
    VP     left   VP ADJP ADJ NP NNO
    WHNP   left   PRI WHNP NP
"""
_SEMANTIC = """
    CP     left   VP S SINV ADJP CP NP
    RPN    left   VP S SINV ADJP UCP VBT VBI VBP ADJ NP PP RPN
    S      left   VP S SINV ADJP CP
    S      right  NP
"""

_ABBREVIATIONS = {
    "leading": """
        bpk dr dra drs dsb h hj ir jend kh kol lih mis ny prof sdr sdri st tgk tn
    """,
    "capital": "h st",
    "numbered": "bab gbr hal hlm jl jln no nomor ps rp rt rw tab tel vol",
    "inner": "dkk dll dsb dst kab kec kel mis rp tel tgl thn tsb yth",
    "unending": "mis",
    "words": "mis",
}
LANGUAGE = replace(
    en.LANGUAGE,
    lang="id",
    abbreviations=_ABBREVIATIONS,
    labels={
        **en.LANGUAGE.labels,
        "CP": "clause that completes a verb or noun, or that a conjunction opens",
        "RPN": "relative clause",
    },
    tags={
        "ADJ": "adjective",
        "ADV": "adverb",
        "ART": "article or demonstrative",
        "CCN": "coordinating conjunction",
        "CSN": "subordinating conjunction",
        "INT": "interjection",
        "KUA": "quantifier",
        "NEG": "negation",
        "NNO": "common noun",
        "NNP": "proper noun",
        "NUM": "number",
        "PAR": "particle",
        "PPO": "preposition",
        "PRI": "interrogative pronoun",
        "PRK": "pronoun that is written with the word before (-nya)",
        "PRN": "pronoun; of a constituent, parenthetical",
        "PRR": "relative pronoun (yang)",
        "PUN": "punctuation mark",
        "SYM": "symbol",
        "TAME": "marker of tense, aspect, mood or evidence",
        "VBI": "verb, intransitive",
        "VBL": "verb, linking: copula",
        "VBP": "verb, passive",
        "VBT": "verb, transitive",
    },
    punctuation=en.LANGUAGE.punctuation | {"PUN"},
    conjunctions=frozenset({"CCN", "CONJP"}),
    closed_class={},
    heads=head_rules(_COLLINS, _SEMANTIC),
    evalb_name="ICON",
    evalb_deleted=frozenset({"PUN"}),
    # Hyphens of reduplications (tahun-tahun) are punctuation.
    to_common=ToCommon(
        labels={**en.LANGUAGE.to_common.labels, "CP": "SBAR", "RPN": "SBAR"},
        tags={
            "ADP": "PPO",
            "AUX": "TAME VBL",
            "CCONJ": "CCN",
            "DET": "ART KUA",
            "INTJ": "INT",
            "NOUN": "NNO",
            "PART": "NEG PAR",
            "PRON": "PRI PRK PRN PRR",
            "PROPN": "NNP",
            "PUNCT": "PUN",
            "SCONJ": "CSN",
            "VERB": "VBI VBP VBT",
        },
    ),
    spacing=Spacing(clitics="nya", joining=frozenset({("-", "PUN")})),
    question_words=r"apa(?:kah)?|siapa|mana|ke\s?mana|dari\s?mana|kapan|bilamana|mengapa|kenapa|bagaimana|berapa",
    relative_words="yang",
)
