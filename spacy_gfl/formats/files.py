"""Files of all formats: lines, places of errors, and writing a file as a whole."""

import errno
import glob
import os
import shutil
import sys
import time
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from spacy.tokens import Doc

from spacy_gfl.trees.tree import TreeError

#: What writing raises where no more fits: the disk, the user's share, the limit.
NO_SPACE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
#: Endings of files that nothing here unpacks.
COMPRESSED = frozenset({".gz", ".bz2", ".xz", ".zst", ".zip"})


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


def read_lines(path: str | Path | None, *, as_is: bool = False) -> Iterator[str]:
    r"""The lines of a UTF-8 file, one at a time, each with its `\n`.

    Args:
        path: The file; None for standard input.
        as_is: Keep a byte order mark, and `\r\n`, so that offsets are the file's.

    Raises:
        OSError: If the file cannot be read.
        FormatError: For a line that is not UTF-8.
        ValueError: If the file is compressed, or standard input closed.
    """
    refuse_compressed(path)
    if path is None and sys.stdin is None:
        raise ValueError("Standard input is closed; name a file.")
    with (
        nullcontext(sys.stdin.buffer) if path is None else Path(path).open("rb")
    ) as file:
        for number, line in enumerate(file, start=1):
            try:
                text = line.decode("utf-8" if as_is or number > 1 else "utf-8-sig")
            except UnicodeDecodeError as error:
                raise FormatError(
                    source_name(path), number, f"this is not UTF-8 text: {error.reason}"
                ) from None
            is_cut = text.endswith("\r\n") and not as_is
            yield text[:-2] + "\n" if is_cut else text


def refuse_compressed(path: str | Path | None) -> None:
    """Raise ValueError for a file that is compressed, by the ending of its name."""
    if path is not None and Path(path).suffix.lower() in COMPRESSED:
        raise ValueError(f"{path} is compressed: unpack it first.")


def source_name(path: str | Path | None) -> str:
    """The name of a file in messages; None is standard input."""
    return "<stdin>" if path is None else str(path)


@contextmanager
def beside(path: str | Path) -> Iterator[Path]:
    """A path to write a file or folder to, which becomes `path` once all is written.

    An error on the way leaves what was at `path` as it was. Devices and pipes are
    written to as they are, and so is a file in a folder that takes no others. What
    killed writers of `path` left behind goes a day later.

    Raises:
        OSError: If the file or folder cannot be written.
    """
    path = Path(path)
    target = Path(os.path.realpath(path))
    # Of a pipe behind /dev/stdout, the real path is none.
    exists = path.exists()
    if exists and not os.access(path, os.W_OK):
        raise PermissionError(13, "Permission denied", str(path))
    is_replaced = (
        not exists
        or path.is_dir()
        or (path.is_file() and os.access(target.parent, os.W_OK))
    )
    new = path
    if is_replaced:
        # The other name must not be too long where this one is not.
        name = f".{target.name[:50]}"
        for left in target.parent.glob(f"{glob.escape(name)}.*.part"):
            if time.time() - left.lstat().st_mtime > 24 * 60 * 60:
                _remove(left)
        new = target.with_name(f"{name}.{uuid.uuid4().hex}.part")
    try:
        yield new
        if is_replaced:
            if exists:
                shutil.copymode(target, new)
            _exchange(new, target)
    except OSError as error:
        # The error of a full disk names no file.
        if str(error.filename).startswith(str(new)) or error.errno in NO_SPACE:
            error.filename = str(path)
        raise
    finally:
        if is_replaced and new.exists():
            _remove(new)


def _exchange(new: Path, target: Path) -> None:
    """Put a file or folder in another's place."""
    if not (new.is_dir() and target.is_dir()):
        new.replace(target)
        return
    # No folder can be put over one that is not empty.
    old = new.with_suffix(".old")
    target.replace(old)
    try:
        new.replace(target)
    except OSError:
        old.replace(target)
        raise
    shutil.rmtree(old)


def _remove(path: Path) -> None:
    """Delete a file or folder."""
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()


def write_text(path: str | Path, parts: Iterable[str]) -> None:
    """Write a UTF-8 file, which changes only once all of it is written."""
    with beside(path) as new, new.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(parts)


def as_docs(docs: Iterable[Doc] | Doc) -> Iterable[Doc]:
    """Docs as they are, and one Doc, which would be read as its tokens, in a list."""
    return [docs] if isinstance(docs, Doc) else docs
