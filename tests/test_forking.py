import subprocess
import sys

import pytest

SCRIPT = """
import spacy, torch
from spacy.tokens import Doc
from spacy.training import Example
from spacy_gfl import set_trees

torch.set_num_threads(2)
nlp = spacy.blank("en")
nlp.add_pipe("sentencizer")
nlp.add_pipe(
    "constituency_parser", config={"model": {"width": 64, "depth": 1}}
)
doc = nlp.make_doc("They saw the dog.")
gold = doc.copy()
gold[0].is_sent_start = True
for token in list(gold)[1:]:
    token.is_sent_start = False
set_trees(gold, [[("S", 0, 5), ("NP", 0, 1), ("VP", 1, 4), ("NP", 2, 4)]])
nlp.initialize(lambda: [Example(doc, gold)])
texts = ["They saw the dog. " * 3] * 300
# A parse in the parent starts the threads that a fork does not have.
one = [parsed._.parse_strings for parsed in nlp.pipe(texts)]
two = [parsed._.parse_strings for parsed in nlp.pipe(texts, n_process=2, batch_size=100)]
assert one == two
assert torch.get_num_threads() == 2
print("equal")
"""


@pytest.mark.slow
def test_two_processes_after_a_parse_in_this_one():
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SCRIPT],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "equal"
