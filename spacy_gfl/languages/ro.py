"""Romanian: the common scheme. Clitics have hyphens: s-a dus, dându-l."""

from spacy_gfl.languages.base import Spacing
from spacy_gfl.languages.xx import common_language

_ABBREVIATIONS = {
    "leading": "av cf col dl dna dnele dr dra gen ing prof sf vs",
    "capital": "av col gen",
    "numbered": "alin art cap fig lit nr p pag pct pp tab tel vol",
    "inner": "aprox bd bl cca cf dvs etc ex excl incl jud loc max min str tel",
    "unending": "aprox cca cf",
    "words": "col ex",
}
LANGUAGE = common_language(
    "ro",
    abbreviations=_ABBREVIATIONS,
    spacing=Spacing(clitics=r"-\w.*", elided=r"\w+-"),
    question_words=(
        r"cine|cui|ce|care|căruia|căreia|cărora|cărui|cărei|cât|câtă|câți|"
        r"câte|câţi|unde|când|cum|de\s?ce|încotro"
    ),
)
