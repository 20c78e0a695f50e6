import json
import re
import socket
import threading
import time
from http.client import HTTPConnection
from importlib.resources import files

import pytest

from spacy_gfl.tools.correction.server import LONGEST


@pytest.fixture
def ask(server):
    """Ask for something as the page does, with some headers otherwise or left out."""

    def send(path, values=None, body=None, **headers):
        sent = {
            "Host": f"127.0.0.1:{server.server_port}",
            "X-Token": server.token,
            "Content-Type": "application/json",
            "Origin": f"http://127.0.0.1:{server.server_port}",
            "Sec-Fetch-Site": "same-origin",
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        if values is not None:
            body = json.dumps(values).encode()
        connection = HTTPConnection("127.0.0.1", server.server_port, timeout=60)
        connection.putrequest("GET" if body is None else "POST", path, skip_host=True)
        if body is not None:
            sent.setdefault("Content-Length", str(len(body)))
        for name, value in sent.items():
            if value is not None:
                connection.putheader(name, value)
        connection.endheaders(body)
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        is_json = answer.headers["Content-Type"].startswith("application/json")
        return answer.status, json.loads(data) if is_json else data, answer.headers

    return send


def test_the_page_needs_no_token_and_runs_only_its_own_script(ask):
    kinds = {"": "text/html", "page.js": "text/javascript", "page.css": "text/css"}
    for name, kind in kinds.items():
        # Typed into a browser, it knows no token.
        status, data, headers = ask(f"/{name}", Sec_Fetch_Site="none", X_Token=None)
        assert status == 200
        assert headers["Content-Type"] == f"{kind}; charset=utf-8"
        file = files("spacy_gfl.tools.correction").joinpath(name or "page.html")
        assert data == file.read_bytes()
        policy = headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'; script-src 'self';")
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert headers["X-Content-Type-Options"] == "nosniff"


def test_the_page_asks_no_other_machine_and_makes_no_html_of_text():
    texts = {
        name: files("spacy_gfl.tools.correction").joinpath(name).read_text("utf-8")
        for name in ("page.html", "page.css", "page.js")
    }
    for text in texts.values():
        assert not re.search(r"https?:|url\(|@import|[\"'`]//", text)
    # The policy forbids these; nothing here counts on it.
    assert not re.search(r"\son\w+=|style=|<script>|<style", texts["page.html"])
    assert not re.search(r"[hH]TML|eval|Function\(", texts["page.js"])


def test_a_sentence_is_corrected_and_saved(ask, output):
    status, view, _ = ask("/state")
    assert (status, view["words"][:2]) == (200, ["The", "keys"])
    values = {"action": "bracket", "first": 0, "last": 8, "label": "FRAG"}
    status, view, _ = ask("/do", {**values, "version": view["version"]})
    assert (status, view["nodes"][1]["label"]) == (200, "FRAG")
    status, view, _ = ask("/do", {"action": "accept", "version": view["version"]})
    assert (status, view["number"], view["accepted"]) == (200, 2, 1)
    assert output.read_text().split()[1] == "(FRAG"


def test_a_page_that_is_out_of_date_is_told(ask):
    _, old, _ = ask("/state")
    ask("/do", {"action": "next", "version": old["version"]})
    status, view, _ = ask("/do", {"action": "accept", "version": old["version"]})
    assert status == 409
    assert "another tab" in view["tell"]
    assert (view["number"], view["accepted"]) == (2, 0)
    status, view, _ = ask("/do", {"action": "accept"})
    assert (status, view["accepted"]) == (409, 0)


def test_what_cannot_be_done_is_told(ask, output):
    status, view, _ = ask("/do", {"action": "undo", "version": 0})
    assert (status, view["tell"]) == (
        422,
        "You have not changed anything in this sentence.",
    )
    output.mkdir()
    status, view, _ = ask("/do", {"action": "accept", "version": 0})
    assert status == 507
    assert "could not be saved" in view["tell"]
    assert view["accepted"] == 0


OTHER_SITES = [
    # A name of another site that its owner lets point to this machine.
    ({"Host": "evil.example:{port}"}, 421),
    ({"Host": "127.0.0.1.evil.example:{port}"}, 421),
    ({"Host": "127.0.0.1:1"}, 421),
    ({"Host": None}, 421),
    ({"Origin": "https://evil.example"}, 403),
    ({"Origin": "http://127.0.0.1:1"}, 403),
    ({"Origin": "null"}, 403),
    ({"Sec_Fetch_Site": "cross-site"}, 403),
    ({"Sec_Fetch_Site": "same-site"}, 403),
]


@pytest.mark.parametrize(
    ("path", "body", "headers", "status"),
    [
        *((at, None, *of) for of in OTHER_SITES for at in ("/", "/page.js", "/state")),
        *(("/do", b'{"action": "accept", "version": 0}', *of) for of in OTHER_SITES),
        ("/state", None, {"X_Token": None}, 403),
        ("/state", None, {"X_Token": "guess"}, 403),
        ("/state", None, {"X_Token": "gu\xe9ss"}, 403),
        ("/do", b"{}", {"X_Token": None}, 403),
        ("/do", b"{}", {}, 400),
        ("/do", b"[1]", {}, 400),
        ("/do", b"{", {}, 400),
        ("/do", b"[" * 5000, {}, 400),
        ("/do", b"\xff", {}, 400),
        ("/do", b'{"action": 7}', {}, 400),
        ("/do", b'{"action": "accept"}', {"Content_Type": "text/plain"}, 415),
        ("/do", b"{}", {"Content_Type": None}, 415),
        ("/do", b" " * (LONGEST + 1), {}, 413),
        ("/do", b"{}", {"Content_Length": "9" * 5000}, 413),
        ("/do", b"{}", {"Content_Length": "-1"}, 411),
        ("/do", b"{}", {"Content_Length": None}, 411),
        ("/do", None, {}, 404),
        ("/state", b"{}", {}, 404),
        ("/../server.py", None, {}, 404),
        ("/page.html", None, {}, 404),
    ],
)
def test_requests_for_another_site_or_without_token_or_sense_do_nothing(
    ask, server, path, body, headers, status
):
    filled = {k: v and v.format(port=server.server_port) for k, v in headers.items()}
    answer, data, _ = ask(path, body=body, **filled)
    assert answer == status
    assert b"{" not in data
    assert server.session.version == 0


def test_one_who_says_nothing_keeps_nobody_waiting(ask, server):
    with socket.create_connection(("127.0.0.1", server.server_port)) as silent:
        silent.send(b"POST /do HTTP/1.1\r\n")
        assert ask("/state")[0] == 200


def test_only_this_machine_is_listened_to(server):
    assert server.server_address[0] == "127.0.0.1"
    assert server.address.startswith(f"http://127.0.0.1:{server.server_port}/#")
    assert len(server.token) > 20


def test_threads_that_answer_have_ended_when_the_server_has(server, ask, monkeypatch):
    close = server.shutdown_request

    def close_slowly(request):
        time.sleep(0.3)
        close(request)

    monkeypatch.setattr(server, "shutdown_request", close_slowly)
    before = set(threading.enumerate())
    assert ask("/state")[0] == 200
    assert set(threading.enumerate()) - before
    server.finish()
    assert not set(threading.enumerate()) - before
