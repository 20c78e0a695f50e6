"""Turkish: the common scheme. Nouns, verbs and postpositions stand last."""

from spacy_gfl.languages.xx import (
    NOUNS_LAST,
    PREDICATES_LAST,
    common_language,
)

_ABBREVIATIONS = {
    "leading": "alb av bn bşk doç dr gen mah müh org prof sn st tğm uzm yrd yzb öğr",
    "capital": "av gen org",
    "numbered": "bkz böl c fıkra md no s sf sh syf tel",
    "inner": """
        alm ar as bkz bl bul cad der ed ens fak fr haz hz ing kr krş lat mah md mr osm s
        sok str tel vb vd vs yay yy çev ör örn
    """,
    "unending": "bkz krş ör örn",
    "words": "as ed no",
}
LANGUAGE = common_language(
    "tr",
    abbreviations=_ABBREVIATIONS,
    # Nouns too: (ADJP çok sayıda).
    heads=NOUNS_LAST.replace("ADJ VERB", "ADJ VERB NOUN"),
    semantic=PREDICATES_LAST,
    labels={
        "NP": "with de: (NP o da); also of verbal nouns",
        "PP": "of postpositions: (PP (NP bu görev) için)",
        "VP": "with a copula and its predicate: (S (NP çay) (VP (ADJP sıcak) idi))",
    },
    question_words=(
        r"kim(?:in|inle|e|de|den|ler\w*)?|ne|neyi|neye|neden|niçin|niye|nasıl|"
        r"nere(?!deyse)\w*|hangi\w*|kaç(?:ı|ıncı|ta)?"
    ),
)
