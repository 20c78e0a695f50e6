"""What is fuzzed: each target takes bytes and raises nothing but `AssertionError`.

A target reads the bytes as one kind of input. It accepts an answer or an error that
the package raises on purpose (`is_ours`), and checks of an answer what is promised:
above all that what was read can be written and read again.
"""

import json
import math
import struct
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator
from copy import deepcopy
from pathlib import Path
from typing import Any
from zlib import compress

import srsly
from spacy.tokens import Doc, Span, SpanGroup
from spacy.vocab import Vocab

import spacy_gfl
from spacy_gfl.annotation.building import set_trees
from spacy_gfl.annotation.storage import SPANS_KEY, get_trees
from spacy_gfl.attach_juxtapose.action_codec import AttachJuxtapose
from spacy_gfl.decoding.codec import LabelDataError
from spacy_gfl.seq2seq.symbol_codec import Symbols
from spacy_gfl.tools.evalb import score_pair
from spacy_gfl.tools.evalb.parameter_files import ParameterError, parse_parameters
from spacy_gfl.tools.query.matcher import TreeMatcher
from spacy_gfl.tools.query.notation import PatternError
from spacy_gfl.tools.query.patterns import TreePattern
from spacy_gfl.tools.treebanks.bracket_counts import ReadCounts, Rejections
from spacy_gfl.tools.treebanks.bracket_reader import parse_tree, read_trees
from spacy_gfl.tools.treebanks.conversion import Conversion
from spacy_gfl.tools.treebanks.formats import docbin
from spacy_gfl.tools.treebanks.formats.conll import (
    doc_to_conll,
    docs_from_conll,
    trees_from_conll,
)
from spacy_gfl.tools.treebanks.formats.json_lines import (
    doc_to_json,
    docs_from_json_lines,
    json_line,
    sentences_to_json,
    tree_to_json,
)
from spacy_gfl.tools.treebanks.formats.latex import tree_to_latex
from spacy_gfl.tools.treebanks.formats.text_files import FormatError
from spacy_gfl.trees.brackets import BracketError
from spacy_gfl.trees.tree import Tree, TreeError

PACKAGE = str(Path(spacy_gfl.__file__).parent)
#: Where files are written, if there is such a folder: in memory.
MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None
#: Trees to search and to score.
TREES = [
    parse_tree(text)
    for text in (
        "(S (NP (NP (DT The) (NNS keys)) (PP (IN to) (NP (DT the) (NN cabinet))))"
        " (VP (VBP are) (PP (IN on) (NP (DT the) (NN table)))) (. .))",
        "(TOP (X (X (X (NN a)))) (NN b) (-LRB- -LRB-))",
        "(NN word)",
    )
]
#: Data of those kinds of JSON that are read.
RECORDS = [tree_to_json(tree) for tree in TREES]
CODECS = (Symbols, AttachJuxtapose)
LABEL_DATA = [kind.from_trees(TREES).to_json() for kind in CODECS]
WORDS = ["a", "dog", " ", "\n", "\u200b", "(", "-LRB-", "\u05d0", "1", "\t\t", "."]
LABELS = ["S", "NP", "", "(", "VP", "-U+0028-", "TOP", "S+VP", " "]
VALUES: list[Any] = [
    *(None, 0, 1, 2, -1, 2**63, 2**64, True, "1", "", [], {}, [1], [None], ["a"], [[]]),
    *(math.nan, math.inf, [math.nan], [0.5] * 3, {"0": 1.0}, "\ud800", ["S"], [["S"]]),
]


def edited(numbers: Iterator[int], templates: list[Any]) -> Any:
    """One of the templates, with a few of its values replaced, left out or doubled."""
    draw = drawer(numbers)
    found = deepcopy(templates[draw(len(templates))])
    for _ in range(draw(5)):
        place = found
        while place:
            key = (list(place) if isinstance(place, dict) else range(len(place)))[
                draw(len(place))
            ]
            inner = place[key]
            if isinstance(inner, (dict, list)) and inner and draw(4):
                place = inner
                continue
            kind = draw(5)
            if kind == 0:
                del place[key]
            elif kind == 1 and isinstance(place, list):
                place.append(deepcopy(inner))
            elif kind == 2 and type(inner) is int:
                place[key] = inner + draw(5) - 2
            else:
                place[key] = deepcopy(VALUES[draw(len(VALUES))])
            break
    return found


