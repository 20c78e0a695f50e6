"""Make a package of a trained sentence splitter and a trained parser: en_gfl_sm.

The pipeline has the parser's transformer, no strings but those that it needs, and
weights in half precision or fewer bits; the parser has its vectors itself. It is scored
as it ships, and then made a package that `pip install ./packages/en_gfl_sm` installs.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import spacy
import srsly
from spacy.attrs import ORTH
from spacy.cli.package import package
from spacy.lang.char_classes import ALPHA, ALPHA_LOWER, ALPHA_UPPER
from spacy.language import Language
from spacy.tokenizer import Tokenizer
from spacy.training import Corpus, Example
from spacy.util import compile_infix_regex, compile_suffix_regex, load_config
from spacy.vectors import Vectors

from spacy_gfl import get_parser
from spacy_gfl.data.corpus import TreebankCorpus
from spacy_gfl.embedding.static_vectors import keep_static_vectors
from spacy_gfl.model.shim import NetworkShim
from spacy_gfl.model.weights import SAVED_BITS
from spacy_gfl.tools.training.few_bits import save_in_bits
from spacy_gfl.tools.training.temperature import fit_temperature
from spacy_gfl.tools.treebanks.formats import docbin

RULES, SENTER, PARSER = "sentence_rules", "senter", "constituency_parser"
#: What cards call treebanks whose names are not in capitals.
BANKS = {"masc23": "MASC 2 and 3"}
#: Sentences of more words get a flat tree; search is linear in their number.
MAX_WORDS = 5000
META = Path(__file__).with_name("en_gfl_sm.json")
#: Wherever the program runs: `project.yml` runs it beside this file.
PACKAGES = Path(__file__).parents[2] / "packages"
#: How a package is built. spaCy's setup.py would write meta.json, metadata and copies
#: of all files into the folder from which it installs.
PYPROJECT = """\
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = {name}
version = {version}
description = {description}
readme = "README.md"
requires-python = ">=3.10"
authors = [{{ name = {author}{contact} }}]
license = {{ text = {license} }}
dependencies = {requirements}

