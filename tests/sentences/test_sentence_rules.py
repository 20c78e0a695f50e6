"""Sentences that rules know: around abbreviations, and at line ends."""

import re
import textwrap
import warnings
from itertools import pairwise

import pytest
import spacy
from helpers.cli import run
from helpers.pipelines import add_parser
from helpers.reading import ROOT
from helpers.shipped import needs
from spacy.tokens import Doc

from spacy_gfl.pipe.initialization import warn_of_ignored_sentences
from spacy_gfl.sentences.full_width import after_full_width_marks
from spacy_gfl.sentences.line_ends import read_lines
from spacy_gfl.sentences.sentence_rules import SentenceRules

MESSAGES = [
    *("are you coming tonight", "yes, in ten minutes", "ok", "who has the keys"),
    *("the train is late again", "see you at the station", "no problem", "great idea"),
    *("i have no idea what he wants", "lunch?", "my phone died yesterday", "thanks"),
    "can you bring the blue folder that is on the kitchen table",
]
CHATS = {
    "[10:42] ben: ": lambda i: f"[10:4{i}] {'ben' if i % 2 else 'Kim'}: ",
    "[2024-05-01 10:42:13] ben: ": lambda i: f"[2024-05-01 10:42:1{i}] ben: ",
    "10:42 <ben> ": lambda i: f"10:4{i} <{'ben' if i % 2 else 'kim'}> ",
    "<ben> ": lambda i: f"<{'ben' if i % 2 else 'kim'}> ",
    "ben: ": lambda i: f"{'ben' if i % 2 else 'Kim'}: ",
    "": lambda i: "",
}


@pytest.fixture(scope="module")
def nlp():
    nlp = spacy.blank("en")
    nlp.add_pipe("sentence_rules")
    return nlp


def known(doc, value):
    """The texts of the tokens of which it is known that a sentence begins or not."""
    return [token.text for token in doc[1:] if token.is_sent_start is value]


@pytest.mark.parametrize(
    ("text", "abbreviation"),
    [
        ("See item no. 4.", "no."),
        ("See also ref. 12.", "ref."),
        ("No. 12 was late.", "No."),
        ("(see Fig. 3 and Sec. 4)", "Fig."),
        ("It is in vol. II of the set.", "vol."),
        ("The min. age is 12.", "min."),
        ("Use max. 50 grams.", None),
        ("It weighs approx. 5 kilos.", "approx."),
        ("Add 2 tbsp. sugar.", "tbsp."),
        ("Call ext. 20.", None),
        ("Call the ext. 20.", "ext."),
        ("We asked Cllr. Park.", "Cllr."),
        ("We met Fr. Brown.", "Fr."),
        ("He drew King's St. James gate.", "St."),
        ("Supt. Rowe and I left.", "Supt."),
        ("We live in Ft. Worth.", "Ft."),
        ("The Natl. Guard came.", "Natl."),
        ("Denver Intl. Airport closed.", "Intl."),
        ("It was the Rt. Hon. Edward Vane.", "Hon."),
        ("It began on Sept. 4.", "Sept."),
        ("In Jan. we left.", "Jan."),
        ("Acme Ltd. of Leeds paid.", "Ltd."),
        ("It is on Elm Rd. near Leeds.", "Rd."),
        ("Take 5 mg p.r.n. in the evening.", "p.r.n."),
        ("Cook for 20 min. and serve.", "min."),
        ("She has a B.Sc. in law.", "B.Sc."),
        ("Her M.Eng. and his Ph.D. are new.", "M.Eng."),
        ("He read for a D.Phil. at night.", "D.Phil."),
    ],
)
def test_abbreviations_end_no_sentence_and_have_their_full_stop(
    nlp, text, abbreviation
):
    doc = nlp(text)
    assert (abbreviation in [token.text for token in doc]) == bool(abbreviation)
    assert doc.text == text
    assert not known(doc, True)
    if abbreviation:
        assert known(doc, False)


