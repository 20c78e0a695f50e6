"""How many words of a treebank spaCy's tokenizer of its language finds in the text.

    python making/benchmarks/words.py FILE --lang ja

The file has dependencies (CoNLL-U) or Docs; a parser of text sees the tokenizer's words
where it learnt from the treebank's. Words are those of the text: multiword tokens are
whole, and white space does not count.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import spacy
import typer
from spacy.tokens import Token
from wasabi import table

from spacy_gfl.languages import find_language
from spacy_gfl.tools.treebanks.inputs import read_treebank


def extents(tokens: Iterable[Token]) -> set[tuple[int, int]]:
    """The first character of each token but white space, and the one after its last."""
    return {
        (token.idx, token.idx + len(token))
        for token in tokens
        if not token.text.isspace()
    }


def main(
    file: Path,
    lang: Annotated[str, typer.Option(help="spaCy's code of the language.")],
    limit: Annotated[int, typer.Option(help="Sentences.")] = 1_000,
) -> None:
    """Count the words that both have."""
    words = find_language(lang).tokenizer
    settings = {
        **spacy.util.get_lang_class(lang).default_config["nlp"]["tokenizer"],
        **words,
    }
    nlp = spacy.blank(lang, config={"nlp": {"tokenizer": settings}})
    wanted = found = given = 0
    docs = read_treebank(file, spacy.blank("xx").vocab, need_trees=False)
    for _, doc in zip(range(limit), docs, strict=False):
        gold, own = extents(doc), extents(nlp.make_doc(doc.text))
        wanted, given = wanted + len(gold), given + len(own)
        found += len(gold & own)
    rows = [(lang, f"{wanted:,}", f"{100 * found / wanted:.1f}")]
    rows[0] += (f"{100 * found / given:.1f}",)
    print(table(rows, header=("language", "words", "found, %", "right, %")))


if __name__ == "__main__":
    typer.run(main)