[project.entry-points.spacy_models]
{name} = {name}
"""
#: A layer that is saved in bits of its own.
TRANSFORMER = "transformer"
#: The parameter of a transformer with the vectors of word pieces, whose module needs
#: the extra [transformers].
PIECES = "encoder.embeddings.piece_embeddings.weight"
#: Bits of a weight that is not rounded.
WHOLE = 32
#: A full stop that no space follows is a token too, so that a sentence can end there:
#: spaCy's tokenizer knows the point between letters alone.
FULL_STOP = rf"(?<=[{ALPHA_LOWER}0-9%)\]])[.!?]+(?=[{ALPHA_UPPER}][{ALPHA_LOWER}])"
#: What parts tokens beyond spaCy's rules for a language: infixes and suffixes.
INFIXES = {
    # In Indonesian the hyphen of reduplications, as ICON has it.
    "id": [FULL_STOP, rf"(?<=[{ALPHA}0-9])-(?=[{ALPHA}0-9])"],
}
SUFFIXES = {
    # The full stop after the pronoun, which spaCy takes for an initial.
    "en": [r"(?<=^I)\."],
    "id": [rf"(?<=[{ALPHA}][{ALPHA}])nya"],
}
#: Scores of gold words and sentences, and of raw text.
TREE_SCORES = ("con_p", "con_r", "con_f", "con_exact", "tag_acc")
#: The table of the model card.
CARD = {
    "trees, gold words and sentences: F1": "con_f_{}",
    "exact trees, gold words and sentences": "con_exact_{}",
    "tags: accuracy": "tag_acc_{}",
    "raw text: sentences, F1": "sents_f_{}_text",
    "raw text: trees, F1": "con_f_{}_text",
}
#: On a page of several packages the first mark has a name: <!-- scores: id_gfl_sm -->.
MARKS = r"(<!-- scores(?:: {})? -->).*?(<!-- end of scores -->)"
TEXT_SCORES = ("sents_p", "sents_r", "sents_f", "con_f")


def assemble(
    parser: Path,
    senter: str,
    bits: int,
    lang: str = "en",
    words: Path | None = None,
    encoder_bits: int = 6,
    piece_bits: int = 0,
) -> Language:
    """The pipeline: a tokenizer, the senter of one pipeline, the parser of another.

    Args:
        parser: A pipeline with the parser.
        senter: A pipeline with the sentence splitter.
        bits: Of a weight.
        lang: Its language.
        words: A treebank whose words stay whole.
        encoder_bits: Of a weight of a pretrained encoder.
        piece_bits: Of a weight of its vectors of word pieces; 0: as of the others.
    """
    nlp = spacy.blank(lang)
    adapt_tokenizer(nlp)
    if words is not None:
        keep_words(nlp, words)
    # Vectors know the strings of their vocabulary: take rows and keys alone.
    table = spacy.load(parser).vocab.vectors.to_bytes(exclude=["strings"])
    nlp.vocab.vectors.from_bytes(table, exclude=["strings"])
    # With the vocabulary of `nlp`, the strings of training stay behind.
    splits = spacy.load(senter, vocab=nlp.vocab, exclude=["vocab"])
    nlp.add_pipe(RULES)
    nlp.add_pipe(SENTER, source=splits)
    model = load_config(parser / "config.cfg")["components"][PARSER]["model"]
    layer = model["tok2vec"].get("*", {}).get(TRANSFORMER, {})
    settings = {}
    if "/" in layer.get("name", "") and Path(layer["name"]).is_dir():
        # The folder's name, not where it was.
        where = f"components.{PARSER}.model.tok2vec.*.{TRANSFORMER}.name"
        settings[where] = Path(layer["name"]).name
    parses = spacy.load(parser, vocab=nlp.vocab, exclude=["vocab"], config=settings)
    nlp.add_pipe(PARSER, source=parses)
    vectors = nlp.vocab.vectors
    if vectors.n_keys and keep_static_vectors(get_parser(nlp).model, vectors):
        # Nothing else reads them, and so the parser can join other pipelines.
        nlp.vocab.vectors = Vectors(strings=nlp.vocab.strings)
    shrink(nlp, bits, encoder_bits, piece_bits)
    return nlp


def check_language(meta: Path, lang: str, *pipelines: str | Path) -> None:
    """Exit if a pipeline in a folder is of another language than its meta."""
    for folder in map(Path, pipelines):
        if (folder / "config.cfg").exists():
            found = load_config(folder / "config.cfg")["nlp"]["lang"]
            if found != lang:
                sys.exit(f"{folder} is of the language {found}, {meta} says {lang}.")


def adapt_tokenizer(nlp: Language) -> None:
    """Let a tokenizer of rules part words as the language's treebanks do."""
    if not isinstance(tokenizer := nlp.tokenizer, Tokenizer):
        return
    infixes = [*nlp.Defaults.infixes, *INFIXES.get(nlp.lang, [FULL_STOP])]
    tokenizer.infix_finditer = compile_infix_regex(infixes).finditer
    if nlp.lang in SUFFIXES:
        suffixes = [*nlp.Defaults.suffixes, *SUFFIXES[nlp.lang]]
        tokenizer.suffix_search = compile_suffix_regex(suffixes).search
    if nlp.lang == "id":
        # Thousands of reduplications, which ICON parts.
        rules = tokenizer.rules.items()
        tokenizer.rules = {text: rule for text, rule in rules if "-" not in text}


def keep_words(nlp: Language, treebank: Path) -> None:
    """Let a tokenizer of rules leave the words of a treebank whole (abbreviations)."""
    if not isinstance(tokenizer := nlp.tokenizer, Tokenizer):
        return
    docs = docbin.read(treebank, spacy.blank(nlp.lang).vocab, need_trees=False)
    words = {token.text for doc in docs for token in doc}
    words |= {word.capitalize() for word in words if word.islower()}
    for word in sorted(words):
        has_letters = any(character.isalpha() for character in word)
        if has_letters and " " not in word and len(tokenizer(word)) > 1:
            tokenizer.add_special_case(word, [{ORTH: word}])


