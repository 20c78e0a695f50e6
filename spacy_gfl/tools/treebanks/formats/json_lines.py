"""Trees as JSON lines, with offsets in words and in characters.

A line is one object, a Doc or one of its sentences::

    {"text": "Rain fell.",
     "offset": 0,
     "tokens": [{"text": "Rain", "tag": "NN", "start": 0, "end": 4}, ...],
     "sentences": [
       {"start": 0, "end": 10, "start_token": 0, "end_token": 3,
        "constituents": [
          {"label": "S", "start": 0, "end": 10, "start_token": 0, "end_token": 3},
          ...]}],
     "attrs": {}}

`start` and `end` count characters (Unicode code points) of `text`, `start_token` and
`end_token` count its tokens, both from 0, up to and not including the end. `offset` is
where the text begins in the document it is from. White-space tokens are there, though
no constituent begins or ends with one; a tag that is missing is "". Constituents stand
in pre-order, unary chains outermost first, without the root bracket; a tree of words
alone has one with the label "", and a sentence with words and no constituent has no
tree, which is an error where trees are read. Where the parser
has said how probable constituents are, each has a `probability` from 0 to 1, or null.
Where `constituent_functions` has found function tags, a constituent that has some has
`functions`: "SBJ", or "LOC-PRD".
`attrs` is what the Doc's span group carries beside the trees, such as
log-probabilities, with null for NaN. A line of one sentence has that sentence's part of
each list with one value per sentence or per token of the Doc. `id` and `part` name the
document, if its name is known (`formats.names`).

To be parsed, a line needs no more than its `text`.
"""

import json
import math
import reprlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from types import NoneType
from typing import Any

import srsly
from pydantic import BaseModel, Field, ValidationError
from pydantic_core import to_jsonable_python
from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from spacy_gfl.annotation.building import check_words, set_trees
from spacy_gfl.annotation.sentence_words import sentences, word_indices
from spacy_gfl.annotation.storage import (
    BARE,
    SPANS_KEY,
    get_trees,
    numbers_beside,
    tree_of_words,
)
from spacy_gfl.functions.attributes import set_functions
from spacy_gfl.tools.treebanks.formats.atomic_files import write_text
from spacy_gfl.tools.treebanks.formats.names import document_name, name_document
from spacy_gfl.tools.treebanks.formats.reading import Reading
from spacy_gfl.tools.treebanks.formats.text_files import (
    FormatError,
    as_docs,
    given_lines,
    json_text,
)
from spacy_gfl.trees.tree import Constituent, Tree, TreeError

# One number per constituent.
_PROBABILITIES = "probabilities"


class _Token(BaseModel):
    text: str = Field(min_length=1)
    tag: str
    start: int
    end: int


class _Extent(BaseModel):
    start: int
    end: int
    start_token: int
    end_token: int


class _Constituent(_Extent):
    label: str
    probability: float | None = None
    functions: str = ""


class _Sentence(_Extent):
    constituents: list[_Constituent] = []


class _Line(BaseModel):
    id: Any = None
    part: int | None = None
    text: str
    tokens: list[_Token]
    sentences: list[_Sentence]
    attrs: dict[str, Any] = {}


def doc_to_json(doc: Doc, *, key: str = SPANS_KEY) -> dict[str, Any]:
    """A Doc with its trees, in the span group `key`, as an object of the schema above.

    Raises:
        ValueError: The Doc has no trees or no sentences.
    """
    trees = get_trees(doc, key=key)
    attrs, probabilities = _noted(doc, key)
    record = _record(doc, sentences(doc), trees, attrs, probabilities)
    return _with_functions(record, iter(doc.spans[key]))


def sentences_to_json(doc: Doc, *, key: str = SPANS_KEY) -> Iterator[dict[str, Any]]:
    """The object of each sentence of a Doc with trees in the span group `key`.

    Raises:
        ValueError: The Doc has no trees or no sentences.
    """
    trees = get_trees(doc, key=key)
    attrs, probabilities = _noted(doc, key)
    spans = iter(doc.spans[key])
    for i, (sent, tree) in enumerate(zip(sentences(doc), trees, strict=True)):
        own = {}
        for name, values in attrs.items():
            if isinstance(values, (list, tuple)):
                if len(values) == len(doc):
                    own[name] = list(values[sent.start : sent.end])
                elif len(values) == len(trees):
                    own[name] = [values[i]]
        # A tree without constituents has one node without a label.
        n = len(tree.constituents) or int(len(tree) > 0)
        record = _record(doc, [sent], [tree], own, probabilities[:n])
        yield _with_functions(record, spans)
        probabilities = probabilities[n:]


def tree_to_json(tree: Tree) -> dict[str, Any]:
    """A tree as an object of one sentence; its words stand one space apart.

    Raises:
        TreeError: For a word that is white space alone.
    """
    check_words(tree)
    n = len(tree)
    doc = Doc(
        Vocab(),
        words=list(tree.words),
        spaces=[i < n - 1 for i in range(n)],
        tags=list(tree.tags),
        sent_starts=[i == 0 for i in range(n)],
    )
    set_trees(doc, [tree] if n else [])
    return doc_to_json(doc)


