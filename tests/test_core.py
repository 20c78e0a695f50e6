"""What a pipeline loads of the package: what it runs, and nothing else."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.shipped import needs

import spacy_gfl

LANGUAGES = Path(spacy_gfl.__file__).parent / "languages"
#: What a program does that parses, reads, saves, scores and learns.
PROGRAM = """
import json, sys, tempfile
import spacy
from spacy.tokens import DocBin
from spacy.training import Example
nlp = spacy.load(sys.argv[1])
doc = nlp("The keys to the cabinet are on the table. Who called?")
sent = next(doc.sents)
for name in sys.argv[2].split():
    value = getattr(sent._, name)
    list(value) if name in ("constituents", "children") else str(value)
doc._.parse_strings, list(doc._.phrases("NP")), list(doc.noun_chunks), sent.root
[doc] = DocBin(docs=[doc]).get_docs(nlp.vocab)
with tempfile.TemporaryDirectory() as folder:
    nlp.to_disk(folder)
    nlp = spacy.load(folder)
example = Example(nlp.make_doc(doc.text), doc)
assert nlp.evaluate([example])["con_f"] > 0
with nlp.select_pipes(enable="constituency_parser"):
    nlp.update([Example(nlp.make_doc(doc.text), doc)])
found = {name: m.__file__ for name, m in sys.modules.items()
         if name.partition(".")[0] == "spacy_gfl" and getattr(m, "__file__", None)}
print(json.dumps({name: len(open(file, encoding="utf-8").read().splitlines())
                  for name, file in found.items()}))
"""
ATTRIBUTES = (
    "labels parse_string parse_tree constituents children parent is_constituent "
    "covering height depth head semantic_head log_prob"
)
PIPELINES = (
    *("en_gfl_sm", "en_gfl_trf", "en_gfl_lg", "en_gfl_inc", "en_gfl_paper"),
    *("id_gfl_sm", "id_gfl_trf", "is_gfl_sm", "is_gfl_trf", "xx_gfl_trf"),
)
#: Rooms that no pipeline loads but those that are named.
BY_NAME = {
    "transformer": (
        "en_gfl_trf",
        "en_gfl_lg",
        "id_gfl_trf",
        "is_gfl_trf",
        "xx_gfl_trf",
    ),
    "seq2seq": ("en_gfl_paper",),
    "left_to_right": ("en_gfl_inc",),
}
IN_FEW_BITS = tuple(name for name in PIPELINES if name != "en_gfl_sm")


def loaded(pipeline: str) -> dict[str, int]:
    """The modules of the package that a pipeline loads, with their lines."""
    command = [sys.executable, "-W", "ignore", "-c", PROGRAM, pipeline, ATTRIBUTES]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize(
    "pipeline", [pytest.param(name, marks=needs(name)) for name in PIPELINES]
)
def test_a_pipeline_loads_what_it_runs(pipeline):
    found = loaded(pipeline)
    rooms = {name.split(".")[1] for name in found if "." in name}
    # Weights that are saved in few bits are rounded by a tool of those who train.
    tools = {name for name in found if name.startswith("spacy_gfl.tools.")}
    rounding = {"spacy_gfl.tools.training", "spacy_gfl.tools.training.few_bits"}
    assert tools <= (rounding if pipeline in IN_FEW_BITS else set())
    for room, pipelines in BY_NAME.items():
        assert room not in rooms or pipeline in pipelines, (room, sorted(found))
    # Labels and tags of another language's file are English ones and its own.
    asked = {pipeline[:2], "en"}
    codes = {path.stem for path in LANGUAGES.glob("*.py") if len(path.stem) == 2}
    own = {name.rpartition(".")[2] for name in found if ".languages." in name}
    assert own & codes <= asked


def test_the_core_is_small():
    found = loaded("en_gfl_sm")
    assert len(found) <= 80
    assert sum(found.values()) <= 12_000


def test_importing_the_package_loads_no_room_but_what_registers_attributes():
    program = "import sys, spacy_gfl; print(*sys.modules)"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    names = {name for name in done.stdout.split() if name.startswith("spacy_gfl")}
    assert len(names) <= 5, names
    assert set(spacy_gfl.__all__) <= set(dir(spacy_gfl))
