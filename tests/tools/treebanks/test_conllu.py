"""CoNLL-U, of which trees are made."""

import gzip

import pytest
import spacy
from spacy.vocab import Vocab

from spacy_gfl import get_trees
from spacy_gfl.tools.treebanks.conversion import Conversion
from spacy_gfl.tools.treebanks.formats.conllu import read_docs
from spacy_gfl.tools.treebanks.formats.names import document_name
from spacy_gfl.tools.treebanks.formats.reading import Reading
from spacy_gfl.tools.treebanks.inputs import read_docs as docs_to_parse
from spacy_gfl.tools.treebanks.inputs import read_treebank, treebank_files
from spacy_gfl.tools.treebanks.schemes import ReadingWarning

#: A multiword token, an empty node, enhanced dependencies, features, no space.
GERMAN = """\
# newdoc id = house
# sent_id = 1
1	Er	er	PRON	PPER	Case=Nom	2	nsubj	2:nsubj	_
2	schläft	schlafen	VERB	VVFIN	_	0	root	0:root	_
2.1	und	und	CCONJ	_	_	_	_	2:cc	_
3-4	im	_	_	_	_	_	_	_	_
3	in	in	ADP	_	_	5	case	_	_
4	dem	der	DET	_	_	5	det	_	_
5	Haus	Haus	NOUN	NN	_	2	obl	2:obl:in	SpaceAfter=No
6	.	.	PUNCT	$.	_	2	punct	_	_

"""
IM = "3-4\tim" + "\t_" * 8 + "\n"
TREE = "(S (NP (PRON Er)) (VP (VERB schläft) (PP (ADP im) (NP (NOUN Haus)))) (PUNCT .))"
BARE = "1\tRain\t_\t_\t_\t_\t0\t_\t_\t_\n\n"


def docs_of(text, lang="de", **settings):
    lines = text.splitlines(keepends=True)
    vocab = spacy.blank(lang).vocab
    return list(read_docs(Reading(given=lines, **settings), vocab))


def test_a_sentence_is_a_doc_with_its_text_its_tree_and_its_dependencies():
    [doc] = docs_of(GERMAN)
    assert doc.text == "Er schläft im Haus. "
    assert [str(tree) for tree in get_trees(doc)] == [TREE]
    assert [token.dep_ for token in doc] == ["nsubj", "ROOT", "case", "obl", "punct"]
    assert [token.head.i for token in doc] == [1, 1, 3, 1, 1]
    assert [token.pos_ for token in doc] == [token.tag_ for token in doc]
    assert document_name(doc) == ("house", None)


def test_brackets_that_the_vietnamese_treebank_spells_are_brackets():
    rows = "Oslo PROPN 0 root|LBKT PUNCT 3 punct|1952 NUM 1 nmod|RBKT PUNCT 3 punct"
    rows = [row.split() for row in rows.split("|")]
    [doc] = docs_of(
        "".join(
            f"{n}\t{form}\t_\t{tag}\t_\t_\t{head}\t{relation}\t_\t_\n"
            for n, (form, tag, head, relation) in enumerate(rows, start=1)
        ),
        "xx",
    )
    assert [token.text for token in doc] == ["Oslo", "(", "1952", ")"]
    assert "(PRN (PUNCT -LRB-) (NUM 1952)" in str(get_trees(doc)[0])


def test_parts_that_the_tokenizer_of_the_language_finds_too_are_words():
    english = (
        "1-2\tDon't\t_\t_\t_\t_\t_\t_\t_\t_\n1\tDo\t_\tAUX\t_\t_\t3\taux\t_\t_\n"
        "2\tn't\t_\tPART\t_\t_\t3\tadvmod\t_\t_\n3\tgo\t_\tVERB\t_\t_\t0\troot\t_\t_\n"
    )
    assert [token.text for token in docs_of(english, "en")[0]] == ["Do", "n't", "go"]
    [doc] = docs_of(english, "xx")
    assert (doc.text, doc[0].dep_) == ("Don't go ", "aux")


def test_a_multiword_token_whose_parts_are_above_and_below_another_word_has_a_tree():
    rows = ["1-2 ab _ _ _ _ _ _ _ _", "1 a _ X _ _ 3 dep _ _", "2 b _ X _ _ 0 root _ _"]
    text = "\n".join(row.replace(" ", "\t") for row in [*rows, "3 c _ X _ _ 2 dep _ _"])
    [doc] = docs_of(text, "xx")
    assert [(token.text, token.head.i) for token in doc] == [("ab", 0), ("c", 0)]


def test_columns_without_a_value_are_no_obstacle():
    [doc] = docs_of(BARE)
    assert get_trees(doc)[0].brackets() == "(NP (X Rain))"


