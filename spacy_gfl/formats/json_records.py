"""Reading one object of `spacy_gfl.formats.json_lines`, and refusing others."""

from typing import Any, Dict, List, NamedTuple, Tuple

from spacy_gfl.trees.tree import Constituent, TreeError


class Record(NamedTuple):
    """What an object says, found to be consistent. Extents count tokens."""

    words: List[str]
    spaces: List[bool]
    tags: List[str]
    sentences: List[Tuple[int, int]]
    constituents: List[List[Constituent]]
    attrs: Dict[str, Any]


def read_record(data: Any) -> Record:
    """Check an object; TreeError says what is wrong with it."""
    text = _get(data, "text", str, "the line")
    tokens = [
        (_get(token, "text", str, f"token {i}"), _get(token, "tag", str, f"token {i}"))
        for i, token in enumerate(_get(data, "tokens", list, "the line"))
    ]
    extents = [
        _characters(token, text, f"token {i}") for i, token in enumerate(data["tokens"])
    ]
    for i, ((word, _), (start, end)) in enumerate(zip(tokens, extents, strict=True)):
        if text[start:end] != word:
            raise TreeError(
                f"token {i} is {word!r}, but the text has {text[start:end]!r} there"
            )
    sentences, constituents = _sentences(data, text, [w for w, _ in tokens], extents)
    return Record(
        [word for word, _ in tokens],
        _spaces(text, extents),
        [tag for _, tag in tokens],
        sentences,
        constituents,
        _get(data, "attrs", dict, "the line") if "attrs" in data else {},
    )


def _get(data: Any, name: str, kind: type, where: str) -> Any:
    if not isinstance(data, dict):
        raise TreeError(f"{where} is not an object")
    if name not in data:
        raise TreeError(f"{where} has no {name!r}")
    value = data[name]
    if not isinstance(value, kind) or isinstance(value, bool):
        raise TreeError(f"{name!r} of {where} is not {_KINDS[kind]}: {value!r}")
    return value


_KINDS = {str: "a string", int: "a whole number", list: "a list", dict: "an object"}


def _characters(data: Any, text: str, where: str) -> Tuple[int, int]:
    start, end = (_get(data, name, int, where) for name in ("start", "end"))
    if not 0 <= start < end <= len(text):
        raise TreeError(
            f"{where}: {start}-{end} is no extent of {len(text)} characters"
        )
    return start, end


def _spaces(text: str, extents: List[Tuple[int, int]]) -> List[bool]:
    """Whether a space follows each token; between tokens nothing else stands."""
    if not extents and text:
        raise TreeError("the text has no tokens")
    following = [start for start, _ in extents[1:]] + [len(text)] * bool(extents)
    spaces = []
    for i, ((start, end), then) in enumerate(zip(extents, following, strict=True)):
        if (i == 0 and start > 0) or text[end:then] not in ("", " ") or then < end:
            raise TreeError(f"token {i} does not stand beside its neighbours")
        spaces.append(then > end)
    return spaces


def _sentences(
    data: Any, text: str, words: List[str], extents: List[Tuple[int, int]]
) -> Tuple[List[Tuple[int, int]], List[List[Constituent]]]:
    sentences: List[Tuple[int, int]] = []
    constituents: List[List[Constituent]] = []
    following = 0
    for i, sentence in enumerate(_get(data, "sentences", list, "the line")):
        start, end = _tokens(sentence, text, extents, f"sentence {i}")
        if start != following:
            raise TreeError(f"sentence {i} begins at token {start}, not {following}")
        following = end
        sentences.append((start, end))
        nodes = []
        for j, node in enumerate(_get(sentence, "constituents", list, f"sentence {i}")):
            where = f"constituent {j} of sentence {i}"
            label = _get(node, "label", str, where)
            first, last = _tokens(node, text, extents, where)
            if not start <= first < last <= end:
                raise TreeError(f"{where} ({label}) is not inside its sentence")
            if words[first].isspace() or words[last - 1].isspace():
                raise TreeError(f"{where} ({label}) begins or ends with white space")
            nodes.append(Constituent(label, first, last))
        constituents.append(nodes)
    if following != len(extents):
        raise TreeError(f"the sentences end at token {following} of {len(extents)}")
    return sentences, constituents


def _tokens(
    data: Any, text: str, extents: List[Tuple[int, int]], where: str
) -> Tuple[int, int]:
    """The extent in tokens, which must be that in characters."""
    characters = _characters(data, text, where)
    start, end = (_get(data, n, int, where) for n in ("start_token", "end_token"))
    if not 0 <= start < end <= len(extents):
        raise TreeError(f"{where}: {start}-{end} is no extent of {len(extents)} tokens")
    if characters != (extents[start][0], extents[end - 1][1]):
        raise TreeError(
            f"{where}: tokens {start}-{end} are characters {extents[start][0]}-"
            f"{extents[end - 1][1]}, not {characters[0]}-{characters[1]}"
        )
    return start, end
