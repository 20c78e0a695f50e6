"""What is loaded runs no code, takes no more memory than its file, and calls nobody.

Pictures: tests/tools/pictures. Patterns: tests/tools/query.
"""

import io
import json
import pickle
import subprocess
import sys
import zipfile
import zlib
from contextlib import nullcontext, suppress
from functools import partial
from itertools import islice

import numpy
import pytest
import spacy
import srsly
import torch
from helpers.cli import done, run
from helpers.pipelines import ARCHITECTURES, NAME, initialized
from spacy.tokens import DocBin
from spacy.vocab import Vocab

from spacy_gfl import parse_tree, trees_to_docs
from spacy_gfl.attach_juxtapose.action_codec import AttachJuxtapose
from spacy_gfl.seq2seq.symbol_codec import Symbols
from spacy_gfl.tools.treebanks.formats import docbin

DOG = "(S (NP (DT The) (NN dog)) (VP (VBZ barks)) (. .))"


class Hostile:
    """Unpickled, it makes a file."""

    def __init__(self, marker):
        self.marker = marker

    def __reduce__(self):
        return open, (str(self.marker), "w")


@pytest.fixture(scope="module", params=ARCHITECTURES)
def saved(request, tmp_path_factory):
    """A saved pipeline with vectors, and a corpus beside it."""
    folder = tmp_path_factory.mktemp("saved")
    nlp = initialized(architecture=request.param)
    nlp.vocab.set_vector("dog", numpy.ones(4, dtype="float32"))
    nlp.to_disk(folder / "model")
    docs = trees_to_docs([parse_tree(DOG)], nlp.vocab)
    DocBin(docs=docs, store_user_data=True).to_disk(folder / "corpus.spacy")
    srsly.write_json(folder / "labels.json", nlp.get_pipe(NAME).label_data)
    return folder


def load(nlp, file, folder):
    """Load what a file belongs to; its error, if there is one."""
    try:
        if file.name == "corpus.spacy":
            list(docbin.read(file, Vocab()))
        elif file.name == "labels.json":
            labels = srsly.read_json(file)
            kind = AttachJuxtapose.kind
            codec = AttachJuxtapose if labels["kind"] == kind else Symbols
            codec.from_json(labels)
        elif file.parent.name == NAME:
            nlp.get_pipe(NAME).from_disk(file.parent, exclude=["vocab"])
        elif file.parent.name == "vocab":
            Vocab().from_disk(file.parent)
        else:
            spacy.load(folder / "model")
    except Exception as error:
        return error


def hostile_contents(good, evil):
    """What a file may be replaced by: a pickle, or its own format with one inside."""
    yield pickle.dumps(evil)
    stream = io.BytesIO()
    numpy.save(stream, numpy.array([evil], dtype=object), allow_pickle=True)
    yield stream.getvalue()
    # An array of objects as msgpack_numpy once wrote it.
    array = {b"nd": True, b"type": "|O", b"kind": b"O", b"shape": (1,)}
    array[b"data"] = pickle.dumps(evil)
    yield srsly.msgpack_dumps(array)
    yield zlib.compress(srsly.msgpack_dumps(array))
    with suppress(Exception):
        data = srsly.msgpack_loads(good)
        stream = io.BytesIO()
        torch.save({"settings": "{}", "state": evil}, stream)
        for weights in (stream.getvalue(), pickle.dumps(evil)):
            shims = [[weights] * len(shim) for shim in data["shims"]]
            yield srsly.msgpack_dumps({**data, "shims": shims})


def test_no_file_of_a_pipeline_is_unpickled(saved, tmp_path):
    marker = tmp_path / "made"
    evil = Hostile(marker)
    pickle.loads(pickle.dumps(evil)).close()
    marker.unlink()
    nlp = spacy.load(saved / "model")
    files = [file for file in sorted(saved.rglob("*")) if file.is_file()]
    if "Seq2Seq" in (saved / "model" / "config.cfg").read_text():
        # What is spaCy's need not be tried twice.
        files = [file for file in files if file.parent.name == NAME]
    for file in files:
        good = file.read_bytes()
        assert load(nlp, file, saved) is None
        ours = file.parent.name in (NAME, "vocab", saved.name)
        for content in islice(hostile_contents(good, evil), None if ours else 1):
            file.write_bytes(content)
            assert isinstance(load(nlp, file, saved), Exception), file
            assert not marker.exists(), file
        file.write_bytes(good)


# ---- sizes ----


def deflated(weights):
    """An archive of weights with its members compressed."""
    stream = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(weights)) as archive,
        zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as other,
    ):
        for name in archive.namelist():
            other.writestr(name, archive.read(name))
    return stream.getvalue()


def with_settings(weights, state=None, **settings):
    """Other settings, or other tensors, in saved weights."""
    saved = torch.load(io.BytesIO(weights), weights_only=True)
    known = {**json.loads(saved["settings"]), **settings}
    saved.update(settings=json.dumps(known), state={**saved["state"], **(state or {})})
    stream = io.BytesIO()
    torch.save(saved, stream)
    return stream.getvalue()


