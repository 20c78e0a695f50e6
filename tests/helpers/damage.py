"""Files as a broken disk or an interrupted copy leaves them."""

import contextlib
from collections.abc import Iterator
from pathlib import Path


def damages(data: bytes, step: int = 1) -> Iterator[bytes]:
    """Contents cut after each `step` bytes, and with one bit flipped there."""
    for at in range(0, len(data), step):
        yield data[:at]
        flipped = bytearray(data)
        flipped[at] ^= 1 << at % 8
        yield bytes(flipped)


@contextlib.contextmanager
def changed_file(path: Path, content: bytes | None) -> Iterator[None]:
    """Give a file other contents for a while, or with None take it away."""
    before = path.read_bytes()
    try:
        path.unlink() if content is None else path.write_bytes(content)
        yield
    finally:
        path.write_bytes(before)
