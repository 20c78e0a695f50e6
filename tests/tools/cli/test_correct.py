import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from unittest.mock import Mock

import pytest
from helpers.cli import done, refusal, run
from helpers.reading import ROOT


@pytest.fixture
def command(tmp_path, en_gfl_sm):
    (tmp_path / "in.txt").write_text("Who needs them? The bridge was closed.")
    output = tmp_path / "mine.ptb"
    return ["correct", tmp_path / "in.txt", "-o", output, "-m", en_gfl_sm]


def test_a_page_is_served_until_interrupted(command, tmp_path):
    with subprocess.Popen(
        [sys.executable, "-u", "-m", "spacy_gfl", *command, "--no-browser"],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        # What runs in the background of a shell ignores interrupts, and so do its own.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        said = process.stdout.readline()
        address = re.fullmatch(r"2 sentences: (http://127.0.0.1:\d+/)#(.+)\n", said)
        with urllib.request.urlopen(address[1]) as page:
            assert b"Correct trees" in page.read()
        token = {"X-Token": address[2]}
        asked = urllib.request.Request(f"{address[1]}state", headers=token)
        with urllib.request.urlopen(asked) as state:
            assert b'"needs"' in state.read()
        process.send_signal(signal.SIGINT)
        try:
            assert process.wait(60) == 0
        finally:
            process.kill()
    assert [path.name for path in tmp_path.iterdir()] == ["in.txt"]


def test_the_browser_is_opened(command, tmp_path, monkeypatch):
    opened = []
    (tmp_path / "in.txt").write_text("Who needs them?")
    interrupt = Mock(side_effect=KeyboardInterrupt)
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr("http.server.HTTPServer.serve_forever", interrupt)
    result = done(*command)
    assert result.output.startswith(f"1 sentence: {opened[0]}\n")


def test_a_port_in_use_is_an_error_and_leaves_no_file(command, tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        error = refusal(run(*command, "--port", port))
    assert f"Port {port} cannot be used: Address already in use" in error
    assert [path.name for path in tmp_path.iterdir()] == ["in.txt"]
