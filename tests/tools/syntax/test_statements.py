"""Statements: what clauses say, as sentences that stand alone."""

import json

import pytest
import spacy
from helpers.cli import done, refusal, run
from helpers.docs import make_doc
from helpers.growth import work

from spacy_gfl import parse_tree
from spacy_gfl.tools.syntax import clauses
from spacy_gfl.tools.syntax.clause_words import ClauseWords
from spacy_gfl.tools.syntax.statements import clause_contexts
from spacy_gfl.tools.syntax.verb_forms import base, inflected

RAINS = (
    "(S (SBAR (IN If) (S (NP (PRP it)) (VP (VBZ rains)))) (, ,) (NP (NNP Ann)) (VP"
    " (VBZ says) (SBAR (IN that) (S (NP (PRP they)) (VP (MD will) (VP (VB stay))))))"
    " (. .))"
)
WALKING = (
    "(S (S (VP (VBG Walking) (NP (NN home)))) (, ,) (NP (PRP she)) (VP (VBD sang))"
    " (. .))"
)


def said(brackets):
    return {one.text: one for one in make_doc(brackets)._.statements}


def test_clauses_say_what_was_expected_of_them(data):
    rows = (data / "statements.tsv").read_text(encoding="utf-8").splitlines()
    assert len(rows) > 90
    for row in rows:
        expected, brackets = row.split("\t")
        found = make_doc(brackets)._.statements
        if expected == "-":
            assert {one.kind for one in found} == {"main"}, brackets
        else:
            # Words of gold trees stand one space apart.
            texts = [one.text.replace(" '", "'").replace(" .", ".") for one in found]
            assert expected in texts, brackets


def test_each_word_has_the_token_that_it_comes_from():
    (walking,) = [one for one in said(WALKING).values() if one.kind == "participial"]
    assert walking.text == "She was walking home."
    words = [(text, token and token.text) for text, token in walking.words]
    assert words == [
        ("she", "she"),
        ("was", None),
        ("Walking", "Walking"),
        ("home", "home"),
    ]
    assert (walking.span.text, walking.confidence) == ("Walking home", 0.6)
    assert walking.is_claim


def test_what_is_conditional_or_reported_says_so():
    found = said(RAINS)
    rains, stay = found["It rains."], found["They will stay."]
    assert (rains.contexts, rains.is_claim) == (("conditional",), False)
    assert (stay.contexts, stay.is_claim) == (("reported",), True)
    assert stay.source.text == "Ann"
    assert stay.confidence == 1.0


@pytest.mark.parametrize(
    ("matrix", "contexts"),
    [
        ("(VP (VBP know) {})", ()),
        ("(VP (VBP do) (RB n't) (VP (VB think) {}))", ("negated", "reported")),
        ("(VP (VBP deny) {})", ("negated",)),
        ("(VP (MD might) (VP (VB say) {}))", ("modal", "reported")),
    ],
)
def test_the_verb_around_a_clause_decides_whether_it_is_so(matrix, contexts):
    that = "(SBAR (IN that) (S (NP (PRP he)) (VP (VBD paid))))"
    found = said(f"(S (NP (PRP I)) {matrix.format(that)} (. .))")
    assert found["He paid."].contexts == contexts


@pytest.mark.parametrize(
    "subject",
    ["(JJ Few)", "(JJ Few) (NNS people)", "(ADJP (RB Very) (JJ few)) (NNS people)"],
)
def test_what_few_believe_is_denied_and_what_a_few_believe_is_not(subject):
    believe = "(VP {} (VBP believe) (SBAR (IN that) (S (NP (PRP he)) (VP (VBD paid)))))"
    contexts = {
        given: said(f"(S (NP {given}) {believe.format(adverb)} (. .))")[
            "He paid."
        ].contexts
        for given, adverb in (
            (subject, ""),
            (f"(DT A) {subject}", ""),
            ("(PRP They)", "(RB seldom)"),
        )
    }
    assert [*contexts.values()] == [
        ("negated", "reported"),
        ("reported",),
        ("negated", "reported"),
    ]


