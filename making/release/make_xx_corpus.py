"""Trees of treebanks of dependencies in many languages, by rule.

    python make_xx_corpus.py corpus/xx treebanks/ud/xx treebanks/pud --limit 0

A file is named for its language: nl.conllu, pl_pud.conllu. Of each language a tenth of
the sentences, in their order every tenth, goes to dev/nl.spacy, the others to
train/nl.spacy. Files that are there already are left as they are.
"""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Annotated

import typer
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_gfl.tools.treebanks.conversion import Conversion
from spacy_gfl.tools.treebanks.formats import docbin

#: Words of spaCy's tokenizer are those of the treebanks in at least nine of ten cases
#: (making/benchmarks/words.py): Chinese ones are not.
LANGUAGES = """
    cs da de es fa fi fr gl hr id is it ja ko nb nl pl pt ro ru sl sv tr vi
"""
DEV = 10


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
        docs = [doc for folder in folders for doc in read(folder, lang, limit)]
        if not docs:
            raise ValueError(f"No folder has a file of {lang}.")
        dev = docs[::DEV]
        train = [doc for n, doc in enumerate(docs) if n % DEV]
        for part, some in zip(parts, (train, dev), strict=True):
            part.parent.mkdir(parents=True, exist_ok=True)
            docbin.write(part, some)
        print(f"{lang}: {len(train):,} sentences, dev part {len(dev):,}", flush=True)


def read(folder: Path, lang: str, limit: int) -> Iterator[Doc]:
    """The sentences of a language in a folder, each a Doc."""
    files = {*folder.glob(f"{lang}.conllu"), *folder.glob(f"{lang}_*.conllu")}
    for file in sorted(files):
        conversion = Conversion(lang=lang)
        conversion.read(file)
        if conversion.rejected:
            raise conversion.rejected[0]
        yield from islice(conversion.docs.get_docs(Vocab()), limit or None)


if __name__ == "__main__":
    typer.run(main)
