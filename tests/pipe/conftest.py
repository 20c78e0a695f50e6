import pytest
from helpers.pipelines import ARCHITECTURES, trained


@pytest.fixture(scope="module", params=ARCHITECTURES)
def nlp(request):
    return trained(request.param)