@pytest.mark.parametrize(
    ("noun", "rest", "contexts"),
    [
        ("Weather", "(VBG permitting)", ("conditional",)),
        ("Space", "(VBG allowing)", ("conditional",)),
        ("God", "(VBG willing)", ("conditional",)),
        ("Nobody", "(VBG calling)", ()),
        ("Rules", "(VBG permitting) (NP (PRP it))", ()),
    ],
)
def test_weather_permitting_is_a_condition(noun, rest, contexts):
    permitting = f"(S (NP (NN {noun})) (VP {rest}))"
    found = said(f"(S {permitting} (, ,) (NP (PRP we)) (VP (MD will) (VP (VB sail))))")
    (clause,) = [one for one in found.values() if one.kind == "participial"]
    assert clause.contexts == contexts


@pytest.mark.parametrize(
    ("conjunction", "auxiliary", "contexts"),
    [
        ("(VBN Provided)", "(MD may)", ("conditional",)),
        ("(VBN Provided)", "(VBD did)", ("conditional",)),
        ("(VBG Supposing)", "(MD may)", ("conditional",)),
        ("(VBG Assuming)", "(MD will)", ("conditional",)),
        ("(VBG Assuming)", "(VBD did)", ("reported",)),
        ("(VBG Knowing)", "(MD will)", ()),
    ],
)
def test_participles_that_are_conjunctions_open_conditions(
    conjunction, auxiliary, contexts
):
    that = "(SBAR (IN that) (S (NP (PRP she)) (VP (VBZ pays))))"
    opening = f"(S (VP {conjunction} {that}))"
    found = said(f"(S {opening} (, ,) (NP (PRP he)) (VP {auxiliary} (VP (VB stay))))")
    assert found["She pays."].contexts == contexts
    is_said = any(one.kind == "participial" for one in found.values())
    assert is_said == ("conditional" not in contexts)


def test_what_allows_something_is_said():
    to_go = "(S (NP (PRP us)) (VP (TO to) (VP (VB go))))"
    allowing = f"(S (VP (VBG allowing) {to_go}))"
    found = said(f"(S (NP (PRP They)) (VP (VBD won) (, ,) {allowing}) (. .))")
    assert found["They allowed us to go."].is_claim


@pytest.mark.parametrize("said_of", ["(VP (VBG helping))", "(ADJP (JJ ill))"])
@pytest.mark.parametrize(
    ("preposition", "is_so"),
    [
        ("(IN With)", True),
        ("(IN Despite)", True),
        ("(IN Because) (IN of)", True),
        ("(IN Without)", False),
        ("(RB Instead) (IN of)", False),
    ],
)
def test_a_preposition_decides_whether_what_follows_is_so(preposition, is_so, said_of):
    with_tom = f"(PP {preposition} (S (NP (NNP Tom)) {said_of}))"
    found = said(f"(S {with_tom} (, ,) (NP (PRP she)) (VP (VBD won)) (. .))")
    assert len(found) == 1 + is_so


def test_god_willing_is_a_condition_as_an_adjective_too():
    willing = "(S (NP (NNP God)) (ADJP (JJ willing)))"
    assert len(said(f"(S {willing} (, ,) (NP (PRP she)) (VP (VBD won)) (. .))")) == 1


@pytest.mark.parametrize(
    ("verb", "contexts"),
    [
        ("saw", ()),
        ("imagined", ("modal",)),
        ("wanted", ("modal",)),
        ("prevented", ("negated",)),
    ],
)
def test_the_verb_decides_whether_a_participle_after_it_is_so(verb, contexts):
    leaving = "(S (NP (NNP Tom)) (VP (VBG leaving)))"
    found = said(f"(S (NP (PRP She)) (VP (VBD {verb}) {leaving}) (. .))")
    assert found["Tom was leaving."].contexts == contexts


@pytest.mark.parametrize(
    ("verb", "statement"),
    [
        ("promised", 'He would "fix" it.'),
        ("managed", 'He "fixed" it.'),
    ],
)
def test_quotation_marks_stay_beside_the_verb_that_they_are_around(verb, statement):
    fix = "(VP (TO to) (VP (`` \") (VB fix) ('' \") (NP (PRP it))))"
    assert statement in said(f"(S (NP (PRP He)) (VP (VBD {verb}) (S {fix})) (. .))")