@pytest.mark.parametrize(
    ("text", "begins"),
    [
        ("She said no. 4 people came.", ["4"]),
        ("The answer is no. We left.", []),
        ("She teaches art. 20 students came.", []),
        ("This is art. We love it.", []),
        ("We ate with Max. 20 students came.", []),
        ("We waited 5 min. Then we left.", []),
        ("He works for the dept. She does too.", []),
        ("It has many vol.", []),
        ("She takes vitamin C. It helps.", ["It"]),
        ("Play it in G. Then rest.", ["Then"]),
        ("I saw Michael J. Fox.", []),
        ("They live on Main St. It is quiet.", ["It"]),
        ("He lives at 12 Rose Dr. The garden is new.", ["The"]),
        ("Meet me on 42nd St. We can walk.", ["We"]),
        ("I asked Dr. He about it.", []),
        ("He asked the Supt. He had no answer.", []),
        ("He is a bad rep. Kim left.", []),
        ("The cat sat. 20 people came.", []),
        ("we open at 5 p.m. come early", []),
        ("They work for Acme Ltd. Kim left.", []),
        ("We read t.co. it is new.", []),
    ],
)
def test_words_that_end_a_sentence_are_no_abbreviations(nlp, text, begins):
    doc = nlp(text)
    assert known(doc, True) == begins
    assert not known(doc, False)
    assert [token.text for token in doc] == [t.text for t in nlp.make_doc(text)]


@pytest.mark.parametrize("prefix", CHATS)
@pytest.mark.parametrize("first", range(6))
def test_lines_of_chats_and_logs_are_sentences(nlp, prefix, first):
    written = (MESSAGES * 2)[first : first + 6]
    lines = [CHATS[prefix](i) + message for i, message in enumerate(written)]
    doc = nlp("\n".join(lines))
    for token in doc:
        # As splitters leave what they do not know of.
        token.is_sent_start = bool(token.is_sent_start)
    assert [sent.text.strip() for sent in doc.sents] == lines


@pytest.mark.parametrize("width", [30, 40, 60, 72])
def test_lines_of_wrapped_text_are_no_sentences(nlp, width):
    words = (ROOT / "tests/data/page.txt").read_text(encoding="utf-8").split()
    for i in range(0, len(words), 40):
        doc = nlp(textwrap.fill(" ".join(words[i : i + 100]), width))
        assert not known(doc, True), doc.text


@pytest.mark.parametrize(
    "text",
    [
        "Two roads diverged in a yellow wood,\nAnd sorry I could not travel both",
        "The parser reads\nthe sentence in both directions\nand writes a tree.",
        "He said:\ngo\nNote: this is one of the long lines of a text that goes on",
        "One line.",
        "",
    ],
)
def test_lines_that_go_on_are_no_sentences(text):
    assert len(read_lines(text).starts) <= 1


def test_each_line_of_a_signature_is_a_sentence(nlp):
    text = (
        "Dear Ben,\nthe report is ready. I will send it\ntomorrow with the figures.\n"
        "Best regards,\nKim Lee\nHead of Sales"
    )
    assert known(nlp(text), True) == ["Best", "Kim", "Head"]
    assert known(nlp("I'll send it.\n\nCheers\nKim"), True) == ["Cheers", "Kim"]


QUOTED = {
    "> Can we meet\n> on Tuesday?\n>\n> Bob\n\nSure.": [
        *("> Can we meet\n> on Tuesday?", ">", "> Bob", "Sure."),
    ],
    "> I would like to know whether the\n> meeting could be moved to\n"
    "> Thursday.\nFine.": [
        "> I would like to know whether the\n> meeting could be moved to\n> Thursday.",
        "Fine.",
    ],
    "> > Are you all right, or do you\n> > need help?\n> Yes.\nNo.": [
        *("> > Are you all right, or do you\n> > need help?", "> Yes.", "No."),
    ],
    "> be me\n> go to school\n> see a dog": [
        "> be me",
        "> go to school",
        "> see a dog",
    ],
    ">> JOHN: Hello.\n>> MARY: Hi.": [">> JOHN: Hello.", ">> MARY: Hi."],
}


@pytest.mark.parametrize("text", QUOTED)
def test_sentences_of_quoted_mail_go_on_over_its_marks(text):
    nlp = spacy.blank("en")
    nlp.add_pipe("sentence_rules")
    nlp.add_pipe("sentencizer")
    assert [sent.text.strip() for sent in nlp(text).sents] == QUOTED[text]


