"""Files of all formats: their lines, and the places of errors."""

import codecs
import gzip
import io
import json
import os
import sys
import zlib
from collections.abc import Generator, Iterable, Iterator
from contextlib import (
    AbstractContextManager,
    closing,
    nullcontext,
)
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, AnyStr

from spacy.tokens import Doc

from spacy_gfl.data.docbins import PACKED
from spacy_gfl.trees.brackets import check_text
from spacy_gfl.trees.tree import TreeError

#: Endings of packed files that are refused.
COMPRESSED = frozenset({".bz2", ".xz", ".zst", ".zip"})
# How files of gzip, zip, bzip2, xz and zstd begin, whatever their names.
_COMPRESSED_BEGINNINGS = (
    b"\x1f\x8b",
    b"PK\3\4",
    b"BZh91AY",
    b"\xfd7zXZ",
    b"(\xb5/\xfd",
)
UTF_8 = "utf-8"
# What ends a line for some readers, though not in JSON, which escapes the others.
_LINE_ENDS = {ord(c): f"\\u{ord(c):04x}" for c in "\x85\u2028\u2029"}
#: A line of a packed file is so many times the file at most, or so many bytes: text
#: becomes a tenth, and zeros a thousandth.
_MOST_UNPACKED, _SHORT_LINE = 100, 1_000_000


@dataclass(eq=False)
class FormatError(TreeError):
    """A line that is not in the format it should be in.

    Attributes:
        source: Name of the file or stream.
        line: The line's number, from 1.
        explanation: What is wrong with it.
    """

    source: str
    line: int
    explanation: str

    def __str__(self) -> str:
        return f"{self.source}:{self.line}: {self.explanation}"


def read_lines(
    path: str | Path | None, *, as_is: bool = False, encoding: str = UTF_8
) -> Iterator[str]:
    r"""The lines of a text file, one at a time, each with its `\n`.

    Lines end in `\n` or `\r\n`; in a file without `\n`, as of old Macs, in `\r`. A byte
    order mark at the beginning of a line, as where files were joined, is left out.

    Args:
        path: The file, which is unpacked if its name ends in .gz; None for standard
            input.
        as_is: Keep byte order marks, and `\r`, so that offsets are the file's.
        encoding: What Python calls the encoding.

    Raises:
        OSError: If the file cannot be read.
        FormatError: For a line that is not of the encoding.
        ValueError: If there is no such encoding, the file is compressed otherwise or
            damaged, or standard input is closed.
    """
    if path is None and sys.stdin is None:
        raise ValueError("Standard input is closed; name a file.")
    name = source_name(path)
    number = 0
    try:
        limit = _longest_line(path)
        with _opened(path) as file, closing(_decoded(file, encoding, limit)) as decoded:
            for text in decoded:
                number += 1
                if as_is:
                    yield text
                    continue
                text = text.removeprefix("\ufeff")
                if number == 1 and not text.endswith("\n"):
                    yield from io.StringIO(text, newline=None)
                else:
                    yield text[:-2] + "\n" if text.endswith("\r\n") else text
    except UnicodeError as error:
        reason = error.reason if isinstance(error, UnicodeDecodeError) else str(error)
        raise FormatError(name, number + 1, reason) from None
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise FormatError(name, number + 1, f"damaged .gz file: {error}") from None
    except LookupError:
        raise ValueError(f"There is no encoding {encoding!r}.") from None


def _opened(path: str | Path | None) -> AbstractContextManager[Any]:
    if path is None:
        return nullcontext(sys.stdin.buffer)
    refuse_compressed(path)
    if Path(path).suffix.lower() == PACKED:
        return gzip.open(path, "rb")
    return Path(path).open("rb")


def _longest_line(path: str | Path | None) -> int:
    """How many bytes or characters a line of a file may have; -1 without an end."""
    if path is None or Path(path).suffix.lower() != PACKED:
        return -1
    return max(_SHORT_LINE, _MOST_UNPACKED * os.stat(path).st_size)


def _decoded(file: IO[bytes], encoding: str, limit: int) -> Generator[str]:
    """The lines of a file; UnicodeError says what another encoding may be."""
    if codecs.lookup(encoding).name != UTF_8:
        # UTF-16 has line ends of two bytes.
        text = io.TextIOWrapper(file, encoding, newline="\n")
        try:
            yield from _bounded(text, limit)
        finally:
            text.detach()
        return
    # Up to the first line that is not blank, among the first characters.
    beginning, has_begun = b"", False
    for line in _bounded(file, limit):
        if not has_begun:
            beginning += line
            has_begun = not line.isspace() or len(beginning) > 8
            if beginning.startswith(_COMPRESSED_BEGINNINGS):
                raise UnicodeError("this is compressed: unpack it first")
            if other := _wide_encoding(beginning):
                message = f"this is not UTF-8 but {other}: add --encoding {other}"
                raise UnicodeError(message)
        try:
            yield line.decode(UTF_8)
        except UnicodeDecodeError as error:
            raise UnicodeError(
                f"this is not UTF-8 text: {error.reason}. Text of Western Europe "
                "may be latin-1: try --encoding latin-1"
            ) from None


def _bounded(file: IO[AnyStr], limit: int) -> Iterator[AnyStr]:
    """The lines of a file; UnicodeError for a longer one than the limit."""
    while line := file.readline(limit):
        if len(line) == limit:
            raise UnicodeError(
                f"this line has {limit:,} characters or more, so it is probably not "
                "text"
            )
        yield line


def _wide_encoding(text: bytes) -> str | None:
    """The kind of UTF-16 or UTF-32 that a file is in, by its beginning, if it is."""
    if text.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "utf-32"
    if text.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    if text.count(0) < max(1, len(text) // 3):
        return None
    # A character of UTF-32 is at most 0x10FFFF.
    if max(text[0::4]) == 0 and max(text[1::4], default=0) <= 0x10:
        return "utf-32-be"
    if max(text[3::4], default=1) == 0 and max(text[2::4]) <= 0x10:
        return "utf-32-le"
    return "utf-16-be" if text[:1] == b"\0" else "utf-16-le"


def refuse_compressed(path: str | Path | None) -> None:
    """Raise ValueError for a file that nothing unpacks, by the ending of its name."""
    if path is not None and Path(path).suffix.lower() in COMPRESSED:
        raise ValueError(
            f"{path} is compressed. Unpack it first, or compress it as .gz."
        )


def source_name(path: str | Path | None) -> str:
    """The name of a file in messages; None is standard input."""
    return "<stdin>" if path is None else str(path)


def json_text(value: Any, indent: int | None = None) -> str:
    """JSON with all characters as they are but those that end lines."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, indent=indent)
    return text.translate(_LINE_ENDS)


def lines_of(text: str) -> Iterator[str]:
    """The lines of a text, which end where those of a file do (`read_lines`)."""
    return io.StringIO(text, newline=None)


def given_lines(lines: Iterable[str] | str) -> Iterable[str]:
    """Lines as they are, and a text, which would be read by its characters, as lines.

    Raises:
        TypeError: For a path or bytes.
        TreeError: For a text that is the name of a file.
    """
    check_text(lines, lines=True)
    return lines_of(lines) if isinstance(lines, str) else lines


def as_docs(docs: Iterable[Doc] | Doc) -> Iterable[Doc]:
    """Docs as they are, and one Doc, which would be read as its tokens, in a list."""
    return [docs] if isinstance(docs, Doc) else docs