def test_contexts_of_nested_clauses_take_time_in_proportion():
    says = "(S (NP (NNP Ann)) (VP (VBZ says) (SBAR (IN that) "
    rains = "(S (NP (PRP it)) (VP (VBZ rains)))"

    parts = {
        n: ClauseWords(parse_tree(says * n + rains + ")))" * n)) for n in (50, 200)
    }
    steps = [work(lambda n: clause_contexts(parts[n]), n) for n in parts]
    assert steps[1] < 5 * steps[0]


def test_clauses_are_found_once_for_all_that_is_asked_of_them(monkeypatch):
    n_found = []

    class Counted(ClauseWords):
        def __init__(self, tree):
            n_found.append(tree)
            super().__init__(tree)

    monkeypatch.setattr(clauses, "ClauseWords", Counted)
    doc = make_doc(WALKING.replace("home", "uphill"), RAINS.replace("rains", "hails"))
    assert len(doc._.clauses) == len(doc._.statements) == 5
    assert [len(sent._.clauses) for sent in doc.sents] == [2, 3]
    assert len(n_found) == 2


def test_a_clause_and_its_statement_belong_together():
    clauses = make_doc(WALKING)._.clauses
    assert [clause.as_sentence for clause in clauses] == [
        "Walking home, she sang.",
        "She was walking home.",
    ]
    assert clauses[1].statement.span.text == clauses[1].span.text


@pytest.mark.parametrize(
    ("brackets", "statement"),
    [
        # No subject is that of who acts in a passive, or one that stands for nothing.
        (
            "(S (NP (NNS Items)) (VP (VBP are) (VP (VBN added) (PP (IN by) (S (VP (VBG"
            " calling) (NP (PRP it))))))) (. .))",
            None,
        ),
        (
            "(S (SBAR (WHADVP (WRB When)) (S (VP (VBG driving)))) (, ,) (NP (PRP it))"
            " (VP (VBZ is) (ADJP (JJ wise) (S (VP (TO to) (VP (VB stop)))))) (. .))",
            None,
        ),
        (
            "(S (NP (NP (NNS boxes)) (SBAR (WHPP (IN through) (WHNP (WDT which))) (S"
            " (VP (VBD came) (NP (NN light)))))) (VP (VBD shook)) (. .))",
            None,
        ),
        (
            "(S (NP (PRP He)) (VP (VBD was) (ADJP (S (NP (PRP himself)) (ADJP (JJ"
            " ill))))) (. .))",
            None,
        ),
        # Punctuation in the place of a subject is none.
        (
            "(S (NP (NNP Ann)) (VP (VBD slept) (, ,) (S (NP (: --)) (VP (VBG waiting)"
            " (PP (IN for) (NP (NNP Bob)))))) (. .))",
            None,
        ),
        (
            "(S (NP (: --)) (VP (VBD left) (, ,) (S (VP (VBG singing)))) (. .))",
            None,
        ),
        (
            "(S (NP (NNP Ann)) (VP (VBD told) (NP (: --)) (S (VP (TO to) (VP (VB"
            " leave))))) (. .))",
            None,
        ),
        (
            "(S (NP (NNP Ann)) (VP (VBD slept) (PP (IN with) (S (NP (: --)) (ADJP (JJ"
            " open))))) (. .))",
            None,
        ),
        (
            "(S (NP (NP (DT The) (VBN extended) (NNS parts)) (, ,) (VP (VBN added) (PP"
            " (IN by) (NP (NNP Ann)))) (, ,)) (VP (VBP work)) (. .))",
            "The extended parts were added by Ann.",
        ),
        (
            "(S (NP (NP (DT the) (NN crime)) (SBAR (WHNP (WDT which)) (S (NP (PRP I))"
            " (VP (VBD saw) (, ,) (ADVP (RB still)))))) (VP (VBD hurt)) (. .))",
            "I saw the crime, still.",
        ),
    ],
)
def test_what_is_found_in_real_text_is_said_or_left(brackets, statement):
    found = [one.text for one in make_doc(brackets)._.statements if one.kind != "main"]
    assert found == ([] if statement is None else [statement])


