"""How spaCy packs Docs, made fast."""

from collections.abc import Callable
from typing import Any

from catalogue import REGISTRY  # type: ignore[import-untyped]
from srsly.msgpack import msgpack_decoders, msgpack_encoders


def ask_for_packers_once() -> None:
    """Have srsly ask once how installed packages pack, and not for every value.

    Whenever spaCy packs or unpacks a Doc or one of its span groups, srsly looks through
    the entry points of all packages, and through all that any registry has, which takes
    most of the time that a DocBin needs. Installed packages do not change while a
    program runs; what a program registers itself is found.
    """
    for registry in (msgpack_encoders, msgpack_decoders):
        found = registry.get_entry_points()
        registry.entry_points = False
        for name, packer in found.items():
            if name not in registry:
                registry.register(name, func=packer)
        registry.get_all = _Kept(registry.get_all)


class _Kept:
    """What is registered, collected anew when there is more or less in registries."""

    def __init__(self, collect: Callable[[], dict[str, Any]]) -> None:
        self.collect = collect
        self.n_registered = -1
        self.found: dict[str, Any] = {}

    def __call__(self) -> dict[str, Any]:
        if len(REGISTRY) != self.n_registered:
            self.n_registered, self.found = len(REGISTRY), self.collect()
        return self.found.copy()