@pytest.mark.parametrize("end", [*"\r\v\f\x1c\x1d\x1e\x85\u2028", "\r\n"], ids=ascii)
def test_all_line_ends_are_read_as_line_feeds_are(nlp, end):
    lines = (ROOT / "tests/data/lines.txt").read_text(encoding="utf-8")
    # Of several blank lines, one is shown.
    text = re.sub("\n{3,}", "\n\n", lines.replace("\\n", "\n").replace("|", ""))
    of_feeds, of_others = nlp(text), nlp(text.replace("\n", end))
    assert len(of_feeds) == len(of_others)
    for token, other in zip(of_feeds, of_others, strict=True):
        assert token.is_sent_start == other.is_sent_start
        # What splitters read of tokens.
        assert (token.norm_, token.shape_) == (other.norm_, other.shape_)
        assert (token.prefix_, token.suffix_) == (other.prefix_, other.suffix_)
    assert of_others.text == text.replace("\n", end)


def test_line_ends_stay_known_after_a_memory_zone():
    nlp = spacy.blank("en")
    nlp.add_pipe("sentence_rules")
    nlp.make_doc("a\r\nb")  # the vocabulary keeps this line end
    with nlp.memory_zone():
        nlp("a\r\nb")
    doc = nlp("a\r\nb\r\n\r\nc")
    assert [doc[1].norm_, doc[1].shape_, doc[3].suffix_] == ["\n", "\n", "\n\n"]


def test_paragraphs_may_end_with_their_own_character(nlp):
    assert known(nlp("We work for Acme Ltd.\u2029of Leeds"), False) == []
    assert nlp("a\u2029b")[1].norm_ == "\n\n"


@pytest.mark.parametrize("space", [" ", "\n\n", "\t", "\r\n "])
@pytest.mark.parametrize(
    "text", ["The cat sat.", "* The cat\n* The dog", "[1:00] a\n[1:01] b"]
)
def test_white_space_at_the_beginning_is_no_sentence(space, text):
    nlp = spacy.blank("en")
    nlp.add_pipe("sentence_rules")
    nlp.add_pipe("sentencizer")
    first = next(nlp(space + text).sents)
    assert first.text.startswith(space + text[:5])


def test_white_space_alone_stays_a_sentence(nlp):
    assert len(nlp("  ")) == 1


def test_line_ends_end_sentences_for_those_who_know():
    nlp = spacy.blank("en")
    nlp.add_pipe("sentence_rules", config={"line_ends": True})
    nlp.add_pipe("sentencizer")
    doc = nlp("The dog that barks\nat the cat, \n\n sleeps. It is old\n")
    assert [sent.text.strip() for sent in doc.sents] == [
        *("The dog that barks", "at the cat,"),
        *("sleeps.", "It is old"),
    ]


@pytest.mark.parametrize(
    ("lang", "text", "abbreviation"),
    [
        ("de", "Er traf Mag. Roth.", "Mag."),
        ("fr", "Elle a vu Mgr. Petit.", "Mgr."),
        ("pl", "Widziano ks. Nowaka.", "ks."),
        ("ru", "Она на ул. Мира.", "ул."),
        ("sv", "Hon såg prof. Ek.", "prof."),
    ],
)
def test_each_language_has_abbreviations_of_its_own(lang, text, abbreviation):
    nlp = spacy.blank(lang)
    nlp.add_pipe("sentence_rules")
    doc = nlp(text)
    assert abbreviation in [token.text for token in doc]
    assert len(known(doc, False)) == 1


UNSPACED = [
    ("ja", "昨日は雨でした。|今日は晴れています！|明日はどうですか。"),
    ("ja", "元気ですか？|「はい、元気です。」と彼は言った。"),
    ("ja", "「はい。」|「いいえ。」|彼は笑った。|「行く！」|とても楽しい。"),
    ("ja", "えっ！と驚いた。|ところが彼は来た。|３．５％です．|次に進む。"),
    ("ja", "Yahoo!ニュースを読む!|本当?|終わり。\n|次の行"),
    ("ja", "1．序論を読む。|雨でしたが、\n今日は朝から良い\n天気になりました。|買う"),
    ("zh", "昨天下雨了。|今天天气很好!|明天会怎么样呢?"),
    ("zh", "他说：“我不去。”|她问：“为什么？”|然后他们走了。"),
    ("zh", "“我不去。”他说。|真的？！|（笑。） |是的。"),
    ("zh", '"好的。"他说。|他走了。|"好。" 她说。|"走吧！"'),
    ("en", "Hello! How are you? Fine."),
]


