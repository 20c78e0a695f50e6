"""Trees of treebanks of dependencies in many languages, by rule.

    python make_xx_corpus.py corpus/xx treebanks/ud/xx treebanks/pud --limit 0

A file is named for its language: nl.conllu, pl_pud.conllu. Of each language a tenth of
the sentences, in their order every tenth, goes to dev/nl.spacy, the others to
train/nl.spacy. Files that are there already are left as they are.

In dev parts a multiword token is one word (*zum*, *della*), as text has it. In training
parts every other sentence has its parts instead, as treebanks have them.
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
        for part, some in zip(parts, (train, dev), strict=True):
            part.parent.mkdir(parents=True, exist_ok=True)
            docbin.write(part, some)
        print(f"{lang}: {len(train):,} sentences, dev part {len(dev):,}", flush=True)


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
        if conversion.rejected:
            raise conversion.rejected[0]
        yield from islice(conversion.docs.get_docs(Vocab()), limit or None)


if __name__ == "__main__":
    typer.run(main)