def is_ours(error: BaseException) -> bool:
    """Whether the package raised an error itself, as a ValueError of its own."""
    *_, (frame, _) = traceback.walk_tb(error.__traceback__)
    made_here = frame.f_code.co_filename.startswith(PACKAGE)
    is_own = isinstance(error, ValueError) and not isinstance(error, UnicodeError)
    return made_here and is_own and bool(str(error))


def attempt(function: Callable[[], Any], *expected: type[BaseException]) -> Any:
    """What a function gives; None after an error of these kinds that is ours."""
    kinds = expected or (ValueError,)
    try:
        return function()
    except kinds as error:
        if isinstance(error, TimeoutError):
            return None
        if not is_ours(error):
            raise AssertionError(f"an error from the depths: {error!r}") from error
        return None


def drawer(numbers: Iterator[int]) -> Callable[[int], int]:
    """Draws whole numbers from 0, below what is given; 0 where no more are left."""
    return lambda below: next(numbers, 0) % below


def brackets(data: bytes) -> None:
    """The bracket reader: any text gives trees and errors, and every tree is kept."""
    flags, text = (data[:1] or b"\0")[0], data[1:].decode("utf-8", "surrogateescape")
    lines = text.splitlines(keepends=True)
    counts = ReadCounts()
    errors: list[BracketError] = []
    options = {"clean": bool(flags & 1), "repair": bool(flags & 2)}
    rejections = Rejections("fuzzed", counts, errors.append)
    found = list(read_trees(lines, **options, rejections=rejections))
    assert counts.kept == len(found)
    assert counts.read == counts.kept + counts.vanished + sum(counts.rejected.values())
    assert sum(counts.rejected.values()) == len(errors)
    for tree in found:
        assert parse_tree(tree.brackets()) == tree, tree
        assert parse_tree(tree.brackets("ROOT")) == tree, tree
        assert Tree.from_nltk(tree.to_nltk("TOP")) == tree, tree
    again = read_trees((tree.brackets() + "\n" for tree in found), clean=False)
    assert found == list(again)
    strict = attempt(lambda: list(read_trees(lines, **options)), BracketError)
    assert strict == (None if errors else found)
    attempt(lambda: parse_tree(text), BracketError)


def patterns(data: bytes) -> None:
    """Tree patterns: refused with a place, or searched; again gives the same."""
    text = data.decode("utf-8", "surrogateescape")
    pattern = attempt(lambda: TreePattern(text), PatternError)
    if pattern is None:
        return
    for tree in TREES:
        # A label that a match has not bound, or a regular expression of seconds.
        hits = attempt(lambda: pattern.search(tree), ValueError, TimeoutError)  # noqa: B023
        for hit in hits or ():
            assert 0 <= hit.start < hit.end <= len(tree)
        again = attempt(lambda: pattern.search(tree), ValueError, TimeoutError)  # noqa: B023
        assert hits == again


def parameters(data: bytes) -> None:
    """EVALB's parameter files: refused with a line, or a sentence is scored by them."""
    lines = data.decode("utf-8", "surrogateescape").splitlines(keepends=True)
    found = attempt(lambda: parse_parameters(lines), ParameterError)
    if found is None:
        return
    texts = [tree.brackets("TOP") for tree in TREES]
    for gold in texts:
        for predicted in texts:
            score = score_pair(gold, predicted, found)
            assert score.matched <= min(score.gold, score.predicted)