VERBS = """
VBG making make made makes | VBG sitting sit sat sits | VBG opening open opened opens
VBG arriving arrive arrived arrives | VBG settling settle settled settles
VBG trying try tried tries
VBG lying lie lay lies | VBG changing change changed changes
VBG singing sing sang sings | VBG stopping stop stopped stops | VBG having have had has
VBG putting put put puts | VBG passing pass passed passes | VBG going go went goes
VBG creating create created creates
VBN overcome overcome overcame overcomes | VBD foresaw foresee foresaw foresees
VBD withheld withhold withheld withholds | VBN undone undo undid undoes
VBN woven weave wove weaves | VBN proven prove proved proves
VBD relayed relay relayed relays | VBD dreamt dream dreamed dreams
VBG panicking panic panicked panics | VBD tricked trick tricked tricks
VBG breathing breathe breathed breathes | VBD owed owe owed owes
VBD concurred concur concurred concurs | VBD exited exit exited exits
VBG putting put put puts | VBG rewriting rewrite rewrote rewrites
VBG vying vie vied vies | VBD unpicked unpick unpicked unpicks
VBG untying untie untied unties | VBZ aches ache ached aches
VBD admitted admit admitted admits | VBD visited visit visited visits
VBZ watches watch watched watches | VBG seeing see saw sees | VBD fixed fix fixed fixes
"""


@pytest.mark.parametrize("row", VERBS.replace("|", "\n").strip().splitlines())
def test_forms_of_verbs_are_made_of_each_other(row):
    tag, form, plain, past, third = row.split()
    assert base(form, tag) == plain
    assert inflected(plain, is_past=True, is_plural=False, is_first=False) == past
    assert inflected(plain, is_past=False, is_plural=False, is_first=False) == third
    assert inflected(plain, is_past=False, is_plural=True, is_first=False) == plain


def test_the_command_writes_statements_with_their_places(tmp_path):
    trees, out = tmp_path / "a.ptb", tmp_path / "a.jsonl"
    trees.write_text(f"{RAINS}\n{WALKING}\n", encoding="utf-8")
    done("clauses", trees, "-o", out)
    records = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert [one["sentence"] for one in records] == [1, 1, 1, 2, 2]
    for one in records:
        assert (one["file"], one["document"]) == (str(trees), "1")
        assert one["text"][one["start"] : one["end"]] in one["text"]
    assert records[4]["text"][: records[4]["end"]] == "Walking home"
    assert records[4]["statement"] == "She was walking home."
    printed = done("clauses", trees, "--claims").stdout.splitlines()
    assert len(printed) == 4
    assert ".jsonl" in refusal(run("clauses", trees, "-o", tmp_path / "a.csv"))


def test_statements_are_for_english():
    doc = make_doc("(S (NP (PRON Il)) (VP (VERB dort)))", vocab=spacy.blank("fr").vocab)
    with pytest.raises(ValueError, match="English"):
        _ = doc._.statements


def contexts_of(brackets):
    return {one.text: one.contexts for one in make_doc(brackets)._.statements}


@pytest.mark.parametrize(
    ("predicate", "contexts"),
    [
        ("(VBZ is) (RB n't) (ADJP (JJ true))", ("negated",)),
        ("(VBZ is) (ADJP (JJ impossible))", ("negated",)),
        ("(VBZ is) (ADJP (JJ likely))", ("modal",)),
        ("(VBZ is) (VP (VBN said))", ("reported",)),
        ("(VBZ is) (ADJP (JJ good))", ()),
    ],
)
def test_what_is_said_of_a_clause_decides_whether_it_is_so(predicate, contexts):
    that = "(SBAR (IN that) (S (NP (PRP he)) (VP (VBD lied))))"
    inside = (
        predicate[:-1] + f" {that})" if "VP" in predicate else f"{predicate} {that}"
    )
    brackets = f"(S (NP (PRP It)) (VP {inside}) (. .))"
    assert contexts_of(brackets)["He lied."] == contexts
    # "It" says nothing.
    assert said(brackets)["He lied."].source is None


