"""Make text as people write it of treebank documents, to train a sentence splitter.

A treebank is a list of sentences: it has no line breaks, no missing spaces, few
abbreviations and few quotations within a sentence. Here its documents are cut into
pieces of some sentences, and each piece is written in a style of its own: as one
paragraph, line by line, as a chat, as a list, wrapped at some column, in lower case,
with full stops that no space follows, or as the treebank has it. The tokens are those
of spaCy's tokenizer of the language; a sentence begins with its first token that is no
white space. Abbreviations and speakers of quotations are put into English text alone.
"""

import argparse
import random
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import spacy
from spacy.language import Language
from spacy.tokens import Doc, DocBin, Span
from spacy.util import get_lang_class

from spacy_gfl.languages import find_language
from spacy_gfl.tools.treebanks.formats import docbin
from spacy_gfl.tools.treebanks.inputs import read_docs

#: How pieces are written, and how many of a hundred.
STYLES = {
    "paragraph": 38,
    "tight": 14,
    "lines": 12,
    "chat": 6,
    "list": 6,
    "wrapped": 10,
    "lower": 10,
    "upper": 4,
}
MAX_SENTS = 24
BULLETS = ("- ", "* ", "• ", "– ", "+ ")
TITLES = (
    *("Dr.", "Mr.", "Mrs.", "Ms.", "Prof.", "St.", "Gen.", "Sen.", "Gov.", "Rev."),
    *(
        "Capt.",
        "Cllr.",
        "Col.",
        "Cpl.",
        "Fr.",
        "Hon.",
        "Insp.",
        "Lt.",
        "Maj.",
        "Messrs.",
    ),
    *("Mme.", "Mt.", "Ft.", "Rep.", "Sgt.", "Sr.", "Supt.", "Lt. Col.", "Asst. Prof."),
)
INITIALS = ("J.", "A.", "M. L.", "J. R. R.", "George W.", "E.", "C.")
NUMBERED = ("No.", "Fig.", "Figs.", "p.", "pp.", "vol.", "approx.", "ca.", "sec.")
ASIDES = ("e.g.", "i.e.", "cf.", "esp.", "viz.")
PLACES = ("U.S.", "U.K.", "U.N.", "Washington, D.C.")
LAST_WORDS = (
    *("etc.", "et al.", "a.m.", "p.m.", "Inc.", "Ltd.", "Jr.", "U.S.", "Ph.D."),
    *("p.r.n.", "Co.", "Corp.", "Ave.", "Rd."),
)
#: What stands at the end of messages.
EMOJI = ("😂", "😂😂", "❤️", "👍🏽", "🎉", "😩", "✈️", "#travel", "#monday #work", ":)")
#: How a message begins: a time, a name, or both.
PREFIXES = ("[10:{:02}] {}: ", "10:{:02} <{}> ", "({1}) ", "{1}: ", "{1}: ", "{1} - ")
NAMES = ("ben", "Kim", "Anna R.", "lena_k", "MR. HILL", "Q", "A", "Speaker 2")
#: Who says a quotation in the same sentence, how, and what follows.
SPEAKERS = ("he", "she", "they", "Anna", "Mr. Hill", "the old man", "a girl behind me")
SAYING = ("said", "asked", "cried", "whispered", "shouted", "replied", "wondered")
MANNERS = ("", "", " again", ", smiling", " and left", " as the door opened")
#: White space inside sentences, beside the one space between words.
SPACES = ("  ", "  ", "   ", "\u00a0", "\u00a0", "\u202f", "\u2009", "\t")
FINAL = re.compile(r"[.!?…]+$")
#: What English tokenization parts where a space is missing.
TIGHT_LEFT, TIGHT_RIGHT = re.compile(r"[a-z]\.$"), re.compile(r"[A-Z]")


@dataclass
class Piece:
    """A text, and where its sentences begin, in characters."""

    text: str = ""
    starts: tuple[int, ...] = ()

    def add(self, sentence: str, separator: str) -> None:
        self.text += separator if self.starts else ""
        self.starts = (*self.starts, len(self.text))
        self.text += sentence