def shrink(nlp: Language, bits: int, encoder_bits: int, piece_bits: int = 0) -> None:
    """Let all PyTorch modules of the parser be saved in so many bits per weight.

    A pretrained encoder has a number of its own, unless it has learnt rounded, and a
    word table (`spacy_gfl.WordTable.v1`) is saved in half precision.
    """
    for node in get_parser(nlp).model.walk():
        if node.name == "word_table":
            node.set_param("E", node.get_param("E").astype("float16"))
        for shim in node.shims:
            if isinstance(shim, NetworkShim):
                if node.name != TRANSFORMER:
                    save_in_bits(shim.network, bits)
                elif getattr(shim.network, SAVED_BITS, WHOLE) == WHOLE:
                    others = {PIECES: piece_bits} if piece_bits else {}
                    save_in_bits(shim.network, encoder_bits, others)


def save_with(model: Path, **search: Any) -> None:
    """Save a pipeline with other settings of search.

    They stand beside the parser's weights. In config.cfg, an equal setting of
    `spacy.load(config=...)` could not be told from what was there before.
    """
    nlp = spacy.load(model)
    for name, value in search.items():
        setattr(get_parser(nlp).search, name, value)
    nlp.to_disk(model)


def fitted_temperature(
    nlp: Language, treebanks: Iterable[Path], limit: int = 0
) -> float:
    """At which scores are right as often as they say; found by every fourth Doc."""
    documents = [
        example
        for path in treebanks
        for example in list(TreebankCorpus(path, gold_sents=True, limit=limit)(nlp))[
            ::4
        ]
    ]
    return fit_temperature(get_parser(nlp), documents)


def scores(nlp: Language, treebanks: dict[str, Path], limit: int = 0) -> dict[str, Any]:
    """Scores on treebanks, named `<score>_<treebank>`.

    Args:
        nlp: The pipeline.
        treebanks: .spacy files of whole documents. Trees and tags are scored on
            gold words and sentences; `<score>_<treebank>_text` is of raw text.
        limit: How many Docs of each file are scored; 0: all.
    """
    found = {}
    for name, path in treebanks.items():
        gold = list(TreebankCorpus(path, gold_sents=True, limit=limit)(nlp))
        found.update(_named(nlp, gold, TREE_SCORES, name))
        # A pipeline of many languages has the tokenizer of none.
        if nlp.lang != "xx":
            text = list(Corpus(path, limit=limit)(nlp))
            found.update(_named(nlp, text, TEXT_SCORES, f"{name}_text"))
    return found


def _named(
    nlp: Language, examples: Iterable[Example], names: Iterable[str], suffix: str
) -> dict[str, Any]:
    measured = nlp.evaluate(examples)
    # A parser that sets no tags has no score of them.
    known = [name for name in names if name in measured]
    return {f"{name}_{suffix}": round(measured[name], 4) for name in known}


def write_card(path: Path, performance: dict[str, float], package: str) -> None:
    """Put the table of a package's scores where a page has marks for it.

    Raises:
        ValueError: If the page has no such marks.
    """
    page = path.read_text(encoding="utf-8")
    marks = re.compile(MARKS.format(package), re.DOTALL)
    if not marks.search(page):
        raise ValueError(f"{path} has no <!-- scores --> and <!-- end of scores -->.")
    names = [name.removeprefix("con_exact_") for name in performance]
    banks = [name for name in names if f"con_exact_{name}" in performance]
    heads = [f"{BANKS.get(bank, bank.upper())} dev" for bank in banks]
    rows = ["| | " + " | ".join(heads) + " |"]
    rows.append("|---" * (len(banks) + 1) + "|")
    for text, score in CARD.items():
        if not all(score.format(bank) in performance for bank in banks):
            continue
        values = (f"{100 * performance[score.format(bank)]:.2f}" for bank in banks)
        rows.append(f"| {text} | " + " | ".join(values) + " |")
    table = "\n".join(rows)
    path.write_text(marks.sub(rf"\1\n{table}\n\2", page), encoding="utf-8")


def pyproject(meta: dict[str, Any]) -> str:
    """The pyproject.toml of a pipeline's package."""
    settings = {**meta, "name": f"{meta['lang']}_{meta['name']}"}
    # JSON's strings and lists of them are TOML's too.
    written = {k: json.dumps(v, ensure_ascii=False) for k, v in settings.items()}
    contact = f", email = {written['email']}" if meta.get("email") else ""
    page = f"\n[project.urls]\nHomepage = {written['url']}\n" if meta.get("url") else ""
    return PYPROJECT.format(**written, contact=contact) + page


