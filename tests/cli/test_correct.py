import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from helpers.cli import run

ROOT = Path(__file__).parents[2]


@pytest.fixture
def text(tmp_path):
    path = tmp_path / "in.txt"
    path.write_text("Who needs them? The bridge was closed.")
    return path


def test_a_page_is_served_until_interrupted(en_gfl_sm, text, tmp_path):
    command = [sys.executable, "-u", "-m", "spacy_gfl", "correct", text]
    command += ["-o", tmp_path / "mine.ptb", "-m", en_gfl_sm, "--no-browser"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        text=True,
        env=environment,
        # What runs in the background of a shell ignores interrupts, and so do its own.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        said = process.stdout.readline()
        address = re.fullmatch(r"2 sentences: (http://127.0.0.1:\d+/)#(.+)\n", said)
        with urllib.request.urlopen(address[1]) as page:
            assert b"Correct trees" in page.read()
        asked = urllib.request.Request(
            f"{address[1]}state", headers={"X-Token": address[2]}
        )
        with urllib.request.urlopen(asked) as state:
            assert b'"needs"' in state.read()
        process.send_signal(signal.SIGINT)
        try:
            assert process.wait(60) == 0
        finally:
            process.kill()
    assert [path.name for path in tmp_path.iterdir()] == ["in.txt"]


def test_the_browser_is_opened(en_gfl_sm, text, tmp_path, monkeypatch):
    opened = []

    def interrupt(self):
        raise KeyboardInterrupt

    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr("http.server.HTTPServer.serve_forever", interrupt)
    result = run("correct", text, "-o", tmp_path / "mine.ptb", "-m", en_gfl_sm)
    assert result.exit_code == 0, result.output
    assert opened[0] in result.output


def test_a_port_in_use_is_an_error_and_leaves_no_file(en_gfl_sm, text, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        result = run(
            "correct", text, "-o", tmp_path / "a.ptb", "-m", en_gfl_sm, "--port", port
        )
    assert result.exit_code == 1
    assert "in use" in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["in.txt"]
