import pytest

from spacy_gfl.tools.treebanks.bracket_counts import ReadCounts
from spacy_gfl.tools.treebanks.formats import find_format, greynir
from spacy_gfl.tools.treebanks.formats.reading import Reading
from spacy_gfl.tools.treebanks.formats.text_files import FormatError
from spacy_gfl.tools.treebanks.inputs import holds_docs

ANNA = r"""( (META (ID-CORPUS 12-ab.3)
        (URL
  https://example.is/a_(b)?c=d)
        (COMMENT ))
  (S0 (S-MAIN (IP (NP-SUBJ (person_et_nf_kvk Anna Jóns (lemma Anna Jóns)))
                  (VP-AUX (so_0_et_nt hló (lemma hlæja) (exp_seg hló)))
                  (CP-EXPLAIN (grm \()
                              (P (fs_þgf í (lemma í)))
                              (ártal 2020)
                              (grm &#41; (lemma \))))))
      (grm .)))
"""
WRONG = {
    "(S0 (NP (no_et kýr)) (grm .)": "(S0 is not closed",
    "(S0 (NP (no_et kýr)))) (grm .)": "(grm here is unknown",
    "(S0 (NP (no_et kýr))) (grm .))": "(grm in ( is unknown",
    "(S0 (S0 (no_et kýr))))": "(S0 in (S0 is unknown",
    "(S0 (NP (no_et kýr (flokkur a)))))": "(flokkur in (no_et is unknown",
    "(S0 (NP (no_et))))": "(no_et has no word",
    "(S0 (NP ein (no_et kýr))))": "the word 'ein' has no tag",
    "(S0 (NP )))": "this tree has no words",  # In the line where it begins.
}


def read(text, **settings):
    lines = text.splitlines(keepends=True)
    return list(greynir.read(Reading(given=lines, given_name="a.gld", **settings)))


def test_words_written_with_spaces_are_split_and_keep_their_tag():
    counts = ReadCounts()
    [tree] = read(ANNA, counts=counts)
    assert tree.brackets() == (
        "(TOP (S (IP (NP (person Anna) (person Jóns)) (VP (so hló)) (CP (grm -LRB-) "
        "(P (fs í)) (ártal 2020) (grm -RRB-)))) (grm .))"
    )
    assert (counts.read, counts.kept, counts.repairs) == (1, 1, 1)


@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_unknown_is_an_error_with_its_line(wrong):
    text = ANNA + "\n( (META (ID-LOCAL a,.1))\n  " + wrong + "\n\n" + ANNA
    with pytest.raises(FormatError) as error:
        read(text)
    line = 13 if "this tree" in WRONG[wrong] else 14
    assert str(error.value) == f"a.gld:{line}: {WRONG[wrong]}"
    errors, counts = [], ReadCounts()
    assert len(read(text, counts=counts, on_error=errors.append)) == 2
    assert (len(errors), counts.read, counts.kept) == (1, 3, 2)


def test_an_empty_constituent_is_left_out():
    counts = ReadCounts()
    [tree] = read("( (S0 (S-MAIN )\n (NP (no_et kýr))))", counts=counts)
    assert tree.brackets() == "(NP (no kýr))"
    assert counts.emptied == 1


def test_brackets_with_the_same_ending_are_brackets(tmp_path):
    path = tmp_path / "sample.gld"
    path.write_text("(S (NP (PRP They)) (VP (VBP sleep)))\n", encoding="utf-8")
    assert find_format(path).name == "brackets"
    assert not holds_docs(path)


def test_a_wide_space_is_part_of_its_word():
    [tree] = read("( (S0 (NP (to 10\u00a0000) (no_ft kr. kr (lemma króna)))))")
    assert tree.brackets() == "(NP (to 10-U+00A0-000) (no kr.) (no kr))"