def carried(doc: Doc) -> Doc:
    """A Doc as it comes out of its bytes."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Doc(Vocab()).from_bytes(doc.to_bytes())


def all_of(read: Iterator[Doc], *kinds: type[BaseException]) -> list[Doc]:
    """What is read until the first error, which must be ours."""
    found: list[Doc] = []
    attempt(lambda: found.extend(read), *kinds)
    return found


def json_lines(data: bytes) -> None:
    """JSON lines: refused with a line, or the Doc is written and read as it was."""
    if data[:1] == b"{":
        lines = data.decode("utf-8", "surrogateescape").split("\n")
    else:
        lines = [json.dumps(edited(iter(data), RECORDS))]
    for doc in all_of(docs_from_json_lines(lines, Vocab()), FormatError):
        record = doc_to_json(doc)
        [again] = docs_from_json_lines([json_line(record)], Vocab())
        assert json_line(doc_to_json(again)) == json_line(record)
        assert get_trees(carried(doc)) == get_trees(doc)
        for one in sentences_to_json(doc):
            list(docs_from_json_lines([json_line(one)], Vocab()))


def conll(data: bytes) -> None:
    """CoNLL columns: refused with a line, or the trees are written and read again."""
    lines = data.decode("utf-8", "surrogateescape").splitlines(keepends=True)
    trees = attempt(lambda: list(trees_from_conll(lines)), FormatError)
    docs: list[Doc] = []
    read = docs_from_conll(lines, Vocab())
    if attempt(lambda: docs.extend(read) or True, TreeError):
        assert trees == [tree for doc in docs for tree in get_trees(doc)]
    for doc in docs:
        for style in ("2005", "2012"):
            text = doc_to_conll(doc, style=style).splitlines(keepends=True)
            assert get_trees(doc) == list(trees_from_conll(text))
        assert get_trees(carried(doc)) == get_trees(doc)


def files(data: bytes) -> None:
    """`convert`: a file of any format gives Docs, or one error; so does what it
    writes.
    """
    formats = ("brackets", "json", "conll")
    option = (data[:1] or b"\0")[0]
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        path = Path(folder, "input")
        path.write_bytes(data[1:])
        conversion = Conversion(n_sents=option // 4 % 4, repair=option < 128)
        attempt(lambda: conversion.read(path, formats[option % 3]))
        assert conversion.counts.kept <= conversion.counts.read
        trees = converted_trees(conversion)
        for ending in (".ptb", ".jsonl", ".conll", ".spacy"):
            path = Path(folder, f"output{ending}")
            conversion.write(path)
            again = Conversion()
            again.read(path)
            found = converted_trees(again)
            if ending != ".ptb":
                assert found == [tree for tree in trees if len(tree)], ending


def converted_trees(conversion: Conversion) -> list[Tree]:
    """The trees of all Docs that a conversion has read."""
    docs = conversion.docs.get_docs(conversion._vocab)
    return [tree for doc in docs for tree in get_trees(doc)]


#: How spaCy packs a span: hash, knowledge base, label, tokens, characters.
SPAN = struct.Struct(">QQQllll")


def span_groups(data: bytes) -> None:
    """Saved trees: damaged by hand or in bytes, they are trees or a clear error."""
    numbers = iter(data)
    draw = drawer(numbers)
    n_words, kind = 1 + draw(6), draw(4)
    words = [WORDS[draw(len(WORDS))] for _ in range(n_words)]
    starts: list[Any] = [bool(draw(3) == 0) for _ in range(n_words)]
    vocab = Vocab(strings=LABELS)
    doc = Doc(vocab, words=words, sent_starts=starts if draw(8) else None)
    names = ("version", "log_probs", "probabilities", "flags", "other")
    attrs = {names[draw(5)]: VALUES[draw(len(VALUES))] for _ in range(draw(4))}
    if kind == 0:
        group = SpanGroup(doc, name=SPANS_KEY)
        raw = bytes(numbers)
        try:
            group.from_bytes(raw)
        except Exception:  # spaCy's own reading.
            return
    elif kind == 1:
        spans = []
        for _ in range(draw(6)):
            label = [vocab.strings.as_int(LABELS[draw(len(LABELS))]), draw(256)]
            places = [
                draw(256) - 128 if draw(8) == 0 else draw(n_words + 1) for _ in "12"
            ]
            chars = [doc[max(0, min(p, n_words - 1))].idx + draw(2) for p in places]
            spans.append(SPAN.pack(0, 0, label[draw(8) == 0], *places, *chars))
        state = {"name": SPANS_KEY, "attrs": {}, "spans": spans}
        group = SpanGroup(doc, name=SPANS_KEY).from_bytes(srsly.msgpack_dumps(state))
        group.attrs.update(attrs)
    else:
        group = SpanGroup(doc, name=SPANS_KEY, attrs=attrs)
        for _ in range(draw(8)):
            start = draw(n_words)
            end = start + 1 + draw(n_words - start)
            group.append(Span(doc, start, end, label=LABELS[draw(len(LABELS))]))
    doc.spans[SPANS_KEY] = group
    if kind == 3:
        read_all(doc)
        group.attrs.update(attrs)
        doc.spans[SPANS_KEY].attrs.update(attrs)
        if len(group) and draw(2):
            start = draw(n_words)
            # Not `del group[i]`: in spaCy 3.8 it deletes what is before.
            group[draw(len(group))] = Span(doc, start, n_words, label="S")
        elif n_words > 1:
            with doc.retokenize() as retokenizer:
                retokenizer.merge(doc[:2])
    read_all(doc)


def read_all(doc: Doc) -> None:
    """Everything that may be asked of a Doc's trees, each once."""
    trees = attempt(lambda: get_trees(doc))
    strings = attempt(lambda: doc._.parse_strings)
    assert (trees is None) == (strings is None)
    for tree, text in zip(trees or (), strings or (), strict=True):
        assert (parse_tree(text) if text else Tree.flat((), ())) == tree, tree
        if len(tree):
            tree_to_latex(tree)
    for write in (doc_to_json, doc_to_conll, lambda doc: list(sentences_to_json(doc))):
        written = attempt(lambda: write(doc))  # noqa: B023
        assert trees is None or written is not None
    spans = [doc[i:j] for i in range(len(doc)) for j in range(i, len(doc) + 1)]
    names = (
        *("labels", "parse_string", "constituents", "children", "parent", "height"),
        *("depth", "head", "semantic_head", "probability", "probabilities", "log_prob"),
    )
    # spaCy itself refuses to iterate over spans that lie outside of their Doc.
    spans += [] if trees is None else list(doc.spans[SPANS_KEY])
    for span in spans:
        for name in names:
            attempt(lambda: _listed(getattr(span._, name)))  # noqa: B023
    attempt(lambda: doc._.phrases("*"), ValueError)
    matcher = TreeMatcher(doc.vocab)
    matcher.add("any", ["* << *"])
    attempt(lambda: matcher(doc))


