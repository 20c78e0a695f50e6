"""Trees as JSON lines, with offsets in words and in characters.

A line is one object, a Doc or one of its sentences:

    {"text": "Rain fell.",
     "offset": 0,
     "tokens": [{"text": "Rain", "tag": "NN", "start": 0, "end": 4}, ...],
     "sentences": [
       {"start": 0, "end": 10, "start_token": 0, "end_token": 3,
        "constituents": [
          {"label": "S", "start": 0, "end": 10, "start_token": 0, "end_token": 3},
          ...]}],
     "attrs": {}}

`start` and `end` count characters (Unicode code points) of `text`, `start_token`
and `end_token` count its tokens, both from 0, up to and not including the end.
Constituents stand in pre-order, unary chains outermost first; the root bracket is
not among them. `offset` is where the text begins in the document it is from.
White-space tokens are there, since the text is, though no constituent begins or
ends with one. A tag that is missing is "". `attrs` is what the Doc's span group
carries beside the trees, such as log-probabilities; lines of one sentence have
only those entries of which there is one for each sentence of the Doc.
"""

import json
from pathlib import Path
from typing import Any, Dict, Iterable, Iterator, List, Sequence, Tuple, Union

from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_gfl.annotation.building import check_words
from spacy_gfl.annotation.storage import (
    SPANS_KEY,
    get_trees,
    sentences,
    set_trees,
    word_indices,
)
from spacy_gfl.formats.errors import FormatError
from spacy_gfl.formats.json_records import Record, read_record
from spacy_gfl.trees.tree import MISSING_TAG, Constituent, Tree

# Characters that end a line for some readers, though not in JSON lines.
_LINE_ENDS = {ord(c): f"\\u{ord(c):04x}" for c in "\x85\u2028\u2029"}


def doc_to_json(doc: Doc, *, key: str = SPANS_KEY) -> Dict[str, Any]:
    """A Doc with its trees as an object of the schema above.

    Raises as `get_trees` does.
    """
    trees = get_trees(doc, key=key)
    places = [word_indices(sent) for sent in sentences(doc)]
    extents = [(sent.start, sent.end) for sent in sentences(doc)]
    attrs = dict(doc.spans[key].attrs)
    attrs.pop("version", None)
    return _record(doc, (0, len(doc)), extents, places, trees, attrs)


def sentences_to_json(doc: Doc, *, key: str = SPANS_KEY) -> Iterator[Dict[str, Any]]:
    """Each sentence of a Doc as an object of its own.

    Raises as `get_trees` does.
    """
    trees = get_trees(doc, key=key)
    attrs = {
        name: values
        for name, values in doc.spans[key].attrs.items()
        if isinstance(values, (list, tuple)) and len(values) == len(trees)
    }
    for i, sent in enumerate(sentences(doc)):
        extent = (sent.start, sent.end)
        own = {name: [values[i]] for name, values in attrs.items()}
        yield _record(doc, extent, [extent], [word_indices(sent)], [trees[i]], own)


def doc_from_json(record: Dict[str, Any], vocab: Vocab, *, key: str = SPANS_KEY) -> Doc:
    """The Doc that an object describes: its text, tokens, tags, sentences, trees.

    Raises TreeError where something is missing, is of another type, or does not
        fit: a token that is not the text at its offsets, an extent that is none.
    """
    return _make_doc(read_record(record), vocab, key)


def tree_to_json(tree: Tree) -> Dict[str, Any]:
    """A tree as an object of one sentence; its words stand one space apart.

    Raises TreeError for a word that is white space alone.
    """
    check_words(tree)
    doc = Doc(Vocab(), words=list(tree.words), tags=list(tree.tags))
    extents = [(0, len(tree))] if tree.words else []
    places = [list(range(len(tree)))]
    trees = [tree][: len(extents)]
    record = _record(doc, (0, len(tree)), extents, places[: len(extents)], trees, {})
    record["text"] = record["text"].removesuffix(" ")
    return record