class Writer:
    """Writes documents in styles chosen at random.

    Args:
        seed: The same seed gives the same texts.
        abbreviations: Whether to put English abbreviations and speakers of quotations
            into sentences.
    """

    def __init__(self, seed: int, abbreviations: bool = True) -> None:
        self.random = random.Random(seed)
        self.abbreviations = abbreviations

    def pieces(self, sents: list[Span]) -> Iterator[Piece]:
        """Sentences cut into pieces of some, each in a style of its own."""
        at = 0
        while at < len(sents):
            n = self.random.choice((1, 2, 3, 5, 8, 12, 16, MAX_SENTS))
            [style] = self.random.choices(list(STYLES), list(STYLES.values()))
            yield self.piece(sents[at : at + n], style)
            at += n

    def piece(self, sents: list[Span], style: str) -> Piece:
        """Sentences as one text in a style of `STYLES`."""
        curly = self._happens(0.3)
        texts = [self._sentence(sent, curly) for sent in sents]
        texts = [text for text in texts if text]
        if style == "lower":
            texts = [text.lower() for text in texts]
        elif style == "upper":
            texts = [text.upper() for text in texts]
        piece = Piece()
        bare = (
            self.random.choice((0.0, 0.3, 1.0))
            if style in ("lines", "list", "chat")
            else 0
        )
        line = self.random.choice(("\n", "\n", "\n\n", "\r\n", " \n"))
        bullet = self.random.choice((*BULLETS, "{}. ", "{}) ", "({}) "))
        prefix = self.random.choice(PREFIXES)
        for i, text in enumerate(texts):
            if self._happens(bare):
                text = FINAL.sub("", text).rstrip() or text
            if i == 0 and len(texts) > 1 and self._happens(0.08):
                piece.add(self._heading(text), "")
                continue
            previous = piece.text[-2:]
            if style in ("lines", "chat", "lower") and self._happens(0.1):
                text = f"{text} {self.random.choice(EMOJI)}"
            if style == "list":
                piece.add(bullet.format(i + 1) + text, line)
            elif style == "chat":
                name = self.random.choice(NAMES)
                piece.add(prefix.format(i % 60, name) + text, line)
            elif style == "lines":
                piece.add(text, line)
            elif not FINAL.search(piece.text.rstrip("\"”')]")):
                # In running text, what has no full stop stands on its own line.
                newline = self.random.choice(("\n", "\n\n"))
                piece.add(text, newline if self._happens(0.7) else " ")
            elif (
                style == "tight"
                and TIGHT_LEFT.search(previous)
                and TIGHT_RIGHT.match(text)
                and self._happens(0.6)
            ):
                piece.add(text, "")
            else:
                [separator] = self.random.choices(
                    (" ", "  ", "\n", "\n\n", "\u00a0"), (84, 6, 4, 4, 2)
                )
                piece.add(text, separator)
        if style == "wrapped":
            piece.text = self._wrap(piece.text, self.random.randrange(30, 90))
        return piece

    def _happens(self, probability: float) -> bool:
        return self.random.random() < probability

    def _heading(self, text: str) -> str:
        words = FINAL.sub("", text).split()[: self.random.randrange(2, 9)]
        heading = " ".join(words)
        return self.random.choice((heading, heading.title(), heading.upper())) + "\n"

    def _wrap(self, text: str, column: int) -> str:
        """Break lines where spaces are; the text keeps its length."""
        characters, begin, space = list(text), 0, -1
        for i, character in enumerate(text):
            if character == "\n":
                begin, space = i + 1, -1
            elif character == " ":
                space = i
            if i - begin >= column and space >= 0:
                characters[space], begin, space = "\n", space + 1, -1
        return "".join(characters)

    def _sentence(self, sent: Span, curly: bool) -> str:
        words = [(token.text, token.whitespace_) for token in sent]
        if self.abbreviations:
            words = list(self._with_abbreviations(words, [t.tag_ for t in sent]))
        text = "".join(word + space for word, space in words).strip()
        text = text.replace("``", '"').replace("''", '"')
        if self._happens(0.02):
            text = FINAL.sub(
                self.random.choice(("!", "?", "...", "…", "!!", "?!")), text
            )
        if self.abbreviations and self._happens(0.03) and FINAL.search(text):
            last = self.random.choice(LAST_WORDS)
            text = f"{FINAL.sub('', text).rstrip()}, {last}"
        if '"' not in text and FINAL.search(text) and self._happens(0.08):
            pattern = self.random.choice(('"{}"', '"{}"', "({})", "'{}'", "[{}]"))
            if self.abbreviations and pattern[0] in "\"'" and self._happens(0.6):
                text = self._spoken(text, pattern)
            else:
                text = pattern.format(text)
        if self._happens(0.12):
            text = self._respaced(text)
        return _curl(text) if curly else text

    def _spoken(self, text: str, pattern: str) -> str:
        """A sentence as what somebody says: `"Who is it?" asked Anna, smiling.`"""
        speaker, saying = self.random.choice(SPEAKERS), self.random.choice(SAYING)
        manner = self.random.choice(MANNERS)
        if text.endswith("."):
            text = FINAL.sub(self.random.choice((",", "?", "!")), text)
        quotation = pattern.format(text)
        if manner and self._happens(0.2):
            first = f"{speaker[0].upper()}{speaker[1:]} {saying}"
            return f"{first}, {quotation}{manner.lstrip(',')}."
        order = self.random.choice((f"{speaker} {saying}", f"{saying} {speaker}"))
        return f"{quotation} {order}{manner}."

    def _respaced(self, text: str) -> str:
        """Write some of the spaces of a sentence as other white space."""
        other, share = self.random.choice(SPACES), self.random.choice((0.1, 0.3, 1.0))
        first, *words = text.split(" ")
        spaced = ((other if self._happens(share) else " ") + word for word in words)
        return first + "".join(spaced)

    def _with_abbreviations(
        self, words: list[tuple[str, str]], tags: list[str]
    ) -> Iterator[tuple[str, str]]:
        """Words and the spaces after them, with abbreviations between them."""
        for i, (word, tag) in enumerate(zip(words, tags, strict=True)):
            spaced = i > 0 and words[i - 1][1] == " "
            if tag == "NNP" and tags[i - 1] != "NNP" and (i == 0 or spaced):
                if self._happens(0.06):
                    yield self.random.choice(TITLES), " "
                elif self._happens(0.04):
                    yield self.random.choice(INITIALS), " "
                elif spaced and i + 1 < len(tags) and self._happens(0.03):
                    yield self.random.choice(PLACES), word[1]
                    continue
            elif tag == "CD" and spaced and self._happens(0.04):
                yield self.random.choice(NUMBERED), " "
            elif tag in ("DT", "NNS") and spaced and self._happens(0.01):
                yield self.random.choice(ASIDES), " "
            elif tag in ("VBD", "VBP", "VBZ", "MD") and spaced and self._happens(0.01):
                yield self.random.choice(LAST_WORDS), " "
            yield word