def _listed(value: Any) -> Any:
    return list(value) if isinstance(value, Iterator) else value


def docs(data: bytes) -> None:
    """Files of Docs: what msgpack unpacks is trees or one error."""
    with tempfile.NamedTemporaryFile(dir=MEMORY) as file:
        Path(file.name).write_bytes(data[1:] if data[:1] == b"z" else compress(data, 1))
        for doc in all_of(docbin.read(file.name, Vocab())):
            if len(doc) < 20:
                read_all(doc)


def labels(data: bytes) -> None:
    """Label data: refused with a sentence, or a codec that keeps every tree legal."""
    try:
        given = json.loads(data) if data[:1] == b"{" else edited(iter(data), LABEL_DATA)
    except (ValueError, RecursionError):
        return
    for kind in CODECS:
        codec = attempt(lambda: kind.from_json(given), LabelDataError)  # noqa: B023
        if codec is None:
            continue
        data = codec.to_json()
        assert kind.from_json(json.loads(json.dumps(data))).to_json() == data
        more = codec.with_labels(["S", "NP"])
        for tree in TREES:
            steps = more.encode(tree)
            # Those of attach-juxtapose are an array beside others.
            steps = steps if isinstance(steps, list) else steps.actions.tolist()
            decoded = more.decode(steps, len(tree)).constituents
            starts: Any = [i == 0 for i in range(len(tree))]
            doc = Doc(Vocab(), words=list(tree.words), sent_starts=starts)
            set_trees(doc, [decoded])
            get_trees(carried(doc))


TARGETS: dict[str, Callable[[bytes], None]] = {
    "brackets": brackets,
    "patterns": patterns,
    "parameters": parameters,
    "json": json_lines,
    "conll": conll,
    "files": files,
    "spans": span_groups,
    "docs": docs,
    "labels": labels,
}
