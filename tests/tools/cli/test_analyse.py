import json
import re
from xml.etree import ElementTree

from helpers.cli import done, rows

GOLD = """\
(TOP (S (NP (PRP I)) (VP (VBD saw) (NP (DT a) (NN man)) (PP (IN at) (NP (NN noon)))) (. .)))
(TOP (S (NP (PRP We)) (VP (VBD left) (ADVP (RB early)))))
(TOP (X (A f)))
(TOP (S (NP (DT the) (NML (JJ high) (NN school)) (NN fire)) (VP (VBD grew) (ADVP (RB fast)))))
"""  # noqa: E501
PREDICTED = """\
(TOP (S (NP (PRP I)) (VP (VBD saw) (NP (NP (DT a) (NN man)) (PP (IN at) (NP (NN noon))))) (. .)))
(TOP (S (NP (PRP We)) (VP (VBD left) (ADVP (RB early)))))
(TOP (X (A z)))
(TOP (S (NP (DT the) (JJ high) (NN school) (NN fire)) (VP (VBD grew) (ADJP (RB fast)))))
"""  # noqa: E501
BY_SIDE = """\
  S                                                 S
   NP I                                              NP I
   VP                                                VP
    saw                                               saw
                                                  -   NP
    NP a man                                           NP a man
    PP at noon                                         PP at noon
"""


def analyse(*options, gold="gold.ptb", predicted="predicted.ptb", **settings):
    return done("analyse", gold, predicted, *options, **{"columns": 60, **settings})


def test_errors_are_counted_by_kind_in_a_table(folder):
    result = analyse("--worst", 0)
    found = rows(result.stdout)
    assert found["PP attachment"] == ["1", "0", "1", "1", "25.00"]
    assert found["Different label"] == ["1", "1", "1", "2", "50.00"]
    assert found["NP-internal structure"] == ["1", "1", "0", "1", "25.00"]
    assert found["All"] == ["3", "2", "2", "4", "100.00"]
    assert "Sentence" not in result.stdout
    assert "1 of 4 sentences cannot be compared" in result.stderr
    assert (
        "have other tokens than the gold file, parse the gold file itself"
        in result.stderr
    )


def test_the_worst_sentences_are_shown_first(folder):
    title = re.compile(r"Sentence (\d+): (\d+) wrong")
    assert title.findall(analyse("--worst", 1).stdout) == [("4", "3")]
    shown = analyse(columns=100).stdout
    assert title.findall(shown) == [("4", "3"), ("1", "1")]
    assert "PP attachment (1): at noon" in shown
    assert shown.endswith(BY_SIDE)


def test_narrow_terminals_have_one_tree_above_the_other(folder):
    result = analyse(columns=12)
    gold, predicted = result.stdout.split("Gold:")[-1].split("Predicted:")
    assert gold.splitlines()[1:4] == ["  S", "   NP I", "   VP"]
    assert "-   NP" in predicted.splitlines()
    # Longer lines are cut.
    assert "     PP at …" in predicted.splitlines()


def test_wrong_brackets_are_coloured_on_terminals(folder):
    result = analyse(color=True)
    assert "\x1b[38;5;2m+   NML high school\x1b[0m" in result.stdout
    assert "\x1b[38;5;1m-   ADJP fast\x1b[0m" in result.stdout
    assert "\x1b" not in analyse().stdout


def test_errors_are_written_as_json(folder):
    analyse("--json", "new/errors.json")
    found = json.loads((folder / "new" / "errors.json").read_text())
    assert found["sentences"] == 3
    assert found["kinds"]["Different label"] == {"errors": 1, "missing": 1, "extra": 1}
    first, last = found["wrong_sentences"]
    error = {"start": 4, "end": 6, "missing": [], "extra": [["NP", 2, 6]]}
    assert first == {
        "number": 1,
        "words": ["I", "saw", "a", "man", "at", "noon"],
        "errors": [{"kind": "PP attachment", **error}],
    }
    assert last["number"] == 4


def test_docs_have_the_tags_of_gold(folder):
    (folder / "same.ptb").write_text(PREDICTED.replace("(. .)", "(XX .)"))
    for name in ("gold", "same"):
        done("convert", f"{name}.ptb", f"{name}.spacy", "--n-sents", 2)
    result = analyse(gold="gold.spacy", predicted="same.spacy")
    assert rows(result.stdout)["All"][3] == "4"
    assert "1 of 4 sentences" in result.stderr
    assert "2 of 4" in analyse(predicted="same.ptb").stderr
    assert "1 of 4" in analyse("--gold-tags", predicted="same.ptb").stderr


def test_a_chart_is_drawn(folder):
    path = folder / "chart.svg"
    analyse("--chart", path)
    data = path.read_bytes()
    analyse("--chart", path)
    assert path.read_bytes() == data
    texts = list(ElementTree.fromstring(data).itertext())
    assert {"PP attachment", "missing", "1"} <= set(texts)