def build_by_pyproject(package: Path) -> None:
    """Put pyproject.toml in the place of the setup.py that spaCy gives to a package."""
    meta = srsly.read_json(package / "meta.json")
    name = f"{meta['lang']}_{meta['name']}"
    (package / "meta.json").rename(package / name / "meta.json")
    # spaCy leaves out of the package's meta what it does not know of vectors.
    model = package / name / f"{name}-{meta['version']}"
    shutil.copy(package / name / "meta.json", model / "meta.json")
    (package / "setup.py").unlink()
    (package / "MANIFEST.in").unlink()
    (package / "pyproject.toml").write_text(pyproject(meta), encoding="utf-8")


def write_package(model: Path, out: Path) -> Path:
    """Make a package of a saved pipeline in a folder, in the place of an older one."""
    with tempfile.TemporaryDirectory() as folder:
        package(
            model,
            Path(folder),
            create_meta=False,
            create_sdist=False,
            create_wheel=False,
        )
        [packaged] = Path(folder).iterdir()
        build_by_pyproject(packaged)
        target = out / packaged.name.rpartition("-")[0]
        shutil.rmtree(target, ignore_errors=True)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.move(packaged, target)
    if out == PACKAGES:
        script = PACKAGES.parent / "making" / "publishing" / "compatibility.py"
        subprocess.run([sys.executable, script], check=True)
    size = sum(file.stat().st_size for file in target.rglob("*") if file.is_file())
    print(f"{target}: {size / 1e6:.1f} MB")
    return target


def main() -> None:
    """Assemble, save, score what was saved, package."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--parser", type=Path, required=True, help="trained pipeline")
    add("--senter", required=True, help="trained pipeline: a folder, or a package")
    add(
        "--score",
        metavar="NAME=FILE",
        nargs="*",
        default=[],
        help=".spacy files of whole documents to score on, and to fit the temperature "
        "of scores to: gum=corpus/gum/dev.spacy",
    )
    add("--limit", type=int, default=0, help="Docs of each file that are scored")
    add("--card", type=Path, help="a page to write the scores into")
    add("--bits", type=int, default=16, help="of the parser's weights")
    add("--encoder-bits", type=int, default=6, help="of a pretrained encoder's")
    add("--piece-bits", type=int, default=0, help="of its vectors of word pieces")
    add("--meta", type=Path, default=META, help="language, name, licence, sources")
    add("--words", type=Path, help=".spacy file of words that stay whole")
    add("--beam-width", type=int, default=1, help="of the parser's search")
    add("--per-word", action="store_true", help="note columns per word")
    add("--out", type=Path, default=PACKAGES, help="a folder for the package")
    arguments = parser.parse_args()
    treebanks = {
        name: Path(file) for name, file in (s.split("=", 1) for s in arguments.score)
    }
    meta = srsly.read_json(arguments.meta)
    lang = meta["lang"]
    check_language(arguments.meta, lang, arguments.parser, arguments.senter)
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "model"
        nlp = assemble(
            arguments.parser,
            arguments.senter,
            arguments.bits,
            lang,
            arguments.words,
            arguments.encoder_bits,
            arguments.piece_bits,
        )
        nlp.meta.update(meta)
        nlp.to_disk(model)
        # Settings of search stand beside the weights alone (`save_with`).
        config = load_config(model / "config.cfg")
        config["components"][PARSER]["search"] = {}
        config.to_disk(model / "config.cfg")
        save_with(model, beam_width=arguments.beam_width, max_words=MAX_WORDS)
        if treebanks:
            # By a copy, which meets all the words of the treebanks.
            best = fitted_temperature(
                spacy.load(model), treebanks.values(), arguments.limit
            )
            save_with(model, temperature=best)
        # What is scored is what ships: weights that have been rounded.
        performance = scores(spacy.load(model), treebanks, arguments.limit)
        # Scores do not ask for it.
        save_with(model, per_word=arguments.per_word)
        # Into the file: the pipeline has met all the words of the treebanks by now.
        saved = srsly.read_json(model / "meta.json")
        srsly.write_json(model / "meta.json", {**saved, "performance": performance})
        target = write_package(model, arguments.out)
    if arguments.card is not None:
        write_card(arguments.card, performance, target.name)
    for name, value in performance.items():
        print(f"{name:24} {value}")


if __name__ == "__main__":
    main()
