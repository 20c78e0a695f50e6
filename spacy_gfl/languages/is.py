"""Icelandic: GreynirCorpus. A finite verb and what it governs are both VP."""

from dataclasses import replace

from spacy_gfl.languages import en
from spacy_gfl.languages.base import Spacing, ToCommon
from spacy_gfl.languages.head_rules import head_rules

_COLLINS = """
    ADVP   left|  ao eo
    ADVP   left   ADVP PP P NP
    C      left|  st stt
    CP     left   C CP IP
    IP     left   VP IP NP
    NP     left|  no person sérnafn fyrirtæki entity pfn abfn
    NP     left   NP fn lo to töl tala CP
    P      left   fs P
    PP     left   P PP
    S      left   IP S CP NP
    VP     left   so VP
"""
_SEMANTIC = """
    CP     left   IP CP VP NP C
    VP     left   so
    VP     right  VP
"""

_ABBREVIATIONS = {
    "leading": "ca dr frk hr prof sbr sr",
    "numbered": "bls gr kap mgr mynd nr nrs tbl tölul",
    "inner": """
        ath bls ca dr e fl frh hr innsk kl km kr m millj mín n nk nr sbr sk skv st tbl
        þús
    """,
    "unending": "sbr skv",
}
LANGUAGE = replace(
    en.LANGUAGE,
    lang="is",
    abbreviations=_ABBREVIATIONS,
    labels={
        **en.LANGUAGE.labels,
        "C": "conjunction, of one or more words",
        "CP": "clause, subordinate or relative",
        "FOREIGN": "passage in another language",
        "IP": "clause without the words that open it: subject and predicate",
        "P": "preposition, of one or more words",
        "TO": "infinitive marker (að)",
    },
    tags={
        "abbrev": "abbreviation",
        "abfn": "reflexive pronoun",
        "amount": "amount of money",
        "ao": "adverb",
        "dagsafs": "date without its year",
        "dagsföst": "date with its year",
        "entity": "name of something else than a person, company or place",
        "eo": "adverb that goes with an adjective or adverb",
        "fn": "pronoun",
        "foreign": "foreign word",
        "fs": "preposition",
        "fyrirtæki": "name of a company",
        "gata": "name of a street",
        "gr": "article",
        "grm": "punctuation mark",
        "lo": "adjective",
        "lén": "domain of the internet",
        "mælieining": "unit of measurement",
        "nhm": "infinitive marker (að)",
        "no": "noun",
        "person": "name of a person",
        "pfn": "personal pronoun",
        "prósenta": "percentage",
        "raðnr": "ordinal number",
        "símanúmer": "telephone number",
        "so": "verb",
        "st": "conjunction",
        "stt": "conjunction that opens a relative clause",
        "sérnafn": "proper noun",
        "tala": "number in digits",
        "to": "numeral that is inflected",
        "tímapunktur": "date and time",
        "tímapunkturafs": "date and time without a year",
        "tími": "time of day",
        "tölvupóstfang": "address of e-mail",
        "töl": "numeral that is not inflected",
        "uh": "interjection",
        "x": "word of no known class",
        "ártal": "year",
    },
    punctuation=en.LANGUAGE.punctuation | {"grm"},
    conjunctions=frozenset({"C"}),
    closed_class={},
    heads=head_rules(_COLLINS, _SEMANTIC),
    evalb_name="GREYNIR",
    evalb_deleted=frozenset({"grm", "S0"}),
    to_common=ToCommon(
        labels={
            **en.LANGUAGE.to_common.labels,
            "C": "",
            "CP": "SBAR",
            "FOREIGN": "FRAG",
            "IP": "S",
            "P": "",
            "TO": "",
        },
        tags={
            "ADJ": "lo raðnr",
            "ADP": "fs",
            "ADV": "ao eo",
            "CCONJ": "st",
            "DET": "gr",
            "INTJ": "uh",
            "NOUN": "no abbrev mælieining",
            "NUM": "amount dagsafs dagsföst prósenta tala to töl tími ártal "
            "tímapunktur tímapunkturafs",
            "PART": "nhm",
            "PRON": "abfn fn pfn",
            "PROPN": "entity fyrirtæki gata lén person sérnafn símanúmer tölvupóstfang",
            "PUNCT": "grm",
            "SCONJ": "stt",
            "VERB": "so",
            "X": "foreign x",
        },
        govern=False,
    ),
    spacing=Spacing(quotes="„“"),
    question_words=r"hver(?!gi)\w*|hvað|hvaða|hvor(?!ki|ug)\w*|hvar|hvert|hvaðan|hvenær|hvernig",
    relative_words="sem|þegar|þar",
)
