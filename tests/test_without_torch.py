"""What needs no PyTorch works without it."""

import subprocess
import sys

PROGRAM = """
import sys
from pathlib import Path
class NoTorch:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "torch":
            raise ModuleNotFoundError("No module named 'torch'", name="torch")
sys.meta_path.insert(0, NoTorch())
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


def test_all_but_parsing_works_without_torch(tmp_path):
    command = [sys.executable, "-c", PROGRAM, str(tmp_path)]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    *found, first, second = result.stdout.splitlines()
    assert found == [
        "(NP (DT The) (NN dog))",
        "[The dog]",
        "True",
        "['(S (NP (DT The) (NN dog)) (VP (VBZ barks)))']",
        "0.0",
        "['sentencizer']",
    ]
    assert first == second
    assert first.startswith("The constituency parser computes with PyTorch")
