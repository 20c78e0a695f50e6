"""Each study of experiments/ runs with few data, and prints what its page shows."""

import csv
import re
import sys
from collections import Counter
from importlib import import_module

import numpy as np
import pytest
import srsly
from helpers.installed_pipeline import PACKAGE, treebank
from helpers.pipelines import GENERATIVE, trained
from helpers.reading import ROOT
from nltk.lm import KneserNeyInterpolated
from nltk.util import everygrams

from spacy_gfl.trees.brackets import parse_tree

sys.path[:0] = [str(folder) for folder in (ROOT / "making" / "experiments").iterdir()]

BANK = "--train train.ptb --dev dev.ptb"
#: Arguments of each study beside --small, and what a line of its table looks like.
STUDIES = {
    f"cells {BANK} --only gru --output out": (
        r"gru +gru +2 +8 +[\d,]+ +[\d,]+ +3 +\d+\.\d\d"
    ),
    # A network that hardly learnt says little; a word's usual tag is known.
    f"tagging {BANK} --output out": (
        r"most frequent tag of the word +[6-9]\d\.\d\d +\d+\.\d\d"
    ),
    # Far more than the third that the most frequent label has.
    f"recursive_network {BANK}": r"recursive, all nodes +[\d,]+ +\d+\.\d +[6-9]\d\.\d ",
    "perturbation --dev short.ptb --model installed": r"\| shuffled but for 3 \|",
    "word_by_word --model generative --output out --lstm --train dev.ptb"
    " --test ours=dev.ptb --agreement dev.ptb": "MV/RR",
}


def run_small(name, arguments, monkeypatch):
    monkeypatch.setattr(sys, "argv", [name, "--small", *map(str, arguments)])
    import_module(name).main()


