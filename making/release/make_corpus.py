"""Convert the treebanks of the workflow to .spacy files, one per part.

A folder of treebanks is either laid out as the project's assets are,

    craft/penn/*.tree  craft/ids/craft-ids-{train,dev,test}.txt
    gum/const/*.ptb    gum/splits.md    gum/dep/*.conllu
    masc/**/*.mrg
    masc/penn23/*.mrg, or masc23.tar.gz, from which that is unpacked
    icon/{train,dev}.txt
    greynir/devset/**/*.gld
    ewt/en_ewt-ud-{train,dev}.conllu
    ud/en_*.conllu

of which train, dev and test join CRAFT and GUM, while train-craft, train-masc, train-
masc23 (MASC 2 and 3) and so on are of one, and test2-gum is GENTLE; or it has
train.ptb, dev.ptb and perhaps test.ptb. With `--only icon` (Indonesian) or `--only
greynir` (Icelandic), train and dev are those of that treebank. What has gold
dependencies becomes dependencies-train-ewt, a Doc per sentence, for `spacy-gfl silver
--dependencies` to make trees of.
"""

import argparse
import re
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterable
from itertools import islice
from pathlib import Path, PurePosixPath

from spacy.tokens import Doc, DocBin
from spacy.training.converters import conllu_to_docs
from spacy.vocab import Vocab

from spacy_gfl.languages import en
from spacy_gfl.languages.spacing import guess_spaces
from spacy_gfl.tools.treebanks.formats import docbin
from spacy_gfl.trees.labels import TAGS

PARTS = ("train", "dev", "test")
_MASC_DEV = """
    110CYL068.mrg 112C-L013.mrg 114CUL058.mrg 116CUL033.mrg 118CWL050.mrg
    20000415_apw_eng-NEW.mrg 20000419_apw_eng-NEW.mrg Article247_327.mrg
    Article247_400.mrg enron-thread-159550.mrg HistoryGreek.mrg NapierDianne.mrg
    chZ.mrg pmed.0010029.mrg
"""
#: The documents of MASC's dev part, about one of seven; it has no split of its own.
MASC_DEV = frozenset(_MASC_DEV.split())
#: Files of other gold dependencies in ud/.
FURTHER = (
    *("en_atis-ud-train.conllu", "en_childes-*.conllu"),
    *("en_ctetex-ud-test.conllu", "en_eslspok-ud-train.conllu"),
)
#: Of those that repeat themselves, how many sentences there are to one that is taken.
REPEATED = {"en_atis": 3, "en_childes": 5}
#: How MASC 2 and 3 write brackets: as CODE, and in words.
MASC23_BRACKETS = {
    **{"-LRB-": "(", "-RRB-": ")", "<bracket>": "[", "<$$bracket>": "]"},
    **{"<curly>": "{", "<$$curly>": "}", "{": "{", "}": "}"},
}
#: Genre of GUM whose words are masked.
MASKED = "reddit"


def craft(folder: Path, part: str, _: set[str]) -> list[Path]:
    """The files of a part of CRAFT."""
    ids = folder / "craft" / "ids" / f"craft-ids-{part}.txt"
    names = ids.read_text(encoding="utf-8-sig").split()
    return [folder / "craft" / "penn" / f"{name}.tree" for name in names]


def gum(folder: Path, part: str, without: set[str]) -> list[Path]:
    """The files of a part of GUM, but of some genres.

    Documents from Reddit have no files: their words are masked.
    """
    names = gum_names(folder, part, without)
    files = (folder / "gum" / "const" / f"{name}.ptb" for name in names)
    return [file for file in files if file.exists()]


def gum_names(folder: Path, part: str, without: set[str]) -> list[str]:
    """The documents of a part of GUM, but of some genres."""
    text = (folder / "gum" / "splits.md").read_text(encoding="utf-8-sig")
    _, *found = re.split(rf"^#+ *{part}$", text, flags=re.MULTILINE)
    listed = found[0].partition("\n#")[0] if found else ""
    names = re.findall(r"^ *[*+-] +`?(\w+)", listed, flags=re.MULTILINE)
    return [name for name in names if name.split("_")[1] not in without]


def masc(folder: Path, part: str, _: set[str]) -> list[Path]:
    """The files of a part of MASC, which has no test part.

    Those of the Wall Street Journal and of Switchboard are left out: their texts are
    licensed by others.
    """
    files = sorted((folder / "masc").rglob("*.mrg*"))
    own = [
        file
        for file in files
        if not file.name.startswith(("wsj", "sw")) and "penn23" not in file.parts
    ]
    is_dev = part == "dev"
    return [f for f in own if part != "test" and (f.name in MASC_DEV) == is_dev]


