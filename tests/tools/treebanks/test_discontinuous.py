import pytest

from spacy_gfl import TreeError
from spacy_gfl.tools.treebanks.discontinuous import ROOT, Graph, continuous_tree


def continuous(homes, labels, parents):
    words = [f"w{i}" for i in range(len(homes))]
    graph = Graph(words, ["X"] * len(words), homes, labels, parents)
    tree, moved = continuous_tree(graph)
    return tree.brackets().replace("(X ", "").replace(")", "]").replace("(", "["), moved


@pytest.mark.parametrize(
    ("homes", "labels", "parents", "wanted", "n_moved"),
    [
        ([0, 0], ["S"], [ROOT], "[S w0] w1]]", 0),
        # The part after the gap goes up to the first node that reaches there.
        ([1, 0, 0, 1], ["S", "VP"], [ROOT, 0], "[S [VP w0]] w1] w2] w3]]", 1),
        ([2, 1, 0, 2], ["S", "A", "B"], [ROOT, 0, 1], "[S [A [B w0]] w1]] w2] w3]]", 1),
        # A loose word goes into the gap that it makes; at the edge it stays.
        ([0, ROOT, 0, ROOT], ["S"], [ROOT], "[TOP [S w0] w1] w2]] w3]]", 1),
        ([1, ROOT, 0, 1], ["S", "V"], [ROOT, 0], "[S [V w0]] w1] w2] w3]]", 2),
        # Whole constituents move; those without words vanish.
        ([1, 0, 2, 2], ["S", "A", "B", "C"], [ROOT, 0, 1, 0], None, 1),
    ],
)
def test_gaps_are_closed_and_counted(homes, labels, parents, wanted, n_moved):
    found, moved = continuous(homes, labels, parents)
    assert moved == n_moved
    assert found == (wanted or "[S [A w0]] w1] [B w2] w3]]]")


def test_a_circle_is_refused():
    with pytest.raises(TreeError, match="form a circle"):
        continuous([0], ["A", "B"], [1, 0])