@pytest.mark.parametrize("command", STUDIES, ids=lambda line: line.split()[0])
def test_studies_run_small(
    command, data, installed_pipeline, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    for name in ("train.ptb", "dev.ptb"):
        (tmp_path / name).symlink_to(data / name)
    (tmp_path / "short.ptb").write_text("\n".join(treebank(data)), encoding="utf-8")
    (tmp_path / "installed").symlink_to(installed_pipeline / PACKAGE / "model")
    if "generative" in command:
        trained(architecture=GENERATIVE, steps=20).to_disk(tmp_path / "generative")
    name, *arguments = command.split()
    run_small(name, arguments, monkeypatch)
    printed = capsys.readouterr().out
    assert re.search(STUDIES[command], printed), printed


def test_agreement_is_studied_with_the_model_of_the_study_of_language(
    tmp_path, monkeypatch
):
    # They read our own trees and text.
    monkeypatch.chdir(ROOT)
    model = ["--model", tmp_path / "language_model/model.pt"]
    for name, arguments in (("language_model", []), ("agreement", model)):
        output = ["--output", tmp_path / name]
        run_small(name, [*output, *arguments], monkeypatch)
    found = srsly.read_json(tmp_path / "language_model" / "results.json")
    # Better than a guess among the 300 words; text that it has learnt would be near 1.
    assert all(10 < score < 290 for score in found["perplexity"].values())
    errors = srsly.read_json(tmp_path / "agreement" / "results.json")["errors"]
    for groups in errors.values():
        for model, (n, error) in errors["all"][""].items():
            wrong = [k * share for k, share in (g[model] for g in groups.values()) if k]
            assert sum(wrong) == pytest.approx(n * error)


def test_kneser_ney_gives_the_probabilities_of_nltk():
    kneser_ney = import_module("kneser_ney")
    order, rng, n_words = 3, np.random.default_rng(0), 12
    text, other = (np.append(0, rng.zipf(1.5, n) % n_words) for n in (400, 60))
    text = np.concatenate([text, np.arange(n_words), [0]])
    words = [str(i) for i in text]
    expected = KneserNeyInterpolated(order, discount=0.6)
    expected.fit([list(everygrams(words, max_len=order))], vocabulary_text=words)
    rows = kneser_ney.windows(other, order)
    scores = [
        expected.unmasked_score(str(word), tuple(str(i) for i in context if i >= 0))
        for *context, word in rows
    ]
    model = kneser_ney.KneserNey(text, n_words, order, 0.6)
    assert np.exp(model.log_prob(rows)) == pytest.approx(np.array(scores))


@pytest.mark.parametrize(
    ("brackets", "expected"),
    [
        (
            "(S (NP (NP (DT The) (NNS keys)) (PP (IN to) (NP (DT the) (NN cabinet))))"
            " (VP (VBP are) (ADVP (RB here))))",
            ("are", 4, 1, "other", False),
        ),
        (
            "(S (NP (NP (DT The) (NN man)) (SBAR (WHNP (WDT that)) (S (NP (NNS dogs))"
            " (VP (VBP like))))) (ADVP (RB now)) (VP (ADVP (RB only)) (VBZ sings)))",
            ("sings", 6, 1, "other", True),
        ),
        ("(S (NP (NN police)) (VP (VBP sing)))", "head and verb disagree"),
    ],
)
def test_verbs_are_found_with_their_subject_and_what_stands_between(brackets, expected):
    tally = Counter()
    items = list(import_module("items").find_items(parse_tree(brackets), tally))
    names = ("verb", "distance", "attractors", "last", "relative")
    found = [tuple(item[name] for name in names) for item in items[:1]]
    assert (found or list(tally)) == [expected]


def test_scores_by_length_are_drawn_from_files_of_scores(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    for name, length in (("longer", "11-20"), ("mine", "1-10")):
        srsly.write_json(f"{name}.json", {"con_per_length": {length: {"f": 0.5}}})
    monkeypatch.setattr(sys, "argv", ["", "picture.svg", "longer.json", "mine.json"])
    import_module("draw_lengths").main()
    drawn = (tmp_path / "picture.svg").read_text(encoding="utf-8")
    assert drawn.index(">1-10</text>") < drawn.index(">11-20</text>")


@pytest.fixture
def corpus(tmp_path):
    """A corpus in the files of Natural Stories, whose times are made up.

    Their logarithm is 5.5, 0.02 for each letter, 0.01 for each bit of GPT-3's, and 0.1
    for each node that the word before has completed.
    """
    sentence = "The old farmer's dog saw a small cat, and it barked loudly. "
    words, rng = (sentence * 30).split(), np.random.default_rng(0)
    bits = rng.exponential(5, len(words)).round(4)
    closed = [0.0, *(float(word.endswith(("t,", "g", "."))) for word in words)]
    letters = [len(re.sub(r"\W", "", word)) for word in words]
    times = 5.5 + 0.02 * np.array(letters) + 0.01 * bits + 0.1 * np.array(closed[:-1])
    times += rng.normal(0, 0.02, len(words))
    tok, info, freqs, gpt3, at = (
        ["word\tzone\titem"],
        ["zone\titem\tgmeanItemRT"],
        [],
        [],
        0,
    )
    of_words = zip(words, np.exp(times), bits, strict=True)
    for place, (word, time, n) in enumerate(of_words, start=1):
        if place == 100:
            at += 3  # a word in GPT-3's text was longer
        tok.append(f"{word}\t{place}\t1")
        info.append(f"{place}\t1\t{time}")
        stem = word.strip(",.")
        freqs += [f"1.{place}.whole\t1\t{word}\t7\tNA"]
        freqs += [f"1.{place}.word\t1\t{stem}\t{1000 * len(stem)}\tNA"]
        space = " " if at else ""
        nats = n * np.log(2)
        pieces = [(space + word[:1], nats / 4), (word[1:], 3 * nats / 4)]
        for piece, share in pieces:
            if piece:
                gpt3.append(f'"{piece}",{-share},{at},davinci,0')
                at += len(piece)
    folder = tmp_path / "naturalstories"
    files = {
        "naturalstories_RTS/all_stories.tok": tok,
        "naturalstories_RTS/processed_wordinfo.tsv": info,
        "freqs/freqs-1.tsv": freqs,
        "probs/all_stories_gpt3.csv": ["token,logprob,offset,model,story", *gpt3],
    }
    for name, lines in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder, words, bits, closed[1:]


def test_reading_times_are_explained_by_what_they_were_made_of(
    corpus, tmp_path, monkeypatch, capsys
):
    folder, words, bits, closed = corpus
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["natural_stories", str(folder)])
    import_module("natural_stories").main()
    assert "1 stories, 360 words" in capsys.readouterr().out
    output = tmp_path / "output/reading_times"
    with (output / "stories.csv").open(encoding="utf-8", newline="") as file:
        [[_, _], [item, text]] = csv.reader(file)
    assert (item, text) == ("1", " ".join(words))
    lines = (output / "words.tsv").read_text(encoding="utf-8").splitlines()
    assert lines[3].split("\t")[:3] == ["1", "3", "farmer's"]
    # Both pieces of a word count, and of words with punctuation the word's frequency.
    for n in (3, 300):
        assert float(lines[n].split("\t")[5]) == pytest.approx(bits[n - 1], abs=1e-4)
    assert float(lines[8].split("\t")[4]) == pytest.approx(np.log(3000), abs=1e-4)
    rng, rows = np.random.default_rng(1), ["item,word_number,word,closed,chance,known"]
    for place, (word, n) in enumerate(zip(words, closed, strict=True), start=1):
        known = int(word != "cat,")
        rows.append(f'1,{place},"{word}",{n:.0f},{rng.normal():.3f},{known}')
    predictors = tmp_path / "predictors.csv"
    predictors.write_text("\n".join(rows) + "\n", encoding="utf-8")
    arguments = ["reading_times", str(output / "words.tsv"), str(predictors)]
    monkeypatch.setattr(sys, "argv", arguments)
    import_module("reading_times").main()
    head, _, *table = capsys.readouterr().out.splitlines()
    found = {row[0]: [*map(float, row[1:])] for row in map(cells_of, table)}
    assert min(found["closed"]) > 50
    assert found["GPT-3's surprisal"][0] > 20
    assert all(gain < 5 for gain in found["chance"])
    # Eight of twelve words have letters alone, and do not begin a sentence; the first
    # has no two words before it. One of them follows a word that is not known.
    assert "all, 239 words" in head
    assert "known, 209 words" in head
    rows.pop()
    predictors.write_text("\n".join(rows) + "\n", encoding="utf-8")
    with pytest.raises(ValueError, match="is not of the words of"):
        import_module("reading_times").main()


def cells_of(line):
    return [cell.strip() for cell in line.strip("|").split("|")]
