"""Which files make a treebank, and which of its documents make a split."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Dict, FrozenSet, Iterable, List, Optional, Sequence, Tuple

DOCBIN_SUFFIX = ".spacy"
#: Endings of bracket files; those of .txt are looked into first.
BRACKET_SUFFIXES = frozenset(
    {".ptb", ".mrg", ".tree", ".trees", ".parse", ".brackets", ".txt"}
)
_HEADING = re.compile(r"#+\s*(\S.*?)\s*#*")
_BULLET = re.compile(r"[*+-]\s+(\S.*)")
_GENRE = re.compile(r"[^\W_]+_([^\W_]+)_.+")


def treebank_files(path: Path, *, docbins: bool = False) -> List[Path]:
    """The treebank files at a path, sorted by name.

    path: A file, which is taken whatever its name, or a folder: every bracket
        file in it and in the folders below it, except hidden ones. A .txt file
        in a folder counts if its first character is an opening bracket, so that
        licences and lists of names do not.
    docbins: Take .spacy files from a folder too.
    Raises FileNotFoundError where there is nothing at the path, and ValueError
        for a folder without such files.
    """
    if not path.exists():
        raise FileNotFoundError(f"There is no treebank at {path}.")
    if not path.is_dir():
        return [path]
    files = [
        file
        for file in sorted(path.rglob("*"))
        if not any(part.startswith(".") for part in file.relative_to(path).parts)
        and file.is_file()
        and _is_treebank_file(file, docbins)
    ]
    if not files:
        endings = sorted(BRACKET_SUFFIXES) + ([DOCBIN_SUFFIX] if docbins else [])
        raise ValueError(
            f"The folder {path} has no treebank files: none whose name ends in "
            f"{', '.join(endings)}."
        )
    return files


def _is_treebank_file(file: Path, docbins: bool) -> bool:
    suffix = file.suffix.lower()
    if suffix == DOCBIN_SUFFIX:
        return docbins
    if suffix == ".txt":
        return _begins_with_bracket(file)
    return suffix in BRACKET_SUFFIXES


def _begins_with_bracket(file: Path) -> bool:
    with file.open(encoding="utf-8-sig", errors="replace") as lines:
        for line in lines:
            if line.strip():
                return line.lstrip().startswith("(")
    return False


def read_ids(path: Path) -> List[str]:
    """The document names in a file that has one a line (CRAFT's `ids`).

    Empty lines and lines that begin with # are skipped.
    Raises OSError if the file cannot be read, ValueError if it has no names.
    """
    lines = (line.strip() for line in _read_text(path).splitlines())
    ids = [line for line in lines if line and not line.startswith("#")]
    if not ids:
        raise ValueError(f"{path} names no documents; it should have one a line.")
    return ids


def read_splits(path: Path) -> Dict[str, List[str]]:
    """The document names of each split in a Markdown file (GUM's `splits.md`).

    A heading (`## train`) names a split, the items of the lists under it
    (`* GUM_academic_art`) its documents.
    Raises OSError if the file cannot be read, ValueError if it has no splits.
    """
    splits: Dict[str, List[str]] = {}
    name: Optional[str] = None
    for line in map(str.strip, _read_text(path).splitlines()):
        heading, item = _HEADING.fullmatch(line), _BULLET.fullmatch(line)
        if heading:
            name = heading[1]
        elif item and name is not None:
            splits.setdefault(name, []).append(item[1].strip("`"))
    if not splits:
        raise ValueError(
            f"{path} has no splits; it should have headings (## train) with lists "
            "of document names under them."
        )
    return splits


def read_split(path: Path, split: str) -> List[str]:
    """The document names of one split in a Markdown file, as `read_splits`.

    Raises ValueError, which names the splits that there are, if this is not one.
    """
    splits = read_splits(path)
    if split not in splits:
        raise ValueError(
            f'{path} has no split "{split}"; it has {", ".join(sorted(splits))}.'
        )
    return splits[split]


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not UTF-8 text: {error.reason}.") from error


def genre(name: str) -> Optional[str]:
    """The genre in a document's name, as GUM gives it, or None without one.

    `GUM_academic_art` is academic; `11532192` has none.
    """
    match = _GENRE.fullmatch(name)
    return match[1] if match else None


@dataclass(frozen=True)
class Selection:
    """Which documents of a treebank are wanted; every one by default.

    ids: Names of documents: file names with or without their ending.
    genres: Take only documents of these genres, none without a genre.
    without_genres: Leave out documents of these genres.
    """

    ids: Optional[FrozenSet[str]] = None
    genres: FrozenSet[str] = frozenset()
    without_genres: FrozenSet[str] = field(default_factory=frozenset)

    def __bool__(self) -> bool:
        return self.ids is not None or bool(self.genres or self.without_genres)

    def select(self, files: Iterable[Path]) -> List[Path]:
        """The files of the documents wanted, in the order given."""
        return [file for file in files if self._wants(file)]

    def missing(self, files: Sequence[Path]) -> List[str]:
        """The ids that none of these files has, sorted."""
        if self.ids is None:
            return []
        have = {name for file in files for name in _names(file)}
        return sorted(self.ids - have)

    def _wants(self, file: Path) -> bool:
        if self.ids is not None and self.ids.isdisjoint(_names(file)):
            return False
        of = genre(file.stem)
        if self.genres and of not in self.genres:
            return False
        return of is None or of not in self.without_genres


def _names(file: Path) -> Tuple[str, str]:
    return file.stem, file.name
