"""How the component is saved with its settings, and which settings it loads.

Settings stand in the component's `cfg`, which spaCy's base class writes beside the
model and passes to the scorer. `cfg["configured"]` has what the pipeline's config said
when the component was made. Where the config with which it is loaded says something
else, as that of `spacy.load(config=...)` does, the config wins over what is saved;
elsewhere what is saved wins, since it may have been changed by hand.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from spacy.pipeline import TrainablePipe
from typing_extensions import Self

from spacy_gfl.decoding.codec import LabelDataError
from spacy_gfl.layers.process import lacks_memory
from spacy_gfl.model.model import network_shim, vocabulary_checksum
from spacy_gfl.pipe.search_settings import SearchSettings


class _InCfg:
    """An attribute of a component that stands in its `cfg`."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, pipe: Any, owner: type) -> Any:
        return self if pipe is None else pipe.cfg[self.name]

    def __set__(self, pipe: Any, value: Any) -> None:
        pipe.cfg[self.name] = value


class SavedPipe(TrainablePipe):
    """A component that is saved with its settings."""

    codec: Any
    spans_key = _InCfg()
    predict_tags = _InCfg()

    @property
    def search(self) -> SearchSettings:
        """How trees are searched; settings in a dictionary can be assigned too.

        Raises:
            TypeError: If what is assigned is no settings.
            ValueError: If a setting does not exist, or cannot have its value.
        """
        return self._search

    @search.setter
    def search(self, settings: SearchSettings | dict[str, Any]) -> None:
        if isinstance(settings, dict):
            settings = SearchSettings(**settings)
        if not isinstance(settings, SearchSettings):
            message = f"search takes SearchSettings or a dict, not {settings!r:.50}."
            raise TypeError(message)
        self._search = settings

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Save labels, settings and network in a folder."""
        self.cfg["search"] = self.search.model_dump()
        super().to_disk(path, exclude=exclude)

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Labels, settings and network as bytes."""
        self.cfg["search"] = self.search.model_dump()
        return super().to_bytes(exclude=exclude)

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> Self:
        """Load what `to_disk` saved.

        Raises:
            ValueError: If the files are damaged, belong to another config, or were
                written by a later spacy_gfl.
        """
        with self._loading(str(path)):
            super().from_disk(path, exclude=exclude)
        return self

    def from_bytes(self, bytes_data: bytes, *, exclude: Iterable[str] = ()) -> Self:
        """Load what `to_bytes` gave.

        Raises:
            ValueError: If the data are damaged, belong to another config, or were
                made by a later spacy_gfl.
        """
        with self._loading("What is loaded"):
            super().from_bytes(bytes_data, exclude=exclude)
        return self

    @contextmanager
    def _loading(self, source: str) -> Iterator[None]:
        """Let the base class load, and settle what was saved and what is configured.

        A component that is initialised already takes all that was saved.
        """
        is_new = network_shim(self.model).network is None
        configured = self.cfg["configured"]
        self.cfg |= {"configured": None, "search": self.search.model_dump()}
        try:
            yield
            # Versions before 1.0.0 kept the config as it was saved.
            then = self.cfg["configured"] or self.cfg
            now = configured if is_new else then
            for name in ("spans_key", "predict_tags"):
                if now[name] != then[name]:
                    self.cfg[name] = now[name]
            search, before = now["search"], then["search"]
            changed = {n: v for n, v in search.items() if before.get(n) != v}
            self.search = {**self.cfg["search"], **changed}
            self._check_vocabulary()
        except LabelDataError:
            raise
        except Exception as error:
            if lacks_memory(error):
                raise
            # msgpack, zip, torch and thinc each have their own way to say so.
            raise ValueError(
                f"{source} holds no whole {self.name}: it is damaged, or the "
                "pipeline's config.cfg is not the one that it was saved with. Take "
                "another copy "
                f"of the pipeline. ({str(error) or type(error).__name__})"
            ) from error
        finally:
            self.cfg["configured"] = configured

    def _check_vocabulary(self) -> None:
        """Refuse a network that was saved with other labels or tags."""
        built_for = self.model.attrs.get("vocabulary")
        is_built = network_shim(self.model).network is not None
        if is_built and built_for != vocabulary_checksum(self.codec.to_json()):
            raise ValueError(
                "The labels and tags in cfg are not those that the network in model "
                "was built for: one of the files is another pipeline's, or was edited."
            )
