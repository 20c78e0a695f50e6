"""Which files make a treebank, and which of its documents make a split."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from spacy_gfl.formats.files import read_lines

DOCBIN_SUFFIX = ".spacy"
#: Endings of bracket files; those of .txt are looked into first.
BRACKET_SUFFIXES = frozenset(
    {".ptb", ".mrg", ".tree", ".trees", ".parse", ".brackets", ".txt"}
)
_HEADING = re.compile(r"#+\s*(\S.*?)\s*#*")
_BULLET = re.compile(r"[*+-]\s+`?(\S.*?)`?")
_GENRE = re.compile(r"[^\W_]+_([^\W_]+)_.+")


def treebank_files(path: Path, *, docbins: bool = False) -> list[Path]:
    """The treebank files at a path, sorted by name.

    A file is taken whatever its name. Of a folder, it is every bracket file in it and
    in the folders below it, except hidden ones, and with `docbins` .spacy files too. A
    .txt file in a folder counts if its first character is an opening bracket, so that
    licences and lists of names do not.

    Raises:
        FileNotFoundError: Where there is nothing at the path.
        ValueError: For a folder without such files.
    """
    if not path.exists():
        raise FileNotFoundError(f"There is no treebank at {path}.")
    if not path.is_dir():
        return [path]
    endings = BRACKET_SUFFIXES | ({DOCBIN_SUFFIX} if docbins else set())
    files = [
        file
        for file in sorted(path.rglob("*"))
        if file.suffix.lower() in endings
        and not any(part.startswith(".") for part in file.relative_to(path).parts)
        and file.is_file()
        and (file.suffix.lower() != ".txt" or _begins_with_bracket(file))
    ]
    if not files:
        raise ValueError(
            f"The folder {path} has no treebank files: none whose name ends in "
            f"{', '.join(sorted(endings))}."
        )
    return files


def _begins_with_bracket(file: Path) -> bool:
    with file.open(encoding="utf-8-sig", errors="replace") as lines:
        return next((s[0] for s in map(str.strip, lines) if s), "") == "("


def read_ids(path: Path) -> list[str]:
    """The document names in a file that has one a line (CRAFT's `ids`).

    Empty lines and lines that begin with # are skipped.

    Raises:
        OSError: If the file cannot be read.
        ValueError: If it has no names.
    """
    lines = map(str.strip, read_lines(path))
    ids = [line for line in lines if line and not line.startswith("#")]
    if not ids:
        raise ValueError(f"{path} names no documents; it should have one a line.")
    return ids


def read_split(path: Path, split: str) -> list[str]:
    """The document names of a split in a Markdown file (GUM's `splits.md`).

    A heading (`## train`) names a split, the items of the lists under it
    (`* GUM_academic_art`) its documents.

    Raises:
        OSError: If the file cannot be read.
        ValueError: If it has no splits, or not this one; those that it has are named.
    """
    splits: dict[str, list[str]] = {}
    name = None
    for line in map(str.strip, read_lines(path)):
        if heading := _HEADING.fullmatch(line):
            name = heading[1]
        elif name is not None and (item := _BULLET.fullmatch(line)):
            splits.setdefault(name, []).append(item[1])
    if not splits:
        raise ValueError(
            f"{path} has no splits; it should have headings (## train) with lists "
            "of document names under them."
        )
    if split not in splits:
        raise ValueError(
            f'{path} has no split "{split}"; it has {", ".join(sorted(splits))}.'
        )
    return splits[split]


def genre(name: str) -> str | None:
    """The genre in a document's name, as GUM gives it, or None without one.

    `GUM_academic_art` is academic; `11532192` has none.
    """
    match = _GENRE.fullmatch(name)
    return match[1] if match else None


@dataclass(frozen=True)
class Selection:
    """Which documents of a treebank are wanted; every one by default.

    Attributes:
        ids: Names of documents: file names with or without their ending.
        genres: Take only documents of these genres, none without a genre.
        without_genres: Leave out documents of these genres.
    """

    ids: frozenset[str] | None = None
    genres: frozenset[str] = frozenset()
    without_genres: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return self != Selection()

    def select(self, files: Iterable[Path]) -> list[Path]:
        """The files of the documents wanted, in the order given."""
        return [
            file
            for file in files
            if (self.ids is None or self.ids & {file.stem, file.name})
            and (not self.genres or genre(file.stem) in self.genres)
            and genre(file.stem) not in self.without_genres
        ]

    def missing(self, files: Iterable[Path]) -> list[str]:
        """The ids that none of these files has, sorted."""
        have = {name for file in files for name in (file.stem, file.name)}
        return sorted((self.ids or frozenset()) - have)