def doc_from_json(record: dict[str, Any], vocab: Vocab, *, key: str = SPANS_KEY) -> Doc:
    """The Doc that an object describes: its text, tokens, tags, sentences, trees.

    `key` is the span group that will hold the trees.

    Raises:
        TreeError: Where something is missing, of another type, or does not fit.
    """
    if isinstance(record, dict) and "sentences" not in record:
        raise TreeError("this line has no trees: parse it first")
    line, doc = _untreed(record, vocab)
    given = [
        [Constituent(n.label, n.start_token, n.end_token) for n in one.constituents]
        for one in line.sentences
    ]
    trees = [
        tree_of_words(doc, word_indices(sent), nodes)
        for sent, nodes in zip(sentences(doc), given, strict=True)
    ]
    attrs = dict(line.attrs)
    nodes = [node for one in line.sentences for node in one.constituents]
    if any("probability" in node.model_fields_set for node in nodes):
        attrs[_PROBABILITIES] = [
            math.nan if n.probability is None else n.probability for n in nodes
        ]
    for name, values in attrs.items():
        if isinstance(values, list) and {float, int, NoneType}.issuperset(
            map(type, values)
        ):
            attrs[name] = [math.nan if value is None else value for value in values]
    set_trees(doc, trees, key=key, attrs=attrs)
    set_functions(doc, {i: n.functions for i, n in enumerate(nodes)}, key=key)
    _compare(
        line.model_dump(exclude={"attrs"}, exclude_unset=True),
        {"id": None, "part": None, **doc_to_json(doc, key=key)},
    )
    return doc


