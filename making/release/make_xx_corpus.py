"""Trees of treebanks of dependencies in many languages, by rule.

    python make_xx_corpus.py corpus/xx treebanks/ud/xx treebanks/pud --limit 0 \
        --styles ../treebank/languages

A file is named for its language: nl.conllu, pl_pud.conllu. Of each language a tenth of
the sentences, in their order every tenth, goes to dev/nl.spacy, the others to
train/nl.spacy. Files that are there already are left as they are.

In dev parts a multiword token is one word (*zum*, *della*), as text has it. In training
parts every other sentence has its parts instead, as treebanks have them.

A folder of styles has trees in brackets, named for their languages too (de.ptb). By
turns they go to train/de-styles.spacy and dev/de-styles.spacy. These files are always
written anew.
"""

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_gfl.tools.treebanks.conversion import Conversion
from spacy_gfl.tools.treebanks.formats import docbin

#: Words of spaCy's tokenizer are those of the treebanks in at least nine of ten cases
#: (making/benchmarks/words.py), but for Chinese, which is for text with words given.
LANGUAGES = """
    cs da de es fa fi fr gl hr id is it ja ko nb nl pl pt ro ru sl sv tr vi zh
"""
DEV = 10
#: A line of a multiword token.
RANGE = re.compile(r"^\d+-\d.*\n", re.MULTILINE)


def main(
    output: Path,
    folders: list[Path],
    languages: Annotated[str, typer.Option(help="Codes.")] = LANGUAGES,
    limit: Annotated[int, typer.Option(help="Sentences per file; 0: all.")] = 0,
    styles: Annotated[Path | None, typer.Option(help="Trees in many styles.")] = None,
) -> None:
    """Write a training and a dev part for each language."""
    for lang in languages.split():
        parts = [output / part / f"{lang}.spacy" for part in ("train", "dev")]
        if all(part.exists() for part in parts):
            continue
        docs, split = (
            [doc for folder in folders for doc in read(folder, lang, limit, parts=p)]
            for p in (False, True)
        )
        if not docs:
            raise ValueError(f"No folder has a file of {lang}.")
        dev = docs[::DEV]
        both = enumerate(zip(docs, split, strict=True))
        train = [pair[n % 2] for n, pair in both if n % DEV]
        write(parts, train, dev)
    for first, file in enumerate(sorted(styles.glob("*.ptb")) if styles else []):
        conversion = Conversion(lang=file.stem, repair=False)
        conversion.read(file)
        docs = list(docs_of(conversion))
        # Files have styles in the same order: each is in both parts, of two languages.
        halves = docs[first % 2 :: 2], docs[1 - first % 2 :: 2]
        name = f"{file.stem}-styles.spacy"
        write([output / part / name for part in ("train", "dev")], *halves)


def write(parts: list[Path], train: list[Doc], dev: list[Doc]) -> None:
    """Write both parts of a language, and say how many sentences they have."""
    for part, some in zip(parts, (train, dev), strict=True):
        part.parent.mkdir(parents=True, exist_ok=True)
        docbin.write(part, some)
    name = parts[0].stem
    print(f"{name}: {len(train):,} sentences, dev part {len(dev):,}", flush=True)


def read(folder: Path, lang: str, limit: int, *, parts: bool) -> Iterator[Doc]:
    """The sentences of a language in a folder, each a Doc.

    Args:
        folder: A folder of CoNLL-U files.
        lang: The language's code.
        limit: Sentences per file; 0 reads all.
        parts: Whether the parts of a multiword token are words.
    """
    files = {*folder.glob(f"{lang}.conllu"), *folder.glob(f"{lang}_*.conllu")}
    for file in sorted(files):
        conversion = Conversion(lang=lang)
        with TemporaryDirectory() as place:
            if parts:
                text = RANGE.sub("", file.read_text(encoding="utf-8"))
                file = Path(place) / file.name
                file.write_text(text, encoding="utf-8")
            conversion.read(file)
        yield from islice(docs_of(conversion), limit or None)


def docs_of(conversion: Conversion) -> Iterator[Doc]:
    """The Docs that were read.

    Raises:
        TreeError: If a tree was rejected.
    """
    if conversion.rejected:
        raise conversion.rejected[0]
    yield from conversion.docs.get_docs(Vocab())


if __name__ == "__main__":
    typer.run(main)