def _curl(text: str) -> str:
    text = re.sub(r'(^|[\s(\[])"', r"\1“", text).replace('"', "”")
    return text.replace("'", "’")


def as_treebank(doc: Doc) -> Piece:
    """A whole document as the treebank has it: one line, a space after sentences."""
    piece = Piece()
    for sent in doc.sents:
        text = sent.text.replace("``", '"').replace("''", '"')
        piece.add(text, " ")
    return piece


def read_lines(path: Path) -> Iterator[Piece]:
    r"""Texts written by hand, with a blank line between them.

    A line is a sentence; a space follows it unless it ends in a line break, written
    \n, or in |, which stands for nothing.
    """
    for block in path.read_text(encoding="utf-8").strip().split("\n\n"):
        piece, separator = Piece(), ""
        for line in block.splitlines():
            body = line.replace("\\n", "\n")
            sentence = body.rstrip("\n|")
            piece.add(sentence, separator)
            separator = body[len(sentence) :].strip("|") if body != sentence else " "
        yield piece


def to_doc(nlp: Language, piece: Piece) -> Doc:
    """Tokens and sentence starts of a text."""
    doc = nlp.make_doc(piece.text)
    starts = set()
    for begin in piece.starts:
        # A boundary inside a token is lost, as it is for the splitter.
        token = next((t for t in doc if t.idx >= begin and not t.is_space), None)
        if token is not None and not piece.text[begin : token.idx].strip():
            starts.add(token.i)
    for token in doc:
        token.is_sent_start = token.i in starts or token.i == 0
    return doc