def masc23(folder: Path, part: str, _: set[str]) -> list[Path]:
    """The files of a part of MASC 2 and 3, those that masc23.txt names.

    Others are kept back to judge by.
    """
    home, archive = folder / "masc" / "penn23", folder / "masc23.tar.gz"
    if not home.is_dir() and archive.is_file():
        home.mkdir(parents=True)
        with tarfile.open(archive) as members:
            for member in members:
                path = PurePosixPath(member.name)
                if path.parent.name == "MASC2and3" and path.suffix == ".mrg":
                    content = members.extractfile(member)
                    (home / path.name).write_bytes(content.read() if content else b"")
    text = Path(__file__).with_name("masc23.txt").read_text(encoding="utf-8")
    _, _, found = text.partition(f"## {part}\n")
    names = found.partition("##")[0].split()
    files = (home / f"{name}.mrg" for name in names)
    return [file for file in files if file.exists()]


def masc23_text(text: str) -> str:
    """The brackets of MASC 2 and 3 with the characters that were written in the text.

    >>> masc23_text("(NP (CODE -LRB-) (CD 1$$2) (CODE <$$bracket>))")
    '(NP (-LRB- -LRB-) (CD 1/2) (-RRB- ]))'
    """
    for code, mark in MASC23_BRACKETS.items():
        tag = "-LRB-" if mark in "([{" else "-RRB-"
        mark = {"(": "-LRB-", ")": "-RRB-"}.get(mark, mark)
        text = re.sub(rf"\(CODE {re.escape(code)}\)", f"({tag} {mark})", text)
        if code.startswith("<"):
            text = text.replace(code, mark)
    text = re.sub(r'\(" \?+\)', '(" ")', text)
    return text.replace("$$", "/").replace("XTILDE", "~").replace("RSQUO", "’")


def icon(folder: Path, part: str, _: set[str]) -> list[Path]:
    """The file of a part of ICON."""
    return [folder / "icon" / f"{part}.txt"]


def greynir(folder: Path, part: str, _: set[str]) -> list[Path]:
    """The files of a part of GreynirCorpus's hand-corrected trees.

    They have no split of their own: every tenth file, by name, is of the dev part.
    """
    files = sorted((folder / "greynir" / "devset").rglob("*.gld"))
    is_dev = part == "dev"
    return [file for i, file in enumerate(files) if (i % 10 == 9) == is_dev]


#: Treebanks of other languages, which have a train and a dev part.
LANGUAGES = {"icon": icon, "greynir": greynir}


def inputs(folder: Path, without: set[str], only: str = "") -> dict[str, list[Path]]:
    """The files of trees for each .spacy file to make.

    Args:
        folder: The folder of treebanks.
        without: Genres that are left out of GUM's training part.
        only: One of `LANGUAGES`; empty for English, or for files of one's own.

    Raises:
        FileNotFoundError: The folder is laid out in neither way, or a list of
            documents is not there.
    """
    if only:
        found = {part: LANGUAGES[only](folder, part, without) for part in PARTS[:2]}
        if not all(files and files[0].exists() for files in found.values()):
            raise FileNotFoundError(f"{folder} has no treebank {only}.")
        return found
    own = {part: folder / f"{part}.ptb" for part in PARTS}
    if own["train"].exists() and own["dev"].exists():
        return {part: [file] for part, file in own.items() if file.exists()}
    banks = {"craft": craft, "gum": gum, "masc": masc, "masc23": masc23}
    single = {
        f"{part}-{name}": banks[name](
            folder, part, without if part == "train" else set()
        )
        for part in (*PARTS, "test2")
        for name in banks
        if (folder / name.removesuffix("23")).is_dir()
        if part != "test2" or name == "gum"
    }
    if not single:
        raise FileNotFoundError(
            f"{folder} needs both train.ptb and dev.ptb, or the folders craft, gum or "
            "masc."
        )
    joined = {
        part: [*single.get(f"{part}-craft", []), *single.get(f"{part}-gum", [])]
        or single.get(f"{part}-masc", [])
        for part in PARTS
    }
    return {part: files for part, files in {**joined, **single}.items() if files}


def without_known(path: Path, others: Iterable[Path]) -> None:
    """Leave Docs out of a file whose words are those of a Doc in another."""
    known = {
        tuple(token.text.lower() for token in doc)
        for other in others
        for doc in docbin.read(other, Vocab())
    }
    docs = list(docbin.read(path, Vocab()))
    kept = [
        doc for doc in docs if tuple(token.text.lower() for token in doc) not in known
    ]
    docbin.write(path, kept)
    print(f"Left out of {path.name}: {len(docs) - len(kept):,} that others have")


