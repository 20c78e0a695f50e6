"""The meaning of labels and tags: `spacy_gfl.explain("SBAR")`.

Labels and tags are those of the Penn Treebank II, of the treebanks that follow it
(OntoNotes, the English Web Treebank, GUM) and of CRAFT.
"""

import re
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
    # Around a sentence
    "TOP": "root: the bracket around a sentence",
    "ROOT": "root: the bracket around a sentence",
    "S1": "root: the bracket around a sentence",
    "VROOT": "root: the bracket around a sentence",
}

#: Part-of-speech tags, punctuation included.
TAGS: dict[str, str] = {
    # Nouns and what stands with them
    "NN": "common noun, singular or mass",
    "NNS": "common noun, plural",
    "NNP": "proper noun, singular",
    "NNPS": "proper noun, plural",
    "PRP": "personal pronoun",
    "PRP$": "possessive pronoun",
    "DT": "determiner",
    "PDT": "word before a determiner (all the, such a)",
    "POS": "possessive ending ('s)",
    "CD": "cardinal number",
    "EX": "existential there",
    "JJ": "adjective",
    "JJR": "adjective, comparative",
    "JJS": "adjective, superlative",
    # Verbs
    "VB": "verb, base form",
    "VBD": "verb, past tense",
    "VBG": "verb, gerund or present participle",
    "VBN": "verb, past participle",
    "VBP": "verb, present tense, not third person singular",
    "VBZ": "verb, present tense, third person singular",
    "MD": "modal verb",
    "AUX": "auxiliary verb (in parsers that set it apart)",
    "AUXG": "auxiliary verb in -ing (in parsers that set it apart)",
    "BES": "'s short for is (spoken)",
    "HVS": "'s short for has (spoken)",
    "RP": "particle of a verb",
    "TO": "the word to",
    # Other words
    "RB": "adverb",
    "RBR": "adverb, comparative",
    "RBS": "adverb, superlative",
    "CC": "coordinating conjunction",
    "IN": "preposition or subordinating conjunction",
    "UH": "interjection",
    "WDT": "wh-determiner",
    "WP": "wh-pronoun",
    "WP$": "possessive wh-pronoun (whose)",
    "WRB": "wh-adverb",
    "FW": "foreign word",
    "LS": "number or letter of a list item",
    "SYM": "symbol",
    # Parts of words, and words that are none
    "ADD": "address: of e-mail, the web or a file",
    "AFX": "affix that stands by itself",
    "GW": "part of a word that was split by mistake",
    "XX": "no tag: not known or not given",
    "-NONE-": "empty element: a trace, or a word left unsaid",
    # Punctuation
    "HYPH": "hyphen",
    "NFP": "punctuation that separates nothing: ornaments, emoticons",
    ".": "mark at the end of a sentence",
    ",": "comma",
    ":": "colon, semicolon, dash or ellipsis",
    "``": "opening quotation mark",
    "''": "closing quotation mark",
    '""': "quotation mark, opening or closing",
    "$": "currency sign",
    "#": "number or pound sign",
    "-LRB-": "opening bracket",
    "-RRB-": "closing bracket",
    "-LSB-": "opening square bracket",
    "-RSB-": "closing square bracket",
    "-LCB-": "opening curly bracket",
    "-RCB-": "closing curly bracket",
    "_SP": "white space",
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


def explain(name: str) -> str | None:
    """Say in a few words what a label or a tag means.

    Whatever is neither in LABELS, TAGS nor FUNCTION_TAGS is looked up in spaCy's
    glossary, which has the tags of other languages, dependencies and entities.

    Args:
        name: A constituent label or a part-of-speech tag (`NP`, `-LRB-`); a label
            with function tags and indices (`NP-SBJ-1`, `NP=2`), whose function
            tags are explained behind the label, unknown ones and indices passed
            over; a function tag with its hyphen (`-SBJ`); or several of these
            between bars (`ADVP|PRT`).

    Returns:
        The meaning, None if it is unknown.

    >>> explain("NP-SBJ-1")
    'noun phrase (subject)'
    """
    if "|" in name:
        parts = [explain(part) for part in name.split("|")]
        known = [part for part in parts if part is not None]
        return " or ".join(known) if len(known) == len(parts) else None
    label, functions = split_label(name)
    meaning = LABELS.get(label) or TAGS.get(label)
    if meaning is None:
        if name.startswith("-") and name[1:] in FUNCTION_TAGS:
            return FUNCTION_TAGS[name[1:]]
        # Trees are known without spaCy; only names that we do not explain need it.
        from spacy.glossary import GLOSSARY

        return GLOSSARY.get(name)
    parts = re.split("[-=]", functions)
    found = [FUNCTION_TAGS[tag] for tag in parts if tag in FUNCTION_TAGS]
    return f"{meaning} ({', '.join(found)})" if found else meaning