def trees_from_json(record: Dict[str, Any]) -> List[Tree]:
    """The trees of an object's sentences; a missing tag is XX.

    Raises as `doc_from_json` does.
    """
    return list(_trees(read_record(record)))


def write_json_lines(
    path: Union[str, Path],
    docs: Iterable[Doc],
    *,
    unit: str = "doc",
    key: str = SPANS_KEY,
) -> None:
    """Write Docs to a file of JSON lines, UTF-8.

    unit: "doc" for a line a Doc, "sentence" for a line a sentence.
    Raises ValueError for another unit, OSError if the file cannot be written,
        and as `get_trees` does.
    """
    if unit not in ("doc", "sentence"):
        raise ValueError(f'unit must be "doc" or "sentence", not {unit!r}')
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        for doc in docs:
            if unit == "doc":
                file.write(json_line(doc_to_json(doc, key=key)))
            else:
                file.writelines(map(json_line, sentences_to_json(doc, key=key)))


def read_json_lines(
    path: Union[str, Path], vocab: Vocab, *, key: str = SPANS_KEY
) -> Iterator[Doc]:
    """Read the Docs of a file of JSON lines; empty lines are passed over.

    Raises FormatError, which names the line, for one that is not JSON or not in
        the schema; OSError if the file cannot be read.
    """
    with open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                yield doc_from_json(
                    json.loads(line.decode("utf-8-sig")), vocab, key=key
                )
            except ValueError as error:
                raise FormatError(str(path), number, str(error)) from error


def json_line(record: Dict[str, Any]) -> str:
    """An object as one line with its end; only line ends in it are escaped."""
    return json.dumps(record, ensure_ascii=False).translate(_LINE_ENDS) + "\n"


def _record(
    doc: Doc,
    extent: Tuple[int, int],
    sents: Sequence[Tuple[int, int]],
    places: Sequence[Sequence[int]],
    trees: Sequence[Tree],
    attrs: Dict[str, Any],
) -> Dict[str, Any]:
    """The object of some tokens of a Doc.

    sents: The extents of its sentences in tokens.
    places: For each sentence the tokens that are words.
    trees: For each sentence its tree, whose extents count those words.
    """
    first, last = extent
    offset = doc[first].idx if first < last else 0

    def place(start: int, end: int) -> Dict[str, int]:
        return {
            "start": doc[start].idx - offset,
            "end": doc[end - 1].idx + len(doc[end - 1]) - offset,
            "start_token": start - first,
            "end_token": end - first,
        }

    return {
        "text": "".join(doc[i].text_with_ws for i in range(first, last)),
        "offset": offset,
        "tokens": [
            {
                "text": doc[i].text,
                "tag": doc[i].tag_,
                "start": doc[i].idx - offset,
                "end": doc[i].idx + len(doc[i]) - offset,
            }
            for i in range(first, last)
        ],
        "sentences": [
            {
                **place(*sent),
                "constituents": [
                    {"label": label, **place(words[start], words[end - 1] + 1)}
                    for label, start, end in tree.constituents
                ],
            }
            for sent, words, tree in zip(sents, places, trees, strict=True)
        ],
        "attrs": attrs,
    }


def _make_doc(record: Record, vocab: Vocab, key: str) -> Doc:
    starts = {start for start, _ in record.sentences}
    doc = Doc(
        vocab,
        words=record.words,
        spaces=record.spaces,
        tags=record.tags,
        sent_starts=[i in starts for i in range(len(record.words))],
    )
    nodes = [tree.constituents for tree in _trees(record)]
    set_trees(doc, nodes, key=key, attrs=record.attrs)
    return doc


def _trees(record: Record) -> Iterator[Tree]:
    for (start, end), constituents in zip(
        record.sentences, record.constituents, strict=True
    ):
        words = [i for i in range(start, end) if not record.words[i].isspace()]
        position = {i: n for n, i in enumerate(words)}
        nodes = [
            Constituent(label, position[first], position[last - 1] + 1)
            for label, first, last in constituents
        ]
        yield Tree(
            tuple(record.words[i] for i in words),
            tuple(record.tags[i] or MISSING_TAG for i in words),
            tuple(nodes),
        )
