"""Long work in parts: a folder of .spacy files that grows, and is whole at any time."""

import hashlib
import json
import shutil
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import compress
from pathlib import Path
from typing import Any

from spacy.tokens import Doc
from spacy.util import get_package_path, is_package
from spacy.vocab import Vocab

from spacy_gfl.data.inputs import DOCBIN_SUFFIX
from spacy_gfl.formats import WRITERS, docbin
from spacy_gfl.formats.files import write_text

#: Words of a shard: what an end costs is the work on one, some seconds to a minute.
SHARD_WORDS = 50_000
_SETTINGS = "settings.json"


def shards(docs: Iterable[Doc]) -> Iterator[list[Doc]]:
    """Docs in lists of SHARD_WORDS tokens; the last has fewer, no Doc is parted."""
    shard: list[Doc] = []
    size = 0
    for doc in docs:
        shard.append(doc)
        size += len(doc)
        if size >= SHARD_WORDS:
            yield shard
            shard, size = [], 0
    if shard:
        yield shard


def fingerprint(name: str | Path) -> str:
    """The checksum of a file, of all files of a folder, or of a pipeline's package."""
    is_named = is_package(str(name))
    path = get_package_path(str(name)) if is_named else Path(name)
    # Python writes its cache when a package is first imported.
    files = [file for file in path.rglob("*") if "__pycache__" not in file.parts]
    found = hashlib.blake2b(digest_size=16)
    for file in [path, *sorted(files)]:
        if file.is_file():
            found.update(f"{file.relative_to(path).as_posix()}\0".encode())
            with file.open("rb") as content:
                while block := content.read(1 << 20):
                    found.update(block)
    return found.hexdigest()


class ShardFolder:
    """A folder of shards, a sentence a Doc, and of what became of other sentences.

    A shard is there once its record is, which is written last. Shards stand
    in the order of their names.

    Args:
        path: The folder; it is made once there is a shard.
        settings: What shards depend on, as plain data.

    Raises:
        OSError: If the folder cannot be read.
        ValueError: If what is in it was made with other settings.
    """

    def __init__(self, path: Path, settings: dict[str, Any]) -> None:
        self.path = path
        self._settings = settings
        if not self._shards():
            return
        before = json.loads((path / _SETTINGS).read_text(encoding="utf-8"))
        if changed := [name for name in settings if settings[name] != before.get(name)]:
            raise ValueError(
                f"{path} was begun with other settings or files "
                f"({', '.join(changed)}): give them again to go on with it, or delete "
                "it to begin anew."
            )

    def __contains__(self, name: str) -> bool:
        return (self.path / f"{name}.json").exists()

    def write(
        self, name: str, docs: Sequence[Doc], fates: dict[str, list[int]]
    ) -> None:
        """Write a shard, or replace it; its name says where it belongs.

        `fates` are the words of each sentence by its fate; the Docs were "kept".
        """
        self.path.mkdir(parents=True, exist_ok=True)
        if not self._shards():
            write_text(self.path / _SETTINGS, [json.dumps(self._settings, indent=1)])
        docbin.write(self.path / f"{name}{DOCBIN_SUFFIX}", docs)
        write_text(self.path / f"{name}.json", [json.dumps(fates)])

    def fates(self, name: str = "*") -> dict[str, list[int]]:
        """The words of the sentences of a shard, or of all, by their fates."""
        fates: defaultdict[str, list[int]] = defaultdict(list)
        for path in self._shards(name):
            record = path.with_suffix(".json").read_text(encoding="utf-8")
            for fate, lengths in json.loads(record).items():
                fates[fate] += lengths
        return fates

    def join(self, output: Path, chosen: Iterable[bool]) -> None:
        """Write the chosen Docs, and delete the folder of shards.

        Args:
            output: A file whose ending is one of WRITERS, or else a folder, which must
                not exist and gets a file for each shard that has chosen Docs.
            chosen: For each Doc of all shards whether it is written.
        """
        left, vocab = iter(chosen), Vocab()
        parts = (
            (path.name, compress(docbin.read(path, vocab), left))
            for path in self._shards()
        )
        if writer := WRITERS.get(output.suffix.lower()):
            writer(output, (doc for _, docs in parts for doc in docs))
        else:
            joined = self.path / "joined"
            shutil.rmtree(joined, ignore_errors=True)
            joined.mkdir(parents=True)
            for name, docs in parts:
                if kept := list(docs):
                    docbin.write(joined / name, kept)
            joined.replace(output)
        shutil.rmtree(self.path, ignore_errors=True)

    def _shards(self, name: str = "*") -> list[Path]:
        paths = sorted(self.path.glob(f"{name}{DOCBIN_SUFFIX}"))
        return [path for path in paths if path.stem in self]