@pytest.mark.parametrize(("lang", "sentences"), UNSPACED)
def test_marks_of_full_width_end_sentences(lang, sentences):
    # Characters as words, whatever tokenizers are installed.
    text = sentences.replace("|", "")
    characters = spacy.blank("xx").vocab
    doc = Doc(characters, list(text), [False] * len(text))
    SentenceRules(lang)(doc)
    starts = [0, *(token.i for token in doc[1:] if token.is_sent_start)]
    parts = [doc.text[a:b] for a, b in pairwise([*starts, len(text)])]
    assert parts == sentences.split("|")


def test_what_is_set_stays(nlp):
    words, spaces = ["See", "ch", ".", "6"], [True, False, True, False]
    doc = nlp(Doc(nlp.vocab, words, spaces, sent_starts=[True, False, False, True]))
    assert [sent.text for sent in doc.sents] == ["See ch.", "6"]
    # Who has marked words, or tagged them, has counted them.
    doc = Doc(nlp.vocab, words, spaces)
    doc.spans["constituency_required"] = [doc[1:4]]
    assert len(nlp(doc)) == 4
    assert doc[3].is_sent_start is False


@pytest.mark.parametrize(
    ("names", "ignored"),
    [
        (["sentence_rules", "senter", "constituency_parser"], []),
        (["senter", "parser", "constituency_parser"], []),
        (["parser", "senter", "constituency_parser"], ["senter"]),
        (["senter", "sentencizer", "constituency_parser"], ["sentencizer"]),
        (["senter", "constituency_parser", "sentencizer"], ["sentencizer"]),
        (["senter", "constituency_parser", "parser"], []),
    ],
)
def test_sentences_that_the_parser_ignores_are_named(names, ignored):
    nlp = spacy.blank("en")
    for name in names:
        if name == "constituency_parser":
            add_parser(nlp)
        else:
            nlp.add_pipe(name)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn_of_ignored_sentences(nlp)
    assert [str(w.message).split(", because")[0] for w in caught] == [
        f"The trees ignore the sentences of {name}" for name in ignored
    ]


def _read_texts(name):
    """Texts with the sentences of each; the form is that of `sentences.txt`."""
    content = (ROOT / "tests/data" / name).read_text(encoding="utf-8")
    for block in content.strip().split("\n\n"):
        lines = [line.replace("\\n", "\n") for line in block.splitlines()]
        parts = [line if line[-1] in "\n|" else f"{line} " for line in lines]
        text = "".join(part.removesuffix("|") for part in parts).rstrip()
        yield text, [line.rstrip("\n|") for line in lines]


@needs("en_gfl_sm")
def test_texts_as_people_write_them_have_their_sentences():
    nlp = spacy.load("en_gfl_sm", exclude=["constituency_parser"])
    for text, sentences in _read_texts("lines.txt"):
        assert [sent.text.strip() for sent in nlp(text).sents] == sentences


@needs("en_gfl_sm")
def test_a_command_ends_sentences_with_lines():
    done = run("parse", "--line-ends", "The dog that barks\nat the cat sleeps")
    assert len(done.stdout.splitlines()) == 2


@pytest.mark.parametrize(
    "run",
    [*" \t\r\xa0\u2028\u3000", *"\"'”)!.([-1a#😀", "a\n", "best\n", "a: ", "1:00 "],
    ids=ascii,
)
@pytest.mark.parametrize("around", [("A b\n", "\nC d"), ("[1:00] a", "\n[1:01] b")])
def test_long_runs_of_one_character_take_no_longer_than_other_text(run, around):
    # Any square of such a length would take minutes.
    text = (run * (200_000 // len(run))).join(around)
    starts = read_lines(text).starts
    assert all(text[at - 1 : at] in ("", "\n") for at in starts)
    assert len(list(after_full_width_marks(f"あ{text}。"))) <= 1
