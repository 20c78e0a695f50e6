"""Writing a file as a whole: it appears, or changes, once all of it is on the disk."""

import errno
import os
import shutil
import sys
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

#: What writing raises where no more fits: the disk, the user's share, the limit.
NO_SPACE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
#: Opening a link fails; Windows has no such flag.
_NO_LINK = getattr(os, "O_NOFOLLOW", 0)


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
        # Somebody else may have put a link there, in a folder that all may write.
        try:
            held = os.open(lock, os.O_CREAT | os.O_RDWR | _NO_LINK, 0o666)
        except OSError as error:
            if lock.is_symlink():
                raise ValueError(f"{lock} is a link. Delete it.") from error
            raise
        try:
            if not _lock(held):
                raise ValueError(
                    f"Another program is writing {path}. Wait until it ends, or "
                    "name another file."
                )
            # The one before may have deleted the file that was opened.
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(held), lock.stat()):
                    break
        except BaseException:
            os.close(held)
            raise
        os.close(held)
    _held.add(held)
    try:
        yield
    finally:
        # Windows deletes no open file; there it stays, and does no harm.
        with suppress(OSError):
            lock.unlink()
        if held in _held:
            _held.remove(held)
            os.close(held)


#: The open files that are locked. A process that is forked has them open too, and a
#: lock would outlive the one that took it.
_held: set[int] = set()


def _let_go() -> None:
    """Close in a forked process what its parent has locked, which stays locked."""
    while _held:
        with suppress(OSError):
            os.close(_held.pop())


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_let_go)


@contextmanager
def beside(path: str | Path) -> Iterator[Path]:
    """A path to write a file or folder to, which becomes `path` once all is written.

    An error on the way leaves what was at `path` as it was; of two programs that write
    it at once the second is refused. What has been written is on the disk before it
    takes the name, so that a failure of power leaves the old file or the new one. A
    folder replaces none but an empty one. Devices and pipes are written to as they are,
    and so is a file in a folder that takes no others. What a killed writer of `path`
    left behind goes with the next one.

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
    # A folder that nobody else may put links into.
    folder = _hidden(target, ".part")
    new = folder / target.name
    try:
        if exists and not (path.is_dir() or is_replaced):
            yield path
            return
        with locked(path):
            _remove(folder)
            folder.mkdir(0o700)
            try:
                yield new
                if exists:
                    shutil.copymode(target, new)
                _sync(new)
                new.replace(target)
            finally:
                _remove(folder)
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


def _sync(path: Path) -> None:
    """Wait until a file, or the files of a folder, are on the disk."""
    files = (
        [path] if path.is_file() else [one for one in path.rglob("*") if one.is_file()]
    )
    for file in files:
        # Some disks of networks have no such thing.
        with suppress(OSError):
            opened = os.open(file, os.O_RDWR)
            try:
                os.fsync(opened)
            finally:
                os.close(opened)


def _remove(path: Path) -> None:
    """Delete a file, link or folder, if it is there."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def write_text(path: str | Path, parts: Iterable[str]) -> None:
    """Write a UTF-8 file, which changes only once all of it is written."""
    with beside(path) as new, new.open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(parts)
