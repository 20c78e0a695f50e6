"""docs/reference/settings.md: it says of every setting what the code says."""

import runpy

from helpers.reading import ROOT

SCRIPT = runpy.run_path(str(ROOT / "making" / "write_settings.py"))


def test_the_page_of_settings_is_up_to_date():
    written = SCRIPT["PAGE"].read_text(encoding="utf-8")
    assert written == SCRIPT["page"](), "run: python making/write_settings.py"
