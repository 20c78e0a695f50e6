"""What needs no PyTorch, or no extra, works without it."""

import subprocess
import sys

import pytest

MISSING = """
import sys
from pathlib import Path
MISSING = {missing}
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in MISSING:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Missing())
"""

PROGRAM = """
import catalogue
# Where there is no PyTorch, there is no package that cannot do without.
find = catalogue.Registry._get_entry_points
catalogue.Registry._get_entry_points = lambda registry: [
    one for one in find(registry) if not one.value.startswith("spacy_transformers")
]
import spacy
import spacy_gfl

folder = Path(sys.argv[1])
(folder / "a.ptb").write_text("(S (NP (DT The) (NN dog)) (VP (VBZ barks)))\\n")
with open(folder / "a.ptb") as file:
    [tree] = spacy_gfl.read_trees(file)
nlp = spacy.blank("en")
[doc] = spacy_gfl.trees_to_docs([tree], nlp.vocab)
print(doc[0:2]._.parse_string)
matcher = spacy_gfl.TreeMatcher(nlp.vocab)
matcher.add("SUBJECT", ["NP $ VP"])
print(matcher(doc, as_spans=True))
print("<svg" in spacy_gfl.render(doc))
reader = spacy.registry.readers.get("spacy_gfl.TreebankCorpus.v1")(folder / "a.ptb")
[example] = reader(nlp)
print(example.reference._.parse_strings)
scorer = spacy.registry.scorers.get("spacy_gfl.bracket_scorer.v1")()
print(scorer([example])["con_f"])
other = spacy.blank("de")
other.add_pipe("sentencizer")
other.to_disk(folder / "other")
print(spacy.load(folder / "other").pipe_names)
try:
    nlp.add_pipe("constituency_parser")
except ImportError as error:
    print(error)
try:
    spacy.registry.architectures.get("spacy_gfl.WordFeatures.v1")
except ImportError as error:
    print(error)
"""


LOAD_ALL = """
from importlib.metadata import entry_points
found = entry_points()
loaded = {}
for group in found.groups:
    for entry in found.select(group=group):
        if group.startswith(("spacy_", "thinc_")) and "spacy_gfl." in entry.value:
            loaded[entry.name] = entry.load()
for name, values in {
    "spacy_gfl.Transformer.v1": {"name": "x"},
    "spacy_gfl.learn_rounded.v1": {"bits": 5},
}.items():
    try:
        loaded[name](**values)
    except ImportError as error:
        print(error)
"""


def run_without(missing, program, *arguments):
    """The output of a program in a process where packages cannot be imported."""
    program = MISSING.format(missing=set(missing)) + program
    command = [sys.executable, "-c", program, *map(str, arguments)]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return result.stdout.splitlines()


def test_all_but_parsing_works_without_torch(tmp_path):
    *found, first, second = run_without({"torch"}, PROGRAM, tmp_path)
    assert found == [
        "(NP (DT The) (NN dog))",
        "[The dog]",
        "True",
        "['(S (NP (DT The) (NN dog)) (VP (VBZ barks)))']",
        "0.0",
        "['sentencizer']",
    ]
    assert first == second == "No module named 'torch'"


@pytest.mark.parametrize("missing", ["curated_transformers", "fsspec", "tokenizers"])
def test_entry_points_load_without_their_extra_and_building_names_it(missing):
    layer, rounding = run_without({missing}, LOAD_ALL)
    assert layer == rounding
    assert "the extra [transformers]" in layer
    assert missing in layer
