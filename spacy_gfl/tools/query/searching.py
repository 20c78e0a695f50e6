"""Files as sentences to search with tree patterns."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from spacy_gfl.annotation.building import trees_to_docs
from spacy_gfl.annotation.nodes import locate
from spacy_gfl.annotation.sentence_words import sentences, word_indices
from spacy_gfl.annotation.storage import get_trees
from spacy_gfl.tools.query.pattern_nodes import Node
from spacy_gfl.tools.treebanks.formats import (
    ENDINGS,
    FORMATS,
    brackets,
    ending_of,
    find_format,
    lacks_trees,
)
from spacy_gfl.tools.treebanks.formats.names import document_label
from spacy_gfl.tools.treebanks.formats.reading import AUTO, Reading
from spacy_gfl.tools.treebanks.formats.text import paragraphs
from spacy_gfl.tools.treebanks.formats.text_files import read_lines
from spacy_gfl.tools.treebanks.inputs import read_docs, read_treebank
from spacy_gfl.trees.tree import Tree, TreeError

STDIN = Path("-")
#: Paragraphs parsed at a time: few enough for their hits to come soon.
BATCH_SIZE = 64


class SearchedSentence(NamedTuple):
    """A sentence to search.

    Attributes:
        tree: Its tree.
        document: What its Doc is called: its name in the file, or its number, from 1;
            "1" in files that are one document.
        span: Its words on the Doc; None where the tree was in brackets.
        offset: Where its Doc begins in the file of text, in characters.
        functions: The function tags of each constituent; none in brackets, whose labels
            have them.
    """

    tree: Tree
    document: str
    span: Span | None = None
    offset: int = 0
    functions: Sequence[str] = ()

    def spans(self, hit: Node) -> tuple[Span, Span]:
        """The sentence and a hit in it on a Doc, made if there is none."""
        sent = self.span
        if sent is None:
            (doc,) = trees_to_docs([self.tree], Vocab())
            sent = doc[:]
        words = word_indices(sent)
        return sent, sent.doc[words[hit.start] : words[hit.end - 1] + 1]


def searched_sentences(
    path: Path,
    nlp: Language | None,
    on_error: Callable[[TreeError], None],
    reading: Reading | None = None,
) -> Iterator[SearchedSentence]:
    """Read the sentences of a file with their trees.

    Args:
        path: Docs with trees, brackets or text; `STDIN` for standard input.
        nlp: The pipeline that parses text. Without one, what is not of Docs by its
            ending is brackets.
        on_error: Told of each tree that cannot be read.
        reading: How the file is read.

    Raises:
        OSError: If the file cannot be read.
        ValueError: If it is not what its ending says, or a text and there is no
            pipeline.
    """
    reading = reading or Reading()
    file = None if path == STDIN else path
    is_known = reading.format != AUTO or ending_of(path) in ENDINGS
    row = find_format(file, reading.format) if is_known else FORMATS["text"]

    def fail_tree(error: TreeError) -> None:
        is_text = getattr(error, "reason", "") == "text outside of a tree"
        if is_text and row.name != "brackets":
            raise ValueError(
                f"{path} is not a treebank. To search a text, add --model."
            )
        on_error(error)

    if nlp is not None and row.name != "text" and lacks_trees(row, file):
        docs = nlp.pipe(read_docs(nlp, file, reading), batch_size=BATCH_SIZE)
        for number, doc in enumerate(docs, start=1):
            yield from _doc_sentences(doc, number if row.has_records else 1)
    elif row.name != "brackets" and (row.docs or row.trees):
        for number, doc in enumerate(read_treebank(file, Vocab(), reading), start=1):
            yield from _doc_sentences(doc, number if row.has_records else 1)
    elif nlp is None or row.name == "brackets":
        as_they_stand = replace(
            Reading.of(reading, file), clean=False, on_error=fail_tree
        )
        trees = brackets.read(as_they_stand)
        for tree in trees:
            yield SearchedSentence(tree, "1")
    else:
        lines = read_lines(file, as_is=True, encoding=reading.encoding)
        # Without the byte order mark and white space before them.
        texts = (
            (begun, offset + len(text) - len(begun))
            for text, offset in paragraphs(lines)
            if (begun := text.removeprefix("\ufeff").lstrip())
        )
        for doc, offset in nlp.pipe(texts, as_tuples=True, batch_size=BATCH_SIZE):
            yield from _doc_sentences(doc, 1, offset)


def _doc_sentences(
    doc: Doc, number: int, offset: int = 0
) -> Iterator[SearchedSentence]:
    for sent, tree in zip(sentences(doc), get_trees(doc), strict=True):
        if len(tree):
            label = document_label(doc, number)
            node = locate(sent)
            functions = node.sentence.functions(doc) if node else ()
            yield SearchedSentence(tree, label, sent, offset, functions)
