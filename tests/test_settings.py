"""docs/reference/settings.md: it says of every setting what the code says."""

import runpy

import pytest
from helpers.reading import ROOT

SCRIPT = runpy.run_path(str(ROOT / "scripts" / "write_settings.py"))


def test_the_page_of_settings_is_up_to_date():
    written = SCRIPT["PAGE"].read_text(encoding="utf-8")
    assert written == SCRIPT["page"](), "run: python scripts/write_settings.py"


def test_a_setting_without_a_description_is_refused():
    rows = SCRIPT["rows"]
    assert list(rows({"a": "`1`"}, {"a": "x | y"}))[-1] == "| `a` | `1` | x \\| y |"
    with pytest.raises(ValueError, match="b has no description"):
        list(rows({"a": "`1`", "b": "`2`"}, {"a": "First."}))