def pieces(
    docs: Iterable[Doc], copies: int, seed: int, abbreviations: bool = True
) -> Iterator[Piece]:
    """All documents in all their versions.

    Args:
        docs: One per document or, all of them, one per sentence, with tags.
        copies: Versions per document; 0: as the treebank has it.
        seed: The same seed gives the same texts.
        abbreviations: Whether to put English abbreviations into sentences.
    """
    writer, docs = Writer(seed, abbreviations), list(docs)
    if not copies:
        yield from map(as_treebank, docs)
    # Docs of single sentences, in the order of their texts, are read as one text.
    are_single = all(len(list(doc.sents)) == 1 for doc in docs)
    for text in [docs] if are_single else [[doc] for doc in docs]:
        sents = [sent for doc in text for sent in doc.sents]
        for _ in range(copies):
            yield from writer.pieces(sents)


def tokenizer_of(lang: str) -> Language:
    """A pipeline with the words of a language, or those that most languages share."""
    try:
        words = get_lang_class(lang).default_config["nlp"]["tokenizer"]
    except ImportError:
        return spacy.blank("xx")
    settings = {**words, **find_language(lang).tokenizer}
    return spacy.blank(lang, config={"nlp": {"tokenizer": settings}})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "paths",
        type=Path,
        nargs="+",
        metavar="IN... OUT",
        help=".spacy files of whole documents (`spacy-gfl convert --n-sents 0`) or "
        ".txt files of sentences written by hand, or folders of .spacy files that are "
        "named for their languages; last the .spacy file to write",
    )
    parser.add_argument(
        "--copies", type=int, default=1, help="versions per document; 0: as it is"
    )
    parser.add_argument(
        "--lines",
        action="store_true",
        help="a .txt file is a text of a sentence per line, to be written in styles",
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--lang", default="en", help="the language's code")
    parser.add_argument(
        "--limit", type=int, help="read so many Docs of a .spacy file", default=None
    )
    arguments = parser.parse_args()
    *given, output = arguments.paths
    inputs = [
        (file.stem.partition("-")[0] if path.is_dir() else arguments.lang, file)
        for path in given
        for file in (sorted(path.glob("*.spacy")) if path.is_dir() else [path])
    ]
    made = []
    for lang, path in inputs:
        nlp, is_english = tokenizer_of(lang), lang == "en"
        if path.suffix == ".txt" and not arguments.lines:
            found = read_lines(path)
        else:
            if path.suffix == ".txt":
                docs = read_docs(nlp, path, "sentences")
            else:
                docs = docbin.read(path, nlp.vocab, need_trees=False)
            docs = islice(docs, arguments.limit)
            found = pieces(docs, arguments.copies, arguments.seed, is_english)
        made.extend(to_doc(nlp, piece) for piece in found)
    output.parent.mkdir(parents=True, exist_ok=True)
    DocBin(docs=made, attrs=["SENT_START"]).to_disk(output)
    n_sents = sum(1 for doc in made for _ in doc.sents)
    print(f"{output}: {len(made)} Docs, {n_sents} sentences")


if __name__ == "__main__":
    main()
