"""Leave out the word pieces of a pipeline's transformer that files hardly use.

The transformer keeps the word pieces that the files use four times; a word of others is
parted into more and shorter pieces. The rest of the parser stays as it is.

    python trim_pieces.py training/lg-gold/model-best training/lg-trimmed \
        corpus/sentences/train-*.spacy text.txt
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated

import spacy
import typer
from spacy.language import Language
from spacy.tokens import Doc

from spacy_gfl import get_parser
from spacy_gfl.tools.treebanks.formats import docbin


def main(
    source: Annotated[Path, typer.Argument(help="A pipeline on a transformer.")],
    target: Annotated[Path, typer.Argument(help="Where the pipeline is written.")],
    files: Annotated[list[Path], typer.Argument(help=".spacy files and text.")],
    least: Annotated[int, typer.Option(help="Uses of a word piece that stays.")] = 4,
) -> None:
    """Write the pipeline."""
    nlp = spacy.load(source)
    [node] = [n for n in get_parser(nlp).model.walk() if n.name == "transformer"]
    shim = node.shims[0]
    # Windows never cross sentences, of which a longer one has several.
    uses: Counter[int] = Counter()
    for doc in read(nlp, files):
        for window in shim.network.read([doc], len(doc) + 1, 0).windows:
            uses.update(window)
    shim.network = shim.network.trimmed({p for p, n in uses.items() if n >= least})
    nlp.to_disk(target)
    n_pieces = shim.network.settings["config"]["vocab_size"]
    print(f"{target}: {n_pieces:,} word pieces")


def read(nlp: Language, files: Iterable[Path]) -> Iterator[Doc]:
    """The Docs of .spacy files, and the lines of text files."""
    for file in files:
        if file.suffix == ".spacy":
            yield from docbin.read(file, nlp.vocab, need_trees=False)
            continue
        with file.open(encoding="utf-8") as lines:
            yield from map(nlp.make_doc, filter(str.strip, lines))


if __name__ == "__main__":
    typer.run(main)
