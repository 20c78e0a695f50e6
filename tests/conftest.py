import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

# `pytest -n auto` has a process on every core. More threads would wait for each other.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ.setdefault("OMP_NUM_THREADS", "1")

# The same few examples in every run; `--hypothesis-profile thorough` looks for others.
settings.register_profile("suite", settings.get_profile("ci"), max_examples=25)
settings.register_profile("thorough", deadline=None, max_examples=1000)
settings.load_profile("suite")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test that needs a GPU where there is none."""
    if item.get_closest_marker("gpu"):
        import torch

        if not torch.cuda.is_available():
            pytest.skip("there is no GPU")


@pytest.fixture(autouse=True)
def _same_precision(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let "auto" be single precision: processors differ least in it."""
    from spacy_gfl.layers.precision import PROCESSORS

    for name, row in PROCESSORS.items():
        same = row._replace(parsing="fp32", training="fp32")
        monkeypatch.setitem(PROCESSORS, name, same)


@pytest.fixture
def seeded() -> Iterator[None]:
    """Let PyTorch draw the same random numbers every time."""
    import torch

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        yield


@pytest.fixture
def threads() -> Iterator[Callable[[int], None]]:
    """Sets the number of PyTorch's threads, which afterwards is what it was."""
    import torch

    before = torch.get_num_threads()
    yield torch.set_num_threads
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The treebanks and EVALB's answers, beside the checkout where they exist."""
    path = Path(__file__).resolve().parents[2] / "shared"
    if not (path / "treebanks").is_dir():
        pytest.skip("the treebanks are not beside this checkout (../shared)")
    return path


@pytest.fixture(scope="session")
def data() -> Path:
    """The trees written for this project."""
    return Path(__file__).parent / "data"


@pytest.fixture(scope="session")
def installed_pipeline(tmp_path_factory: pytest.TempPathFactory, data: Path) -> Path:
    """A folder with a small trained pipeline `en_gfl_sm`, laid out as by pip."""
    # Only the tests that need it load spaCy's training.
    from helpers.installed_pipeline import install

    folder = tmp_path_factory.mktemp("packages")
    install(folder, data)
    return folder


@pytest.fixture
def en_gfl_sm(installed_pipeline: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the small pipeline, which `spacy.load("en_gfl_sm")` now loads."""
    from helpers.installed_pipeline import PACKAGE

    monkeypatch.syspath_prepend(installed_pipeline)
    # Not what ships, if it has been imported; nor shall what ships be this one.
    monkeypatch.setitem(sys.modules, PACKAGE, None)
    del sys.modules[PACKAGE]
    return installed_pipeline / PACKAGE / "model"


@pytest.fixture
def little_memory() -> Iterator[None]:
    """A GB more of address space than is in use."""
    resource = pytest.importorskip("resource")
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    used = int(re.findall(r"VmSize:\s*(\d+) kB", status)[0]) * 1024
    limits = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (used + 1_000_000_000, limits[1]))
    yield
    resource.setrlimit(resource.RLIMIT_AS, limits)


@pytest.fixture
def hasty_threads():
    """Threads change places all the time."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)
