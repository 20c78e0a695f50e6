"""Russian: the common scheme. The first of several verbs is the head."""

from spacy_gfl.languages.xx import VERBS_FIRST, common_language

_ABBREVIATIONS = {
    "leading": "акад д-р доц напр пер пл проф св ср ул",
    "numbered": "вып гл д илл кв кн корп п пп прим разд рис с ст стр т табл тел тт ч",
    "inner": """
        в вв г гг до др изд кг км коп м мин млн млрд н напр пер пр прим проч ред руб сек
        см ср тел тыс ч чел шт э экз
    """,
    "unending": "напр см ср",
    "words": "в до с",
}
LANGUAGE = common_language(
    "ru",
    abbreviations=_ABBREVIATIONS,
    semantic=VERBS_FIRST,
    labels={
        "QP": "number of several words: 1,5 миллиона, более 1200",
        "VP": "with не and бы: (VP не вернулись), (VP был бы жарким)",
    },
    question_words=(
        r"кто|кого|кому|ком|кем|что|чего|чему|чем|ч[её]м|чей|чь\w+|котор\w+|"
        r"како\w+|каки\w+|какая|какую|какое|каков\w*|где|куда|откуда|когда|"
        r"как|почему|зачем|отчего|сколько"
    ),
)
