import pytest
from helpers.pipelines import initialized


@pytest.fixture(scope="session")
def model(tmp_path_factory):
    """A pipeline that writes trees, if not the right ones."""
    folder = tmp_path_factory.mktemp("model")
    initialized().to_disk(folder)
    return str(folder)
