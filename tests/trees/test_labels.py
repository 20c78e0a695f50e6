import pytest

from spacy_gfl.trees.labels import split_label


@pytest.mark.parametrize(
    ("label", "parts"),
    [
        ("NP", ("NP", "")),
        ("NP-SBJ-1", ("NP", "-SBJ-1")),
        ("NP=2", ("NP", "=2")),
        ("NP|NX", ("NP|NX", "")),
        ("-LRB-", ("-LRB-", "")),
        ("-NONE--1", ("-NONE-", "-1")),
        ("-SBJ", ("-SBJ", "")),
        ("=X=1", ("=X", "=1")),
        ("X-LRB-Y", ("X", "-LRB-Y")),
        ("-", ("-", "")),
        ("", ("", "")),
        ("\n-\n", ("\n", "-\n")),
    ],
)
def test_labels_are_split_from_function_tags(label, parts):
    assert split_label(label) == parts
