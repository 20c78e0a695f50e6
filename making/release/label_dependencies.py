"""Give gold dependencies trees, by a parser that knows no words.

    python label_dependencies.py show english.conllu train.spacy dev.spacy
    python label_dependencies.py label treebank.conllu trees.spacy --model MODEL

A word is shown to that parser as a string of what Universal Dependencies says of it:
its tag, relation, direction and distance of its head, the head's tag and relation, what
kinds of dependents it has, and of a mark what kind of mark it is. So the parser learns
labels where trees and dependencies are both there, and puts them on trees of languages
that it has never seen; extents are mostly those of the dependencies, which its search
obeys. Trees are those of the common scheme (`spacy_gfl.languages.common`).
"""

import unicodedata
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated

import spacy
import typer
from spacy.tokens import Doc
from spacy.training.converters import conllu_to_docs
from spacy.vocab import Vocab

from spacy_gfl import get_parser, get_trees, set_trees
from spacy_gfl.annotation.dependencies import REQUIRED_KEY, spans_from_dependencies
from spacy_gfl.languages.base import find_language
from spacy_gfl.languages.common import to_common
from spacy_gfl.tools.treebanks.formats import docbin
from spacy_gfl.trees.tree import Tree

_TAGS = """
    ADJ ADP ADV AUX CCONJ DET INTJ NOUN NUM PART PRON PROPN PUNCT SCONJ SYM VERB X
"""
_RELATIONS = """
    acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj dep det
    discourse dislocated expl fixed flat goeswith iobj list mark nmod nsubj nummod obj
    obl orphan parataxis punct reparandum ROOT vocative xcomp
"""
TAGS, RELATIONS = _TAGS.split(), _RELATIONS.split()
#: Kinds of dependents that tell what a phrase is.
KINDS = ("case", "mark", "cop", "aux", "cc", ("nsubj", "csubj", "expl"))
MARKS = ("Ps", "Pe", "Pi", "Pf", "Pd", "Po")
FAR = (1, 2, 4, 8)
#: Letters that no script has in two cases; each feature has some of its own.
FIRST, MANY = 0x4E00, 100
app = typer.Typer(help=__doc__, rich_markup_mode=None)


@app.command()
def show(
    inputs: list[Path],
    train: Path,
    dev: Path,
    model: Annotated[str, typer.Option(help="A parser of the words.")] = "en_gfl_trf",
    beam_width: int = 8,
) -> None:
    """Write trees of Docs, or of CoNLL-U, over the features of their dependencies.

    Trees are those of a parser of the language, which agree with the dependencies.
    Every twentieth goes to the dev part.
    """
    nlp = spacy.load(model)
    scheme = find_language(nlp.lang).to_common
    parser = get_parser(nlp)
    parser.search.beam_width, parser.search.dependencies = beam_width, True
    docs = [doc for file in inputs for doc in read(file, nlp.vocab)]
    shown = [features(doc) for doc in docs]
    for doc, seen in zip(parser.pipe(docs, batch_size=256), shown, strict=True):
        [tree] = get_trees(doc)
        common = to_common(tree, scheme)
        del seen.spans[REQUIRED_KEY]
        set_trees(seen, [Tree(words(seen), common.tags, common.constituents)])
    for file in (train, dev):
        file.parent.mkdir(parents=True, exist_ok=True)
    docbin.write(dev, shown[::20])
    docbin.write(train, [doc for n, doc in enumerate(shown) if n % 20])
    print(f"{train}, {dev}: {len(shown):,} trees")


@app.command()
def label(
    inputs: list[Path],
    output: Path,
    model: Annotated[str, typer.Option(help="The parser of features.")],
    lang: str = "xx",
    beam_width: int = 8,
) -> None:
    """Write trees of Docs, or of CoNLL-U, with dependencies."""
    nlp = spacy.load(model)
    parser = get_parser(nlp)
    parser.search.beam_width = beam_width
    vocab = spacy.blank(lang).vocab
    docs = [doc for file in inputs for doc in read(file, vocab)]
    shown = [features(doc) for doc in docs]
    for doc, seen in zip(docs, parser.pipe(shown, batch_size=256), strict=True):
        [tree] = get_trees(seen)
        set_trees(doc, [Tree(words(doc), tags(doc), tree.constituents)])
        for token in doc:
            token.tag_ = token.pos_
    output.parent.mkdir(parents=True, exist_ok=True)
    docbin.write(output, docs)
    print(f"{output}: {len(docs):,} trees")


def read(file: Path, vocab: Vocab) -> Iterator[Doc]:
    """The sentences of a treebank of dependencies, each a Doc."""
    if file.suffix == ".spacy":
        yield from docbin.read(file, vocab, need_trees=False)
        return
    text = file.read_text(encoding="utf-8")
    for doc in conllu_to_docs(text, n_sents=1, no_print=True):
        yield Doc(vocab).from_bytes(doc.to_bytes())


def words(doc: Iterable[spacy.tokens.Token]) -> tuple[str, ...]:
    """The texts of the words."""
    return tuple(token.text for token in doc)


def tags(doc: Doc) -> tuple[str, ...]:
    """The universal tags of the words."""
    return tuple(token.pos_ or "X" for token in doc)


def features(doc: Doc) -> Doc:
    """A Doc of one sentence whose words say what dependencies say of its words."""
    shown = Doc(doc.vocab, [describe(token) for token in doc])
    for token in shown:
        token.is_sent_start = token.i == 0
    required = [shown[span.start : span.end] for span in spans_from_dependencies(doc)]
    shown.spans[REQUIRED_KEY] = required
    return shown


def describe(token: spacy.tokens.Token) -> str:
    """The features of a word, a letter each."""
    head = token.head
    away = head.i - token.i
    below = {relation(child) for child in token.children}
    kinds = [bool(below.intersection([k] if isinstance(k, str) else k)) for k in KINDS]
    category = unicodedata.category(token.text[0])
    is_mark = token.pos_ == "PUNCT" and category in MARKS
    numbers = (
        2 * sum(abs(away) > far for far in FAR) + (away > 0) + 1 if away else 0,
        index(RELATIONS, relation(token)),
        index(TAGS, token.pos_),
        sum(2**n for n, kind in enumerate(kinds) if kind),
        3 * min(token.n_lefts, 2) + min(token.n_rights, 2),
        index(TAGS, head.pos_) if away else len(TAGS),
        index(RELATIONS, relation(head)) if away else len(RELATIONS),
        2 * MARKS.index(category) + (token.text in ",،、，") + 1 if is_mark else 0,
    )
    return "".join(chr(FIRST + MANY * n + number) for n, number in enumerate(numbers))


def relation(token: spacy.tokens.Token) -> str:
    """The universal relation, without its subtype."""
    return token.dep_.split(":")[0]


def index(names: list[str], name: str) -> int:
    """The place of a name, or the one after the last."""
    return names.index(name) if name in names else len(names)


if __name__ == "__main__":
    app()