MANY = 10**9
ONE = torch.ones(1)
#: More of what is really there would take 4 GB.
CLAIMED = {"score": torch.zeros(1).expand(MANY)}
ROUNDED = {"steps": torch.zeros(1, dtype=torch.int8).expand(1, MANY), "scales": ONE}
SETTINGS = {
    "more weights than it has bytes": [
        {"state": CLAIMED, "hidden_width": MANY},
        {"state": {"score": ROUNDED}},
    ],
    "sizes of its settings": [
        *[{"hidden_width": MANY}, {"n_labels": MANY}, {"depth": MANY}],
        *[{"width": 10**6}, {"input_width": 10**6}],
    ],
    "damaged": [
        {"state": {"score": {"steps": ONE}}},
        *({"width": width} for width in (MANY, 10**30, -1, "wide")),
        {"other": 1},
    ],
    "at most 10,000": [{"max_depth": MANY}],
    "something other than weights": [{"state": {"score": print}}],
}
WEIGHTS = [
    (lambda weights: weights, None),
    (lambda weights: weights[: len(weights) // 2], "damaged"),
    (lambda weights: b"", "E109"),
    (pickle.dumps, "damaged"),
    (deflated, "in memory"),
    *((partial(with_settings, **c), m) for m, cs in SETTINGS.items() for c in cs),
]


@pytest.fixture(scope="module")
def nlp():
    return initialized()


@pytest.fixture(scope="module")
def weights(nlp):
    return nlp.get_pipe(NAME).model.get_ref("network").shims[0].to_bytes()


@pytest.mark.parametrize(("change", "message"), WEIGHTS)
def test_weights_of_absurd_sizes_are_refused(
    change, message, nlp, weights, little_memory
):
    shim = nlp.get_pipe(NAME).model.get_ref("network").shims[0]
    shim.from_bytes(weights)
    saved = srsly.msgpack_loads(weights)
    saved["state"] = change(saved["state"])
    with pytest.raises(Exception, match=message) if message else nullcontext():
        shim.from_bytes(srsly.msgpack_dumps(saved))
        nlp("The dog barks.")


#: A list that says it has two billion members.
ENDLESS = b"\xdd\x7f\xff\xff\xff"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (lambda: zlib.compress(b"\x80" * 100_000_000, 9), "expand to more than"),
        (lambda: zlib.compress(ENDLESS), "exceeds"),
        (lambda: zlib.compress(b"\x91" * 100_000), "StackError"),
    ],
)
def test_corpora_of_absurd_sizes_are_refused(data, message, tmp_path, little_memory):
    path = tmp_path / "corpus.spacy"
    path.write_bytes(data())
    reason = rf"corpus\.spacy cannot be read as a \.spacy file: .*({message})"
    with pytest.raises(ValueError, match=reason):
        list(docbin.read(path, Vocab()))
    result = run("evaluate", path, path)
    assert result.exit_code == 1
    assert "cannot be read as a .spacy file" in result.output


# ---- the network, and other folders ----

ALONE = """
import sys

REFUSED = ("connect", "getaddrinfo", "gethostbyname", "sendto", "sendmsg")

def refuse(event, arguments):
    room, _, what = event.partition(".")
    if (room == "socket" and what in REFUSED) or event == "pickle.find_class":
        raise SystemExit(f"{event} {arguments}")

sys.addaudithook(refuse)
"""
PARSING = """
import spacy
for model in sys.argv[1:]:
    nlp = spacy.load(model)
    doc = nlp("The dog barks. The keys to the cabinet are on the table.")
    print(doc._.parse_strings)
    import spacy_gfl
    matcher = spacy_gfl.TreeMatcher(nlp.vocab)
    matcher.add("X", ["* < NN"])
    matcher(doc)
    if spacy.util.is_package("svgling"):
        spacy_gfl.render(doc, jupyter=False)
"""


def run_alone(code, *arguments):
    command = [sys.executable, "-c", ALONE + code, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True)


def test_loading_and_parsing_call_nobody_and_unpickle_nothing(tmp_path):
    """In a process that has not imported this package.

    Libraries only look whether there is IPv6.
    """
    initialized().to_disk(tmp_path)
    models = [tmp_path, *filter(spacy.util.is_package, ["en_gfl_sm"])]
    result = run_alone(PARSING, *models)
    assert result.returncode == 0, result.stderr
    assert result.stdout.count(" dog)") == len(models)


AWAY = "../../away"
CONLL = f"""#begin document ({AWAY}); part 000
{AWAY}/x 0 0 /etc/away /etc/away (S(NP*)) - - - - * -

#end document
"""


@pytest.mark.parametrize("ending", ["ptb", "jsonl", "conll", "tex", "spacy"])
def test_files_are_written_where_the_command_line_says_alone(ending, tmp_path):
    """Names of documents, labels and words that are paths do not lead anywhere."""
    folder = tmp_path / "deep" / "deeper"
    folder.mkdir(parents=True)
    (folder / f"{AWAY.replace('/', '_')}.conll").write_text(CONLL, encoding="utf-8")
    [read] = folder.iterdir()
    out = folder / "out" / f"trees.{ending}"
    done("convert", read, out)
    files = {file for file in tmp_path.rglob("*") if file.is_file()}
    assert files == {read, out}
