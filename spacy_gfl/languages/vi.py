"""Vietnamese: the common scheme. Words have spaces inside; nouns stand first."""

from spacy_gfl.languages.xx import PREDICATES_LAST, common_language

LANGUAGE = common_language(
    "vi",
    semantic=PREDICATES_LAST,
    labels={"NP": "with its numeral and classifier: (NP hai cuốn sách)"},
    question_words=(
        r"ai|gì|nào|đâu|bao giờ|khi nào|thế nào|tại sao|vì sao|sao|bao nhiêu|mấy"
    ),
)
