"""Checks of what commands read and write, and the way they report errors."""

import os
import re
import sys
import warnings
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import Any

import typer
from thinc.api import ConfigValidationError

from spacy_gfl.layers.process import lacks_memory
from spacy_gfl.tools.treebanks.formats import ENDINGS, ending_of
from spacy_gfl.tools.treebanks.formats.atomic_files import NO_SPACE
from spacy_gfl.tools.treebanks.schemes import ReadingWarning, SchemeWarning
from spacy_gfl.trees.escaping import BIDI

#: Errors of a full disk that name no file; `beside` names the file it writes.
_FULL = {(number, None) for number in NO_SPACE}
# Colours, and all that a terminal obeys but white space.
_CONTROL = re.compile(
    rf"(\x1b\[[0-9;]*[mA])|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f{BIDI}]"
)
_PATH_LIKE = re.compile(rf"\S*[/{re.escape(os.sep)}]\S*")
#: What names standard input on the command line.
STDIN = "-"


class Terminal(TextIOWrapper):
    """A stream to a terminal, which obeys no words and labels but shows them."""

    def write(self, text: str) -> int:
        return super().write(
            _CONTROL.sub(lambda m: m[1] or f"\\u{ord(m[0]):04x}", text)
        )


@contextmanager
def errors_said(status: int = 1) -> Iterator[None]:
    """Say an error that users can mend in one line, and exit with this status."""
    try:
        with _warnings_said():
            yield
    except BrokenPipeError:
        leave_pipe()
        raise SystemExit(status) from None
    except Exception as error:
        if lacks_memory(error):
            say_error("There is too little memory: free some, or take less at once.")
            raise SystemExit(status) from None
        if not isinstance(error, (ImportError, OSError, ValueError)):
            raise
        if isinstance(error, OSError) and (error.errno, error.filename) in _FULL:
            error.filename = "standard output"
            leave_pipe()
        say_error(explain(error))
        raise SystemExit(status) from None


@contextmanager
def _warnings_said() -> Iterator[None]:
    """Say what is odd about what is read; of files that are alike, of the first."""
    count: Counter[type[Warning]] = Counter()
    with warnings.catch_warnings():
        warnings.simplefilter("always", ReadingWarning)
        show_other = warnings.showwarning

        def show(
            message: Any, category: type[Warning], *place: Any, **rest: Any
        ) -> None:
            if not issubclass(category, ReadingWarning):
                show_other(message, category, *place, **rest)
            elif not count[category]:
                warn(str(message))
            count[category] += 1

        warnings.showwarning = show
        try:
            yield
        finally:
            if (n := count[SchemeWarning]) > 1:
                warn(f"And so in {n - 1} more.")


def leave_pipe() -> None:
    """Write no more to standard output, whose reader or disk takes no more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def say_error(text: str) -> None:
    """Say what is wrong on standard error, in red."""
    typer.secho(f"Error: {text}", fg="red", err=True)


def warn(text: str) -> None:
    """Say something on standard error, in yellow."""
    typer.secho(text, fg="yellow", err=True)


def explain(error: Exception) -> str:
    """The message of an error, with the name of its file if it has one."""
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}."
    if isinstance(error, ConfigValidationError):
        said = ConfigValidationError.from_error(error, title="", show_config=False)
        return " ".join(said.text.split())
    return str(error)


def shown_name(path: Path) -> str:
    """The name of a file as text, with /, whatever its bytes are."""
    return path.as_posix().encode("utf-8", "backslashreplace").decode()


def check_output(
    path: Path | None,
    *,
    inputs: Iterable[Path] = (),
    endings: Collection[str] = (),
    is_folder: bool = False,
) -> None:
    """Raise what can be seen to make writing a file impossible; make its folder.

    The path None is standard output. A file that is read is not to be overwritten. The
    name may have one of some endings, or any where none are given. With `is_folder` a
    folder is to be written in place of the file.

    Raises:
        OSError: If its folder cannot be made.
        ValueError: If it cannot be written, for any other reason.
    """
    if path is None:
        return
    if path.is_dir() and not is_folder:
        raise ValueError(f"{path} is a folder; name a file to write.")
    if endings and path.suffix.lower() not in endings:
        raise ValueError(f"{path} does not end in one of {', '.join(endings)}.")
    if path.resolve() in {read.resolve() for read in inputs}:
        raise ValueError(f"{path} would be both read and written.")
    path.parent.mkdir(parents=True, exist_ok=True)
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise ValueError(f"{path} cannot be written: permission denied.")


def check_inputs(paths: Iterable[Path]) -> None:
    """Raise ValueError if a path is not one of a file to read."""
    for path in paths:
        if path.is_dir():
            raise ValueError(f"{path} is a folder; name the files in it.")
        if not path.exists():
            raise ValueError(f"There is no file {path}.")


def is_file_name(name: str) -> bool:
    """Whether an input is a file, or can only have been meant for one."""
    path = Path(name)
    # "My texts/new.txt", if there is a folder "My texts".
    is_inside = path.parent != Path() and os.path.isdir(path.parent)
    is_name = is_inside or not re.search(r"\s", name)
    has_ending = ending_of(path) in ENDINGS and is_name
    is_meant = has_ending or _PATH_LIKE.fullmatch(name) is not None
    return name != STDIN and (is_meant or os.path.exists(name))
