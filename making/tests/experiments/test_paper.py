"""The picture of the study of the paper's model."""

from importlib import import_module

import pytest
import srsly


def test_scores_by_length_are_drawn_from_files_of_scores(tmp_path, monkeypatch):
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(tmp_path)
    for name, length in (("longer", "11-20"), ("mine", "1-10")):
        srsly.write_json(f"{name}.json", {"con_per_length": {length: {"f": 0.5}}})
    monkeypatch.setattr("sys.argv", ["", "picture.svg", "longer.json", "mine.json"])
    import_module("draw_lengths").main()
    drawn = (tmp_path / "picture.svg").read_text(encoding="utf-8")
    assert ">mine</text>" in drawn
    assert drawn.index(">1-10</text>") < drawn.index(">11-20</text>")