def _untreed(record: Any, vocab: Vocab) -> tuple[_Line, Doc]:
    """An object of the schema, and its Doc without trees."""
    if not isinstance(record, dict):
        raise TreeError(
            "the line is not a JSON object; each line needs one for one Doc"
        )
    try:
        line = _Line.model_validate(record, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise TreeError(f"{place}: {first['msg']}") from None
    tokens, starts = line.tokens, {given.start_token for given in line.sentences}
    following = [token.start for token in tokens[1:]] + [len(line.text)]
    doc = Doc(
        vocab,
        words=[token.text for token in tokens],
        spaces=[t.end < then for t, then in zip(tokens, following, strict=False)],
        tags=[token.tag for token in tokens],
        sent_starts=[i in starts for i in range(len(tokens))],
    )
    extents = [(given.start_token, given.end_token) for given in line.sentences]
    if extents != [(sent.start, sent.end) for sent in sentences(doc)]:
        raise TreeError("the sentences do not follow each other over all tokens")
    _check_saved("attrs", line.attrs)
    _name(doc, line.id, line.part)
    return line, doc


def _check_saved(name: str, value: Any) -> None:
    try:
        srsly.msgpack_dumps(value)
    except (OverflowError, ValueError) as error:
        raise TreeError(f"{name} cannot be saved with a Doc: {error}") from None


def _name(doc: Doc, name: Any, part: int | None) -> None:
    _check_saved("id and part", [name, part])
    if (name, part) != (None, None):
        name_document(doc, name, part)


def trees_from_json(record: dict[str, Any]) -> list[Tree]:
    """The trees of an object that `doc_from_json` takes; a missing tag is XX."""
    return get_trees(doc_from_json(record, Vocab()))


def write(
    path: str | Path,
    docs: Iterable[Doc] | Doc,
    *,
    unit: str = "doc",
    key: str = SPANS_KEY,
) -> None:
    """Write Docs to a file of JSON lines, UTF-8, a line per Doc or sentence (`unit`).

    The file changes only once all Docs are written. `key` is the span group that holds
    the trees.

    Raises:
        ValueError: For another unit, and for a Doc without trees or sentences.
        OSError: If the file cannot be written.
    """
    records: Iterable[dict[str, Any]]
    if unit == "doc":
        records = (doc_to_json(doc, key=key) for doc in as_docs(docs))
    elif unit == "sentence":
        of_docs = (sentences_to_json(doc, key=key) for doc in as_docs(docs))
        records = chain.from_iterable(of_docs)
    else:
        raise ValueError(f'unit must be "doc" or "sentence", not {unit!r}')
    write_text(path, map(json_line, records))


def read(path: str | Path, vocab: Vocab, *, key: str = SPANS_KEY) -> Iterator[Doc]:
    """Read the Docs of a UTF-8 file into the span group `key`.

    Raises:
        OSError: If the file cannot be read.
        FormatError: For a line that is not JSON or not in the schema.
    """
    reading = Reading(path=Path(path))
    return docs_from_json_lines(reading.lines(), vocab, source=reading.name, key=key)


def read_docs(reading: Reading, vocab: Vocab) -> Iterator[Doc]:
    """Read the Docs of a file."""
    return docs_from_json_lines(reading.lines(), vocab, source=reading.name)


def read_to_parse(reading: Reading, nlp: Language) -> Iterator[Doc]:
    """Read the Docs of a file without trees; of lines with no more than text, too."""

    def make(record: Any) -> Doc:
        if not isinstance(record, dict) or "sentences" in record:
            line, doc = _untreed(record, nlp.vocab)
            set_trees(doc, [[] for _ in line.sentences])
            without_trees: Any = {
                "attrs": True,
                "sentences": {"__all__": {"constituents"}},
            }
            given = line.model_dump(exclude=without_trees, exclude_unset=True)
            _compare(given, {"id": None, "part": None, **doc_to_json(doc)})
            del doc.spans[SPANS_KEY]
            return doc
        if "text" not in record:
            raise TreeError("text: Field required")
        if not isinstance(record["text"], str):
            raise TreeError("text: Input should be a valid string")
        doc = nlp.make_doc(record["text"])
        # Lines of text from elsewhere may mean something else by `part`.
        part = record.get("part")
        _name(doc, record.get("id"), part if type(part) is int else None)
        return doc

    return _docs(reading.lines(), make, reading.name)


def docs_from_json_lines(
    lines: Iterable[str] | str,
    vocab: Vocab,
    *,
    source: str = "<input>",
    key: str = SPANS_KEY,
) -> Iterator[Doc]:
    """Read Docs from JSON lines, of which some may be white space, or from a text.

    `key` is the span group that will hold the trees.

    Raises:
        FormatError: For a line that is not JSON or not in the schema.
    """
    return _docs(
        given_lines(lines), lambda record: doc_from_json(record, vocab, key=key), source
    )


def _docs(
    lines: Iterable[str], make: Callable[[Any], Doc], source: str
) -> Iterator[Doc]:
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                yield make(json.loads(line))
            except json.JSONDecodeError as error:
                said = (
                    f"each line needs a JSON object for one Doc, this one has: {error}"
                )
                raise FormatError(source, number, said) from error
            except (ValueError, RecursionError) as error:
                raise FormatError(source, number, str(error)) from error


def json_line(record: dict[str, Any]) -> str:
    """An object as one line with its end; only line ends in it are escaped."""
    return json_text(record) + "\n"


def _noted(doc: Doc, key: str) -> tuple[dict[str, Any], list[float]]:
    """The attributes of a group of trees, and the probabilities of constituents."""
    group = doc.spans[key]
    left_out = ("version", _PROBABILITIES)
    attrs = {name: x for name, x in group.attrs.items() if name not in left_out}
    return attrs, numbers_beside(group, _PROBABILITIES, len(group)) or []


def _with_functions(record: dict[str, Any], spans: Iterator[Span]) -> dict[str, Any]:
    """The object, with the function tags of the spans of its constituents."""
    for sent in record["sentences"]:
        for node, span in zip(sent["constituents"], spans, strict=False):
            if span.kb_id:
                node["functions"] = span.kb_id_
    return record


def _record(
    doc: Doc,
    sents: Sequence[Span],
    trees: Sequence[Tree],
    attrs: dict[str, Any],
    probabilities: Sequence[float],
) -> dict[str, Any]:
    """The object of neighbouring sentences of a Doc, and of what is known of them."""
    following = iter(probabilities)
    whole = doc[sents[0].start : sents[-1].end] if sents else doc[:0]
    offset = whole.start_char if sents else 0

    def extent(span: Span) -> dict[str, int]:
        return {
            "start": span.start_char - offset,
            "end": span.end_char - offset,
            "start_token": span.start - whole.start,
            "end_token": span.end - whole.start,
        }

    tokens = []
    for token in whole:
        start = token.idx - offset
        at = {"start": start, "end": start + len(token)}
        tokens.append({"text": token.text, "tag": token.tag_, **at})
    records = []
    for sent, tree in zip(sents, trees, strict=True):
        words = word_indices(sent)
        nodes: list[dict[str, Any]] = [
            {"label": label, **extent(doc[words[first] : words[end - 1] + 1])}
            for label, first, end in tree.constituents or [(BARE, 0, len(tree))]
            if len(tree)
        ]
        for node, probability in zip(nodes, following, strict=False):
            node["probability"] = probability if math.isfinite(probability) else None
        records.append({**extent(sent), "constituents": nodes})
    named = zip(("id", "part"), document_name(doc), strict=True)
    return {
        **{field: value for field, value in named if value is not None},
        "text": whole.text_with_ws,
        "offset": offset,
        "tokens": tokens,
        "sentences": records,
        "attrs": to_jsonable_python(attrs, inf_nan_mode="null"),
    }


def _compare(given: Any, found: Any, place: str = "") -> None:
    """Raise TreeError where an object says other than the Doc that was made of it."""
    if isinstance(given, dict):
        for name, value in given.items():
            _compare(value, found[name], f"{place}.{name}".lstrip("."))
    elif isinstance(given, list):
        for i, pair in enumerate(zip(given, found, strict=True)):
            _compare(*pair, f"{place}.{i}")
    elif given != found:
        shown = reprlib.repr(given), reprlib.repr(found)
        raise TreeError(f"{place} is {shown[0]}, but the tokens require {shown[1]}")
