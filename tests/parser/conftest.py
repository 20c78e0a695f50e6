import sys

import pytest
from helpers.pipelines import ARCHITECTURES, trained


@pytest.fixture(scope="module", params=ARCHITECTURES)
def nlp(request):
    return trained(request.param)


@pytest.fixture
def hasty_threads():
    """Threads change places all the time."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)
