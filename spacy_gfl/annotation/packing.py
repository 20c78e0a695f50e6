"""How spaCy packs Docs, made fast."""

from srsly.msgpack import msgpack_decoders, msgpack_encoders


def ask_for_packers_once() -> None:
    """Have srsly ask the installed packages once how they pack, and not again.

    Whenever spaCy packs or unpacks a Doc or one of its span groups, srsly looks through
    the entry points of all packages, which takes half of the time that a DocBin
    needs. Installed packages do not change while a program runs.
    """
    for registry in (msgpack_encoders, msgpack_decoders):
        found = registry.get_entry_points()
        registry.entry_points = False
        for name, packer in found.items():
            if name not in registry:
                registry.register(name, func=packer)