@pytest.mark.parametrize(
    ("noun", "contexts"),
    [
        ("(DT The) (NN claim)", ("reported",)),
        ("(DT No) (NN evidence)", ("negated",)),
        ("(DT The) (NN fact)", ()),
    ],
)
def test_nouns_decide_whether_their_clauses_are_so(noun, contexts):
    that = "(SBAR (IN that) (S (NP (PRP he)) (VP (VBD lied))))"
    brackets = f"(S (NP {noun} {that}) (VP (VBD surprised) (NP (PRP us))) (. .))"
    assert contexts_of(brackets)["He lied."] == contexts
    assert said(brackets)["He lied."].source is None


@pytest.mark.parametrize(
    "opener",
    [
        "(IN If)",
        "(RB Even) (IN if)",
        "(IN As) (IN if)",
        "(IN Whether) (CC or) (RB not)",
    ],
)
def test_conditions_may_have_words_before_and_after_if(opener):
    brackets = (
        f"(S (SBAR {opener} (S (NP (PRP it)) (VP (VBZ rains)))) (, ,) (NP (PRP we)) (VP"
        " (VBP stay)) (. .))"
    )
    assert contexts_of(brackets)["It rains."] == ("conditional",)


@pytest.mark.parametrize(
    ("brackets", "expected"),
    [
        (
            "(S (NP (PRP He)) (VP (CC either) (VP (VBD left)) (CC or) (VP (VBD died)))"
            " (. .))",
            {"He left.": ("modal",), "He died.": ("modal",)},
        ),
        (
            "(S (S (NP (PRP He)) (VP (VBD left))) (CC or) (S (NP (PRP he)) (VP (VBD"
            " died))) (. .))",
            {"He left.": ("modal",), "He died.": ("modal",)},
        ),
        (
            "(S (NP (PRP He)) (VP (VBD left) (CC and) (VBD died)) (. .))",
            {"He left and died.": ()},
        ),
        (
            "(S (NP (PRP He)) (VP (VBZ has) (VP (VBN left) (CC or) (VBN died))) (. .))",
            {
                "He has left or died.": (),
                "He has left.": ("modal",),
                "He has died.": ("modal",),
            },
        ),
        # Not (A or B) is neither of them, and not (A and B) one of them.
        (
            "(S (NP (PRP He)) (VP (VBZ has) (RB not) (VP (VBN left) (CC or) (VBN"
            " died))) (. .))",
            {
                "He has not left or died.": (),
                "He has not left.": (),
                "He has not died.": (),
            },
        ),
        (
            "(S (NP (PRP He)) (VP (VBZ has) (RB not) (VP (VBN left) (CC and) (VBN"
            " died))) (. .))",
            {
                "He has not left and died.": (),
                "He has not left.": ("modal",),
                "He has not died.": ("modal",),
            },
        ),
        (
            "(S (NP (PRP He)) (VP (VBZ has) (VP (CC neither) (VBN left) (CC nor) (VBN"
            " died))) (. .))",
            {"He has neither left nor died.": ()},
        ),
    ],
)
def test_what_is_one_of_several_may_not_be_so(brackets, expected):
    assert contexts_of(brackets) == expected


def test_what_somebody_says_in_between_is_reported():
    brackets = (
        "(S (`` ``) (S (NP (PRP I)) (VP (VBP agree))) (, ,) ('' '') (PRN (S (NP (PRP"
        " he)) (VP (VBD said)))) (, ,) (`` ``) (CC but) (S (NP (PRP I)) (VP (MD may)"
        " (VP (VB leave)))) (. .) ('' ''))"
    )
    found = said(brackets)
    assert {text: str(one.source or "") for text, one in found.items()} == {
        "I agree.": "he",
        "He said.": "",
        "I may leave.": "he",
    }
    assert found["I agree."].contexts == ("reported",)
    assert "reported" not in contexts_of(brackets.replace("said", "left"))["I agree."]


