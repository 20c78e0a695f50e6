"""The meaning of labels and tags: `spacy_gfl.explain("SBAR")`.

Labels and tags are those of the Penn Treebank II, of the treebanks that follow it
(OntoNotes, the English Web Treebank, GUM) and of CRAFT; treebanks of other languages
with labels of their own are in `LANGUAGES`.
"""

import re
from collections import ChainMap
from functools import lru_cache

#: Labels of constituents.
LABELS: dict[str, str] = {
    # Clauses
    "S": "clause, declarative or without a mark of another kind",
    "SBAR": "clause, subordinate or relative, with or without a word that opens it",
    "SBARQ": "question opened by a wh-phrase",
    "SINV": "declarative clause with the subject after the verb",
    "SQ": "yes/no question, or the rest of a question after its wh-phrase",
    # Phrases
    "ADJP": "adjective phrase",
    "ADVP": "adverb phrase",
    "CONJP": "conjunction of several words",
    "FRAG": "fragment: an utterance that is no whole clause",
    "INTJ": "interjection",
    "LST": "list marker with its punctuation",
    "NAC": "modifier inside a noun phrase that is not a constituent by itself",
    "NML": "nominal modifier: a group of words before the head of a noun phrase",
    "NP": "noun phrase",
    "NX": "part of a noun phrase that shares words with others in coordination",
    "PP": "prepositional phrase",
    "PRN": "parenthetical",
    "PRT": "particle of a verb",
    "QP": "quantity phrase: a number of several words",
    "RRC": "reduced relative clause",
    "UCP": "coordination of unlike phrases",
    "VP": "verb phrase",
    "WHADJP": "adjective phrase with a wh-word",
    "WHADVP": "adverb phrase with a wh-word",
    "WHNP": "noun phrase with a wh-word",
    "WHPP": "prepositional phrase over a noun phrase with a wh-word",
    "X": "unknown, uncertain, or not to be bracketed otherwise",
    # Parts of a document (CRAFT)
    "CAPTION": "sentence or phrase in the caption of a figure or table",
    "CIT": "citation",
    "HEADING": "heading of a section, figure or table",
    "TITLE": "title of a document",
    # Speech and the web
    "EDITED": "words that the speaker takes back",
    "EMBED": "passage of another text, as in a forwarded message",
    "META": "words about the document rather than of it",
    "TYPO": "slip of the pen or of the tongue",
    **dict.fromkeys(
        ("TOP", "ROOT", "S1", "VROOT"), "root: the bracket around a sentence"
    ),
}

_TAGS = """
    NN NNS NNP NNPS PRP PRP$ DT PDT POS CD EX JJ JJR JJS
    VB VBD VBG VBN VBP VBZ MD AUX AUXG BES HVS RP TO
    RB RBR RBS CC IN UH WDT WP WP$ WRB FW LS SYM ADD AFX GW XX -NONE-
    HYPH NFP . , : `` '' "" $ # -LRB- -RRB- -LSB- -RSB- -LCB- -RCB- _SP SP
"""
#: Part-of-speech tags, punctuation included, which spaCy's glossary explains.
TAGS = frozenset(_TAGS.split())
#: Tags that the glossary lacks, or explains for other treebanks too.
_OTHER_TAGS = {
    "-NONE-": "empty element: a trace, or a word left unsaid",
    "-LSB-": "opening square bracket",
    "-RSB-": "closing square bracket",
    "-LCB-": "opening curly bracket",
    "-RCB-": "closing curly bracket",
    "AUXG": "auxiliary verb in -ing (in parsers that set it apart)",
    "JJ": "adjective",
    "SP": "white space",
}

#: What follows a label after a hyphen: its function or meaning in the sentence.
FUNCTION_TAGS: dict[str, str] = {
    "ADV": "adverbial",
    "BNF": "benefactive",
    "CLF": "cleft",
    "CLR": "closely related to the verb",
    "DIR": "direction",
    "DTV": "dative: recipient in a prepositional phrase",
    "ETC": "et cetera: stands for the rest of a list",
    "EXT": "extent",
    "FRM": "formula",
    "HLN": "headline",
    "IMP": "imperative",
    "LGS": "logical subject of a passive",
    "LOC": "place",
    "MNR": "manner",
    "NOM": "used as a noun",
    "PRD": "predicate other than a verb",
    "PRP": "purpose or reason",
    "PUT": "place that the verb put asks for",
    "SBJ": "subject",
    "SEZ": "reported speech",
    "TMP": "time",
    "TPC": "moved to the front",
    "TTL": "title",
    "UNF": "unfinished",
    "VOC": "vocative: the one addressed",
}

#: Labels and tags of other languages' treebanks, by language. What a language has
#: here means what is said here; its other labels are as in LABELS.
LANGUAGES: dict[str, dict[str, str]] = {
    # Indonesian: ICON
    "id": {
        "CP": "clause that completes a verb or noun, or that a conjunction opens",
        "RPN": "relative clause",
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
    # Icelandic: GreynirCorpus
    "is": {
        "C": "conjunction, of one or more words",
        "CP": "clause, subordinate or relative",
        "FOREIGN": "passage in another language",
        "IP": "clause without the words that open it: subject and predicate",
        "P": "preposition, of one or more words",
        "TO": "infinitive marker (að)",
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
}

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


def explain(name: str, lang: str = "en") -> str | None:
    """Say in a few words what a label or a tag means.

    Whatever this module does not explain is looked up in spaCy's glossary, which has
    Penn's tags and those of other languages, dependencies and entities.

    Args:
        name: A constituent label or a part-of-speech tag (`NP`, `-LRB-`); a label
            with function tags and indices (`NP-SBJ-1`, `NP=2`), of which known
            function tags are explained behind the label; a function tag with its
            hyphen (`-SBJ`); or several of these between bars (`ADVP|PRT`).
        lang: The language of the treebank: "id" (ICON) and "is" (GreynirCorpus) have
            labels and tags of their own.

    Returns:
        The meaning, None if it is unknown.

    >>> explain("NP-SBJ-1")
    'noun phrase (subject)'
    >>> explain("RPN", lang="id")
    'relative clause'
    """
    if "|" in name:
        parts = [explain(part, lang) or "" for part in name.split("|")]
        return " or ".join(parts) if all(parts) else None
    # Trees are known without spaCy.
    from spacy.glossary import GLOSSARY

    label, functions = split_label(name)
    if name.startswith("-") and name[1:] in FUNCTION_TAGS:
        return FUNCTION_TAGS[name[1:]]
    meanings = ChainMap(LANGUAGES.get(lang, {}), LABELS, _OTHER_TAGS, GLOSSARY)
    if label not in meanings:
        return None
    parts = re.split("[-=]", functions)
    found = [FUNCTION_TAGS[tag] for tag in parts if tag in FUNCTION_TAGS]
    return f"{meanings[label]} ({', '.join(found)})" if found else meanings[label]
