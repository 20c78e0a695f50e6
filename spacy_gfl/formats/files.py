"""Files of all formats: lines, places of errors, and writing a file as a whole."""

import errno
import os
import shutil
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path

from spacy.tokens import Doc

from spacy_gfl.trees.tree import TreeError

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

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


def read_lines(
    path: str | Path | None, *, as_is: bool = False, encoding: str = "utf-8"
) -> Iterator[str]:
    r"""The lines of a text file, one at a time, each with its `\n`.

    Args:
        path: The file; None for standard input.
        as_is: Keep a byte order mark, and `\r\n`, so that offsets are the file's.
        encoding: A name that Python knows, of one that writes ASCII as it is.

    Raises:
        OSError: If the file cannot be read.
        FormatError: For a line that is not of this encoding.
        ValueError: If the file is compressed, or standard input closed.
    """
    refuse_compressed(path)
    if path is None and sys.stdin is None:
        raise ValueError("Standard input is closed; name a file.")
    with (
        nullcontext(sys.stdin.buffer) if path is None else Path(path).open("rb")
    ) as file:
        has_mark = encoding == "utf-8" and not as_is
        for number, line in enumerate(file, start=1):
            try:
                text = line.decode(
                    "utf-8-sig" if has_mark and number == 1 else encoding
                )
            except UnicodeDecodeError as error:
                reason = f"this is not {encoding.upper()} text: {error.reason}"
                raise FormatError(source_name(path), number, reason) from None
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
def locked(path: str | Path) -> Iterator[None]:
    """Hold the name of a file or folder, so that no other program writes it meanwhile.

    Who holds it has an empty file beside it locked, which is deleted at the end. A
    process that ends holds nothing any more, however it ends.

    Raises:
        OSError: If no file can be made there.
        ValueError: If somebody else holds the name.
    """
    target = Path(os.path.realpath(path))
    lock = _hidden(target, ".lock")
    while True:
        held = os.open(lock, os.O_CREAT | os.O_RDWR)
        try:
            if not _lock(held):
                raise ValueError(
                    f"{path} is being written by another program: wait until it has "
                    "ended, or name another file."
                )
            # The one before may have deleted the file that was opened.
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(held), lock.stat()):
                    break
        except BaseException:
            os.close(held)
            raise
        os.close(held)
    try:
        yield
    finally:
        # Windows deletes no open file; there it stays, and does no harm.
        with suppress(OSError):
            lock.unlink()
        os.close(held)


@contextmanager
def beside(path: str | Path) -> Iterator[Path]:
    """A path to write a file or folder to, which becomes `path` once all is written.

    An error on the way leaves what was at `path` as it was; of two programs that write
    it at once the second is refused. A folder replaces none but an empty one. Devices
    and pipes are written to as they are, and so is a file in a folder that takes no
    others. What a killed writer of `path` left behind goes with the next one.

    Raises:
        OSError: If the file or folder cannot be written.
        ValueError: If another program is writing it.
    """
    path = Path(path)
    target = Path(os.path.realpath(path))
    # Of a pipe behind /dev/stdout, the real path is none.
    exists = path.exists()
    if exists and not os.access(path, os.W_OK):
        raise PermissionError(13, "Permission denied", str(path))
    is_replaced = path.is_file() and os.access(target.parent, os.W_OK)
    if exists and not (path.is_dir() or is_replaced):
        yield path
        return
    new = _hidden(target, ".part")
    try:
        with locked(path):
            _remove(new)
            try:
                yield new
                if exists:
                    shutil.copymode(target, new)
                new.replace(target)
            finally:
                _remove(new)
    except OSError as error:
        # The error of a full disk names no file.
        is_ours = str(error.filename).startswith(str(_hidden(target, "")))
        if is_ours or error.errno in NO_SPACE:
            error.filename = str(path)
        raise


def _hidden(target: Path, ending: str) -> Path:
    """A hidden name beside a file, which is not too long where the file's is not."""
    name = target.name
    return target.with_name(f".{name[:50]}-{zlib.crc32(os.fsencode(name)):08x}{ending}")


def _lock(file: int) -> bool:
    """Lock an open file for this process; False if somebody else has locked it."""
    try:
        if sys.platform == "win32":
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        # Some network's disks know no locks.
        return error.errno not in (errno.EACCES, errno.EAGAIN, errno.EDEADLK)
    return True


def _remove(path: Path) -> None:
    """Delete a file or folder, if it is there."""
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def write_text(path: str | Path, parts: Iterable[str]) -> None:
    """Write a UTF-8 file, which changes only once all of it is written."""
    with beside(path) as new, new.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(parts)


def as_docs(docs: Iterable[Doc] | Doc) -> Iterable[Doc]:
    """Docs as they are, and one Doc, which would be read as its tokens, in a list."""
    return [docs] if isinstance(docs, Doc) else docs
