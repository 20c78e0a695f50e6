"""Korean: the common scheme. Nouns, verbs and postpositions stand last."""

from spacy_gfl.languages.xx import NOUNS_LAST, PREDICATES_LAST, common_language

LANGUAGE = common_language(
    "ko",
    # Words are parted by spaces; spaCy's own tokenizer cuts off what ends them.
    tokenizer={"@tokenizers": "spacy.Tokenizer.v1"},
    heads=NOUNS_LAST,
    semantic=PREDICATES_LAST,
    question_words=r"누구\w*|누가|무엇\w*|무슨|어디\w*|언제\w*|왜|어떻게|어떤|어느|몇",
)
