"""Chinese: the common scheme. Nouns stand last; there is no white space."""

from spacy_gfl.languages.base import Spacing
from spacy_gfl.languages.xx import (
    NOUNS_LAST,
    PREDICATES_LAST,
    common_language,
)

LANGUAGE = common_language(
    "zh",
    heads=NOUNS_LAST,
    semantic=PREDICATES_LAST,
    labels={
        "ADJP": "with 的 behind it: (NP (ADJP 不同 的) 人)",
        "NP": "with its numeral and classifier: (NP 一 位 老師)",
        "PP": "also of 把 and, where an agent follows, 被: (PP 被 (NP 人們))",
        "SBAR": "also a clause before its noun, with 的: (NP (SBAR (S 我 買) 的) 書)",
        "VP": "with 被, 了",
    },
    spacing=Spacing(parts_words=False),
    # spaCy's own words are characters.
    tokenizer={"segmenter": "jieba"},
    question_words=r"谁|誰|什么|什麼|哪\w?|怎么|怎麼|怎样|怎樣|如何|为什么|為什麼|为何|為何|何时|何時|几|幾|多少",
)
