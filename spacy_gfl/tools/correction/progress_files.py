"""Files of sentences to correct, of accepted trees, and of what was decided."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, TypeAlias

from pydantic import TypeAdapter, ValidationError
from spacy.language import Language
from spacy.tokens import Doc
from spacy.vocab import Vocab

from spacy_gfl import Tree, get_trees, read_trees, set_trees
from spacy_gfl.annotation.sentence_words import sentence_doc, sentences
from spacy_gfl.tools.treebanks.bracket_counts import Rejections
from spacy_gfl.tools.treebanks.formats import docbin, find_format, lacks_trees
from spacy_gfl.tools.treebanks.formats.atomic_files import beside, locked, write_text
from spacy_gfl.tools.treebanks.formats.reading import AUTO, Reading
from spacy_gfl.tools.treebanks.formats.text_files import read_lines
from spacy_gfl.tools.treebanks.inputs import (
    begins_with_bracket,
    read_docs,
    read_treebank,
)

_TREES, _DOCBIN = "constituents", ".spacy"
#: What tells a sentence from all others: its words, and how many before it have them.
Key: TypeAlias = tuple[tuple[str, ...], int]


class Sentence(NamedTuple):
    """A sentence as a Doc of its words, and the tree that it came with, if any."""

    doc: Doc
    given: Tree | None


def read_sentences(
    nlp: Language, path: Path, reading: Reading | str = AUTO
) -> Iterator[Sentence]:
    """Read the sentences of a file, with their trees where it has some.

    The pipeline finds words and sentences of text. "auto" goes by the file's ending;
    .txt is text unless it begins with a bracket.

    Raises:
        OSError: If the file cannot be read.
        ValueError: If it is not what the format says.
    """
    reading = Reading.of(reading, path)
    row = find_format(path, reading.format, trees=begins_with_bracket(path))
    reading = replace(reading, format=row.name)
    if lacks_trees(row, path):
        docs = read_docs(nlp, path, reading)
    else:
        docs = read_treebank(path, nlp.vocab, reading, need_trees=False)
    for doc in docs:
        if _TREES not in doc.spans:
            with nlp.select_pipes(disable=components(nlp, "constituency_parser")):
                doc = nlp(doc)
        yield from cut_sentences(doc)


def components(nlp: Language, factory: str) -> list[str]:
    """The names of the active components that a factory made."""
    return [n for n in nlp.pipe_names if nlp.get_pipe_meta(n).factory == factory]


def cut_sentences(doc: Doc) -> Iterator[Sentence]:
    """Each sentence of a Doc that has words, by itself and without white space.

    Raises:
        ValueError: If the Doc has no sentence boundaries, or damaged trees.
    """
    sents = sentences(doc)
    trees = get_trees(doc) if _TREES in doc.spans else [None] * len(sents)
    for sent, tree in zip(sents, trees, strict=True):
        if len(own := sentence_doc(sent, doc.vocab)):
            yield Sentence(own, tree)


def read_accepted(path: Path, vocab: Vocab) -> Iterator[Tree]:
    """Read the trees that have been accepted so far, as they stand.

    Raises:
        OSError: If the file cannot be read.
        ValueError: If it is no file of trees.
    """
    if not path.exists():
        return
    if path.suffix.lower() == _DOCBIN:
        for doc in docbin.read(path, vocab):
            yield from get_trees(doc)
    else:
        lines = read_lines(path)
        rejections = Rejections(str(path))
        yield from read_trees(lines, clean=False, repair=False, rejections=rejections)


def write_accepted(
    path: Path, accepted: Iterable[tuple[Sentence, Tree]], last: Callable[[], None]
) -> None:
    """Write the trees that sentences shall have, all or, on an error, none.

    Args:
        path: The file.
        accepted: The sentences and their trees.
        last: Called when all is written, just before the new file takes the place of
            the old one, which its errors prevent.

    Raises:
        OSError: If the file cannot be written; it is as it was.
        ValueError: If another program is writing the file.
    """
    with beside(path) as new:
        if path.suffix.lower() == _DOCBIN:
            docbin.write(new, (_gold(*sentence) for sentence in accepted))
        else:
            lines = "".join(f"{tree.brackets()}\n" for _, tree in accepted)
            new.write_text(lines, encoding="utf-8", newline="\n")
        last()


def _gold(sentence: Sentence, tree: Tree) -> Doc:
    copied = sentence_doc(sentence.doc, sentence.doc.vocab)
    for token, tag in zip(copied, tree.tags, strict=True):
        token.tag_ = tag
    set_trees(copied, [tree])
    return copied


class Progress:
    """What was skipped, in a file beside the output, and the session's hold on that.

    Accepted sentences are in that file too where others have the same words. It is
    written as a whole, and deleted where there is nothing to say.

    Args:
        output: The file of accepted trees.

    Raises:
        ValueError: If another session has it.
        OSError: If no file can be made beside it.
    """

    _RECORD = TypeAdapter(list[tuple[tuple[str, ...], int, bool]])

    def __init__(self, output: Path) -> None:
        self.path = output.with_name(f"{output.name}.progress")
        self._lock = locked(output.with_name(f"{output.name}.session"))
        try:
            self._lock.__enter__()
        except ValueError:
            raise ValueError(
                f"Another command is correcting {output}. Continue on its page, "
                "or end it with Ctrl+C."
            ) from None

    def decisions(self) -> dict[Key, bool]:
        """Read of sentences whether they were skipped; if not, they were accepted.

        Raises:
            ValueError: If the file is not of this program, or damaged.
        """
        if not self.path.exists():
            return {}
        try:
            rows = self._RECORD.validate_json(self.path.read_bytes())
        except ValidationError:
            raise ValueError(
                f"{self.path} is damaged, or another version has written it. "
                "Delete it: you will then see the sentences that you skipped "
                "again."
            ) from None
        return {(words, nth): skip for words, nth, skip in rows}

    def save(self, decisions: Mapping[Key, bool]) -> None:
        """Keep decisions, and no others.

        Raises:
            OSError: If they cannot be written; those from before are kept.
        """
        if decisions:
            rows = [[*key, skip] for key, skip in decisions.items()]
            write_text(self.path, [json.dumps(rows)])
        else:
            self.path.unlink(missing_ok=True)

    def close(self) -> None:
        """Let others have the output."""
        self._lock.__exit__(None, None, None)
