"""Korean: the common scheme. Nouns, verbs and postpositions stand last."""

from spacy_gfl.languages.xx import NOUNS_LAST, PREDICATES_LAST, common_language

LANGUAGE = common_language(
    "ko",
    # Words are parted by spaces; spaCy's own tokenizer cuts off what ends them.
    tokenizer={"@tokenizers": "spacy.Tokenizer.v1"},
    heads=NOUNS_LAST,
    semantic=PREDICATES_LAST,
    question_words=(
        # Not those of all and some: 누구나, 어디에서도, 언제든지.
        r"(?:누구|무엇|어디|언제)(?!\w*(?:나|도|든지?|선가|보다)$)\w*|누가|무슨|왜|"
        r"어떻게|어떤|어느|몇"
    ),
)