@pytest.mark.parametrize(
    ("n_sents", "lengths"), [(1, [1] * 5), (2, [2, 1, 2]), (0, [3, 2])]
)
def test_a_doc_has_sentences_of_one_document(n_sents, lengths):
    text = "# newdoc\n" + BARE * 3 + "# newdoc id = b\n" + BARE * 2
    docs = docs_of(text, n_sents=n_sents)
    assert [len(list(doc.sents)) for doc in docs] == lengths
    assert [document_name(doc)[0] for doc in docs][-1] == "b"


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("\t2\tnsubj\t", "\t_\tnsubj\t", 3, "word 1 has no head"),
        ("\t2\tnsubj\t", "\t9\tnsubj\t", 3, "there is no word 9"),
        ("\t2\tnsubj\t", "\t0\tnsubj\t", 4, "a second word, 'schläft', has no head"),
        ("\t0\troot\t", "\t5\troot\t", 3, "no word is the root"),
        ("\t5\tcase\t", "\t3\tcase\t", 7, "word 3 depends on itself"),
        ("\t2\tobl\t", "\t5\tobl\t", 9, "word 5 depends on itself"),
        ("2\tschläft", "3\tschläft", 4, "word 2 should stand here, not 3"),
        ("2\tschläft", "zwei\tschläft", 4, "'zwei' is not the number"),
        ("5\tHaus", "5\t", 9, "word 5 has no form"),
        ("\tVVFIN\t", " ", 4, "tabs between them, this line has 8"),
        ("\t2\tnsubj\t", "\t²\tnsubj\t", 3, "word 1 has no head"),
        ("\t2\tnsubj\t", f"\t{'9' * 5_000}\tnsubj\t", 3, "word 1 has no head"),
        ("1\tEr", f"{'9' * 5_000}\tEr", 3, "is not the number"),
        ("2.1\tund", "zwei.\tund", 5, "'zwei.' is not the number"),
        ("5\tHaus", "5\t\u00a0", 9, "word 5 has no form"),
        ("3\tin\t", IM + "3\tin\t", 7, "'im' and 'im' have a part in common"),
        ("4\tdem\t", "4-5\tdemH" + IM[6:] + "4\tdem\t", 8, "a part in common"),
        ("3-4\tim", "3-9\tim", 7, "some parts of 'im' are missing"),
    ],
)
def test_an_error_names_its_line(old, new, line, message):
    assert old in GERMAN
    with pytest.raises(ValueError, match=message) as caught:
        docs_of(GERMAN.replace(old, new), given_name="a.conllu")
    assert str(caught.value).startswith(f"a.conllu:{line}: ")


def test_heads_that_go_in_a_circle_are_refused_with_their_line():
    text = (
        BARE.rstrip()
        + "\n2\ta\t_\tX\t_\t_\t3\tdep\t_\t_\n3\tb\t_\tX\t_\t_\t2\tdep\t_\t_\n"
    )
    with pytest.raises(ValueError, match=r"the text:2: .*'a' go in a circle"):
        docs_of(text)


def test_wrong_sentences_are_left_out_where_errors_are_taken():
    errors = []
    docs = docs_of(
        BARE + GERMAN.replace("\t0\t", "\t_\t") + BARE, on_error=errors.append
    )
    assert len(docs) == 2
    assert [error.line for error in errors] == [6]


def test_relations_of_another_scheme_are_said():
    with pytest.warns(ReadingWarning, match="a.conllu:7: pobj is no relation"):
        docs_of(GERMAN.replace("\tcase\t", "\tpobj\t"), given_name="a.conllu")


def test_words_that_a_treebank_may_not_show_are_said():
    lines = "".join(f"{n}\t_\t_\tX\t_\t_\t{n - 1}\tdep\t_\t_\n" for n in (1, 2, 3))
    with pytest.warns(ReadingWarning, match="a.conllu:3: all words are _") as caught:
        docs = docs_of(f"{BARE}{lines}\n{lines}", given_name="a.conllu")
    assert (len(docs), len(caught)) == (3, 1)


@pytest.mark.parametrize("line", ["#newdoc id=b", "# newdoc id = b", "#  newdoc id =b"])
def test_comments_may_have_any_spaces(line):
    [doc] = docs_of(f"# newdocument = a\n{line}\n{BARE}")
    assert document_name(doc)[0] == "b"


@pytest.mark.parametrize("name", ["a.conllu", "a.conllu.gz", "a.conll", "a.txt"])
def test_files_are_known_by_their_ending_or_by_how_they_begin(tmp_path, name):
    packed = gzip.compress(GERMAN.encode()) if name.endswith("gz") else GERMAN.encode()
    (tmp_path / name).write_bytes(packed)
    [doc] = read_treebank(tmp_path / name, Vocab())
    assert [str(tree) for tree in get_trees(doc)] == [TREE]
    assert treebank_files(tmp_path) == [tmp_path / name]
    if name != "a.txt":
        [doc] = docs_to_parse(spacy.blank("de"), tmp_path / name)
        assert "constituents" not in doc.spans
        assert [(token.tag_, token.pos_) for token in doc[:2]] == [
            *(("", "PRON"), ("", "VERB"))
        ]


def test_a_language_that_spacy_does_not_have_may_have_its_file(tmp_path):
    (tmp_path / "a.conllu").write_text(GERMAN, encoding="utf-8")
    conversion = Conversion(lang="gl")
    conversion.read(tmp_path / "a.conllu")
    assert conversion.words == 5
    with pytest.raises(ValueError, match='spaCy has no language "qq"'):
        Conversion(lang="qq")


def test_trees_are_of_the_common_scheme_already(tmp_path):
    (tmp_path / "a.conllu").write_text(GERMAN, encoding="utf-8")
    conversion = Conversion(lang="id", common=True)
    conversion.read(tmp_path / "a.conllu")
    [doc] = conversion.docs.get_docs(Vocab())
    assert [str(tree) for tree in get_trees(doc)] == [TREE]
