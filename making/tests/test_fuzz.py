"""The seeds of fuzzing, and a few mutations of each. Fuzzing itself takes hours:

python making/fuzz/fuzz.py TARGET -max_total_time=1800
"""

from importlib import import_module
from random import Random

import pytest
from helpers.reading import ROOT

FUZZ = ROOT / "making" / "fuzz"


@pytest.fixture(scope="module")
def targets():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(FUZZ)
        return import_module("targets").TARGETS


def mutated(data: bytes, random: Random) -> bytes:
    """The bytes with one to four changed, or a piece left out or repeated."""
    changed = bytearray(data)
    for _ in range(random.randint(1, 4)):
        changed[random.randrange(len(changed))] = random.randrange(256)
    start, end = sorted(random.randrange(len(changed)) for _ in "12")
    return bytes(random.choice([changed, changed[end:], changed + changed[start:end]]))


@pytest.mark.parametrize(
    "name", sorted(path.name for path in (FUZZ / "seeds").iterdir())
)
def test_seeds_and_their_mutations_raise_no_error_of_others(targets, name):
    random = Random(0)
    for path in sorted((FUZZ / "seeds" / name).iterdir()):
        targets[name](path.read_bytes())
        for _ in range(25):
            targets[name](mutated(path.read_bytes(), random))


def test_every_target_has_seeds(targets):
    assert sorted(targets) == sorted(path.name for path in (FUZZ / "seeds").iterdir())
