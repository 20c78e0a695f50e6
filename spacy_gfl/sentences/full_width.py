"""Sentences of Chinese and Japanese, which have no white space between them.

A full stop, a question mark or an exclamation mark of full width ends a sentence; so do
`?` and `!` between ideographs or kana. What is quoted goes on with the words that say
who spoke: `「はい。」と言った`, `“好的。”他说。`
"""

import re
from collections.abc import Iterator

_LETTER = "[\u3005-\u3007\u3041-\u30ff\u31f0-\u31ff\u3400-\u9fff\uf900-\ufaff]"
_OPENING = "「『｢“‘（《〈【［(\\["
_CLOSING = "」』｣”’）》〉】］)\\]"
_ENDED = re.compile(
    rf"(?:[。｡！？．]|(?<={_LETTER})[!?]+(?=[{_OPENING}{_CLOSING}]|{_LETTER}))"
    rf"[。｡！？．!?]*(?P<closed>[{_CLOSING}]*)\s*"
)
#: Particles after what is quoted, asked or called.
_QUOTING = re.compile(
    "と(?![ころてにもり])|って|っと|など|なんて|という|の(?!ち)|を|は|が|に|で"
)
#: Words after a quotation that say who spoke, up to the end of their clause.
_SAYING = re.compile(
    r"[^\s。！？：；，、“「]{0,8}(?:[说說问問道喊叫答嚷]|说道|回答)了?[。，！；]"
)
_QUOTATION_MARK = re.compile(r'"\s*')
_GOING_ON = re.compile("[、，,：:；;。！？…—～~)]|$")


def after_full_width_marks(text: str) -> Iterator[int]:
    """The characters at which a sentence begins after a mark of full width."""
    before = quotes = 0
    for match in _ENDED.finditer(text):
        at, mark, is_closed = match.end(), text[match.start()], bool(match["closed"])
        # Quotation marks that do not say whether they close are counted in each line.
        line = text[before:at].rpartition("\n")
        quotes = line[2].count('"') + (0 if line[1] else quotes)
        before = at
        if quotes % 2 and (closing := _QUOTATION_MARK.match(text, at)):
            at, is_closed = closing.end(), True
        is_quoted = (is_closed or mark in "！？!?") and _QUOTING.match(text, at)
        is_said = is_closed and _SAYING.match(text, at)
        beside = text[max(0, match.start() - 1) : match.start()] + text[at : at + 1]
        is_number = mark == "．" and any(map(str.isdigit, beside))
        if not (_GOING_ON.match(text, at) or is_quoted or is_said or is_number):
            yield at
