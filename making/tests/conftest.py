"""Tests of what makers run: `pytest making/tests`, with the fixtures of tests/."""

from conftest import (  # noqa: F401
    _same_precision,
    data,
    installed_pipeline,
    seeded,
    shared,
    threads,
)