@pytest.mark.parametrize(
    ("brackets", "expected"),
    [
        # What is relative or asked for is missing further inside.
        (
            "(NP (NP (DT the) (NN house)) (SBAR (WHNP (WDT that)) (S (NP (PRP I)) (VP"
            " (VBP hope) (S (VP (TO to) (VP (VB buy))))))))",
            ["I hope to buy the house."],
        ),
        (
            "(NP (NP (DT the) (NN girl)) (SBAR (S (NP (PRP I)) (VP (VBP think) (SBAR (S"
            " (NP (PRP you)) (VP (VBD met))))))))",
            ["I think you met the girl."],
        ),
        (
            "(SBARQ (WHNP (WP What)) (SQ (VBD did) (NP (PRP she)) (VP (VB say) (SBAR (S"
            " (NP (PRP he)) (VP (VBD saw)))))) (. ?))",
            ["What did she say he saw?"],
        ),
        (
            "(NP (NP (DT the) (NN way)) (SBAR (S (NP (PRP he)) (VP (VBZ talks)))))",
            [],
        ),
        (
            "(NP (NP (DT the) (NN place)) (SBAR (S (NP (PRP I)) (VP (VBP live) (PP (IN"
            " in))))))",
            ["I live in the place."],
        ),
        # What was only to happen is no cause of anything.
        (
            "(S (NP (PRP She)) (VP (VBD refused) (S (VP (TO to) (VP (VB let) (S (NP"
            " (PRP them)) (VP (VB go))))))) (. .))",
            ["She refused to let them go."],
        ),
        (
            "(S (NP (PRP She)) (VP (VBD managed) (S (VP (TO to) (VP (VB make) (S (NP"
            " (PRP them)) (VP (VB go))))))) (. .))",
            ["She managed to make them go.", "She made them go.", "They went."],
        ),
        (
            "(S (NP (PRP She)) (VP (VBZ has) (S (VP (TO to) (VP (VB go))))) (. .))",
            ["She has to go."],
        ),
        # Who is described is there, whatever is not said of him.
        (
            "(S (NP (NP (DT The) (NN man)) (VP (VBG waiting) (ADVP (RB outside)))) (VP"
            " (VBZ is) (RB not) (NP (NNP Ann))) (. .))",
            ["The man waiting outside is not Ann.", "The man is waiting outside."],
        ),
        (
            "(S (NP (PRP They)) (VP (VBP have) (VP (VBN promised) (S (RB not) (VP (TO"
            " to) (VP (VB leave)))))) (. .))",
            ["They have promised not to leave.", "They will not leave."],
        ),
        (
            "(S (S (NP (EX There)) (VP (VBG being) (NP (DT no) (NNS doubts)))) (, ,)"
            " (NP (PRP we)) (VP (VBD left)) (. .))",
            ["There being no doubts, we left.", "There were no doubts."],
        ),
        (
            "(S (NP (NP (NNPS iPhones)) (VP (VBN made) (ADVP (RB here)))) (VP (VBP"
            " work)) (. .))",
            ["iPhones made here work.", "iPhones are made here."],
        ),
        (
            "(S (NP (DT The) (NN man)) (, ,) (PRN (S (NP (PRP she)) (VP (VBD said))))"
            " (, ,) (VP (VBD had) (VP (VBN lied) (CC and) (VBN left))) (. .))",
            [
                "The man, she said, had lied and left.",
                "She said.",
                "The man had lied.",
                "The man had left.",
            ],
        ),
        (
            "(S (S (VP (VP (VBG Having) (NP (NN time))) (CC and) (VP (VBG being) (ADJP"
            " (JJ idle))))) (, ,) (NP (PRP he)) (VP (VBD slept)) (. .))",
            ["Having time and being idle, he slept."],
        ),
        (
            "(S (NP (PRP He)) (VP (VP (VBD came)) (, ,) (CONJP (RB not) (RB only)) (VP"
            " (VBD slept))) (. .))",
            ["He came.", "He slept."],
        ),
        (
            "(S (NP (PRP He)) (VP (CONJP (RB not) (RB only)) (VP (VBD lied)) (CONJP (CC"
            " but) (RB also)) (VP (VBD stole))) (. .))",
            ["He lied.", "He stole."],
        ),
        (
            "(S (NP (PRP I)) (VP (VBP suggest) (SBAR (IN that) (S (NP (PRP she)) (VP"
            " (VB go))))) (. .))",
            ["I suggest that she go."],
        ),
        (
            "(S (NP (PRP She)) (VP (VBD made) (S (NP (PRP him)) (VP (VP (VB wash)) (CC"
            " and) (VP (VB iron))))) (. .))",
            ["She made him wash and iron."],
        ),
        (
            "(S (NP (PRP He)) (VP (VBZ waits) (S (VP (VBG working) (PP (IN for) (NP"
            " (NNP Ada) (NNP Inc.)))))) (. .))",
            ["He waits working for Ada Inc.", "He is working for Ada Inc."],
        ),
        (
            "(SQ (`` ``) (SBAR (IN If) (S (NP (PRP it)) (VP (VBZ rains)))) (, ,) (MD"
            " can) (NP (PRP we)) (VP (VB stay)) (. ?) ('' ''))",
            ["If it rains, can we stay?", "It rains."],
        ),
        (
            "(S (NP (PRP He)) (VP (VP (VBD came)) (CC and) (ADVP (RB soon)) (VP (VBD"
            " left))) (. .))",
            ["He came.", "He soon left."],
        ),
        (
            "(S (NP (PRP He)) (VP (VBZ has) (VP (VP (VBN come)) (CC and) (ADVP (RB"
            " almost)) (VP (VBN left)))) (. .))",
            [
                "He has come and almost left.",
                "He has come.",
                "He has almost left.",
            ],
        ),
        (
            "(S (NP (PRP I)) (VP (VBP want) (NP (NP (NN help)) (PP (IN in) (S (VP (VBG"
            " finding) (NP (PRP it))))))) (. .))",
            ["I want help in finding it."],
        ),
        (
            "(S (NP (PRP I)) (ADVP (RB never)) (VP (VBD saw) (S (NP (PRP him)) (VP (VB"
            " smile)))) (. .))",
            ["I never saw him smile."],
        ),
        (
            "(S (NP (NP (JJR More) (NNS people)) (SBAR (IN than) (S (VP (VBN"
            " expected))))) (VP (VBD came)) (. .))",
            ["More people than expected came."],
        ),
        (
            "(NP (NP (DT a) (NN man)) (SBAR (S (NP (PRP I)) (VP (VBP trust) (CC and)"
            " (VBP admire)))))",
            ["I trust and admire a man."],
        ),
        (
            "(S (NP (NP (DT The) (NN team)) (, ,) (VP (VBN led) (PP (IN by) (NP (NNP"
            " Wu)))) (, ,)) (VP (VBZ has) (VP (VBN found) (CC and) (VBN left))) (. .))",
            [
                "The team, led by Wu, has found and left.",
                "The team was led by Wu.",
                "The team has found.",
                "The team has left.",
            ],
        ),
        ("(SQ (CC Nor) (VBD did) (NP (PRP she)) (VP (VB call)) (. .))", []),
    ],
)
def test_statements_are_whole_and_true(brackets, expected):
    texts = [one.text.replace(" ,", ",") for one in make_doc(brackets)._.statements]
    assert [text.replace(" ?", "?") for text in texts] == expected


def test_a_clause_of_time_is_so_when_the_verb_around_it_is_negated():
    brackets = (
        "(S (NP (PRP I)) (VP (VBP have) (RB not) (VP (VBN slept) (SBAR (IN since) (S"
        " (NP (PRP he)) (VP (VBD left)))))) (. .))"
    )
    assert contexts_of(brackets)["He left."] == ()


def test_what_is_not_the_reason_may_not_be_so():
    because = "(SBAR {} (IN because) (S (NP (PRP he)) (VP (VBD was) (ADJP (JJ ill)))))"
    left = "(S (NP (PRP He)) (VP (VBD left) (, ,) {}) (. .))"
    assert contexts_of(left.format(because.format("(RB not)")))["He was ill."] == (
        "negated",
    )
    assert contexts_of(left.format(because.format("")))["He was ill."] == ()


def test_what_is_asked_or_free_is_so_when_the_verb_around_it_is_negated():
    brackets = (
        "(S (NP (PRP I)) (VP (VBP do) (RB not) (VP (VB know) (SBAR (WHNP (WP what)) (S"
        " (NP (PRP she)) (VP (VBD said)))))) (. .))"
    )
    assert contexts_of(brackets)["She said something."] == ()