def dependencies(folder: Path, without: set[str]) -> dict[str, list[Path]]:
    """The CoNLL-U files with gold dependencies for each .spacy file to make.

    Args:
        folder: The folder of treebanks.
        without: Genres that are left out of GUM's training part.
    """
    wanted = {
        f"{part}-ewt": [folder / "ewt" / f"en_ewt-ud-{part}.conllu"]
        for part in ("train", "dev")
    }
    if (folder / "gum" / "dep").is_dir():
        for part in PARTS:
            left_out = {MASKED, *(without if part == "train" else ())}
            wanted[f"{part}-gum"] = [
                folder / "gum" / "dep" / f"{name}.conllu"
                for name in gum_names(folder, part, left_out)
            ]
    wanted["train-ud"] = [
        file for name in FURTHER for file in sorted((folder / "ud").glob(name))
    ]
    existing = {
        f"dependencies-{part}": [file for file in files if file.exists()]
        for part, files in wanted.items()
    }
    return {part: files for part, files in existing.items() if files}


def dependency_docs(files: Iterable[Path]) -> DocBin:
    """The sentences of CoNLL-U files, a Doc each, with tags and dependencies.

    Words that are written together, such as do and n't, have no space between them:
    spaCy's reader knows only of the whole token that there is none after it.
    """
    docs = DocBin(["TAG", "POS", "HEAD", "DEP"])
    for file in files:
        text = file.read_text(encoding="utf-8")
        sentences = conllu_to_docs(text, n_sents=1, no_print=True)
        for doc in islice(sentences, 0, None, REPEATED.get(file.name.split("-")[0], 1)):
            words = [token.text for token in doc]
            # Where there are no Penn tags, spaCy's reader takes those of UD.
            tags = [token.tag_ if token.tag_ in TAGS else "" for token in doc]
            # The last is where the next sentence may begin.
            guessed = [*guess_spaces(words, tags, en.LANGUAGE.spacing)[:-1], False]
            spaced = Doc(
                doc.vocab,
                words=words,
                spaces=[
                    bool(token.whitespace_) and space
                    for token, space in zip(doc, guessed, strict=True)
                ],
                tags=tags,
                pos=[token.pos_ for token in doc],
                heads=[token.head.i for token in doc],
                deps=[token.dep_ for token in doc],
            )
            docs.add(spaced)
    return docs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path, help="folder for the .spacy files")
    parser.add_argument("--treebanks", type=Path, nargs="+", required=True)
    parser.add_argument(
        "--only", default="", choices=["", *LANGUAGES], help="one treebank alone"
    )
    parser.add_argument("--lang", default="en", help="the language of the trees")
    parser.add_argument("--n-sents", default="10", help="sentences to a Doc")
    parser.add_argument(
        "--exclude-genres", default="", help="what to leave out of GUM's training part"
    )
    parser.add_argument(
        "--keep-functions", action="store_true", help="labels stay NP-SBJ, not NP"
    )
    parser.add_argument(
        "--correct",
        action="store_true",
        help="correct trees by the rules of correct_trees.py",
    )
    arguments = parser.parse_args()
    places = [place for place in arguments.treebanks if any(place.glob("*"))]
    if not places:
        sys.exit(
            f"There are no treebanks in {', '.join(map(str, arguments.treebanks))}. "
            "Fetch CRAFT and GUM with `python -m spacy project assets`, or name a "
            "folder with train.ptb and dev.ptb: --vars.treebanks FOLDER."
        )
    without = set(arguments.exclude_genres.split(","))
    try:
        wanted = inputs(places[0], without, arguments.only)
    except FileNotFoundError as error:
        sys.exit(str(error))
    for part, sources in wanted.items():
        print(f"{part} of {places[0]}", flush=True)
        options = ["--n-sents", arguments.n_sents, "--skip-errors"]
        options += ["--lang", arguments.lang]
        options += ["--keep-functions"] * arguments.keep_functions
        out = str(arguments.out / f"{part}.spacy")
        command = [sys.executable, "-m", "spacy_gfl", "convert", *options]
        with tempfile.TemporaryDirectory() as place:
            if part.endswith("masc23"):
                for source in sources:
                    text = masc23_text(source.read_text(encoding="utf-8"))
                    (Path(place) / source.name).write_text(text, encoding="utf-8")
                sources = sorted(Path(place).iterdir())
            done = subprocess.run([*command, *map(str, sources), out], check=False)
        if done.returncode:
            sys.exit(done.returncode)
        if arguments.correct:
            script = str(Path(__file__).with_name("correct_trees.py"))
            subprocess.run([sys.executable, script, out, out], check=True)
    if "dev-masc23" in wanted:
        trains = [p for p in wanted if p.startswith("train-")]
        paths = [arguments.out / f"{part}.spacy" for part in ("dev-masc23", *trains)]
        without_known(paths[0], paths[1:])
    found = {} if arguments.only else dependencies(places[0], without)
    for part, sources in found.items():
        docs = dependency_docs(sources)
        docs.to_disk(arguments.out / f"{part}.spacy")
        print(f"{part} of {places[0]}: {len(docs):,} sentences", flush=True)


if __name__ == "__main__":
    main()
