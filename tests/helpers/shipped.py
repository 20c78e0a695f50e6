"""The pipelines that ship, where pip has installed them."""

from functools import lru_cache

import pytest
import spacy
from spacy.language import Language


def needs(package: str) -> pytest.MarkDecorator:
    """Skip a test, or a row of one, where a package is not installed."""
    return pytest.mark.skipif(
        not spacy.util.is_package(package),
        reason=f"needs the package: pip install ./packages/{package}",
    )


@lru_cache(maxsize=None)
def load(package: str) -> Language:
    """A pipeline, loaded once for all tests that change nothing of it."""
    return spacy.load(package)
