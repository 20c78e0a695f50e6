"""The page on which trees are corrected, and the server it talks to."""

import json
import secrets
import sys
import threading
import time
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from typing import Any, TypeAlias
from weakref import WeakSet

from spacy_gfl.tools.correction.session import Refused, Session

HOST = "127.0.0.1"
#: Bytes of the longest request; those of the page have some hundred.
LONGEST = 10_000
# Only the page's own script and style, and nothing of or for another site.
_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src "
    "'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}
_PAGES = {
    "GET /": ("page.html", "text/html"),
    "GET /page.css": ("page.css", "text/css"),
    "GET /page.js": ("page.js", "text/javascript"),
}
#: Seconds that threads have to end.
LONGEST_WAIT = 1.0
#: The status, the type and the bytes of an answer.
_Answer: TypeAlias = tuple[HTTPStatus, str, bytes]


class CorrectionServer(ThreadingHTTPServer):
    """Serves one session to the browsers of this machine that know its token.

    Args:
        session: What is corrected.
        port: 0 for any that is free.

    Raises:
        OSError: If the port is in use.
    """

    daemon_threads = True

    def __init__(self, session: Session, port: int = 0) -> None:
        super().__init__((HOST, port), _Handler)
        self.session = session
        self.token = secrets.token_urlsafe(16)
        #: The names of this server that a request may use.
        self.names = [f"{HOST}:{self.server_port}", f"localhost:{self.server_port}"]
        if self.server_port == 80:
            # Browsers leave it out.
            self.names += [HOST, "localhost"]
        #: Where the page is. What follows `#` is sent to nobody by itself.
        self.address = f"http://{self.names[0]}/#{self.token}"
        # A browser opens several connections; what they ask for is done in turn.
        self.lock = threading.Lock()
        self._answering: WeakSet[threading.Thread] = WeakSet()

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer a request, in a thread of its own."""
        self._answering.add(threading.current_thread())
        super().process_request_thread(request, client_address)

    def finish(self) -> None:
        """Let what is being done be finished, and do nothing more.

        PyTorch may abort a process that ends while a thread is in it. Threads that
        wait for a browser to say something are left after a second.
        """
        self.lock.acquire()
        end = time.monotonic() + LONGEST_WAIT
        for thread in list(self._answering):
            thread.join(max(0.0, end - time.monotonic()))

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print what went wrong, unless a browser closed its connection."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class _Refusal(Exception):
    """A request that is not answered: the status, and why."""


class _Handler(BaseHTTPRequestHandler):
    """Answers one request.

    `GET /state` has the session's view. `POST /do` takes an action, its values and the
    version of the view that it was chosen on; its answer is the view after it, with
    what there is to `tell`. An action on another version than the latest is not done.
    """

    server: CorrectionServer
    # Who says nothing for so many seconds is not waited for.
    timeout = 20
    server_version, sys_version = "spacy-gfl", ""

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing of requests."""

    def do_GET(self) -> None:
        try:
            self._check_sender()
            status, kind, body = self._answer()
        except _Refusal as refusal:
            status, reason = refusal.args
            kind, body = "text/plain", reason.encode()
        except TimeoutError:
            return
        self.send_response(status)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        for name, value in _HEADERS.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    do_POST = do_GET

    def _check_sender(self) -> None:
        """Refuse what a page of another site asks for, whatever name it has for us."""
        names = self.server.names
        if self.headers.get("Host", "").lower() not in names:
            raise _Refusal(
                HTTPStatus.MISDIRECTED_REQUEST,
                "This server does not answer to this host name.",
            )
        origin = self.headers.get("Origin")
        site = self.headers.get("Sec-Fetch-Site", "none")
        is_ours = origin is None or origin in [f"http://{name}" for name in names]
        if not is_ours or site not in ("none", "same-origin"):
            raise _Refusal(
                HTTPStatus.FORBIDDEN, "This request comes from another site."
            )

    def _answer(self) -> _Answer:
        asked = f"{self.command} {self.path}"
        if asked in _PAGES:
            name, kind = _PAGES[asked]
            return HTTPStatus.OK, kind, files(__package__).joinpath(name).read_bytes()
        if asked not in ("GET /state", "POST /do"):
            raise _Refusal(HTTPStatus.NOT_FOUND, "There is no such page.")
        token = self.headers.get("X-Token", "").encode()
        if not secrets.compare_digest(token, self.server.token.encode()):
            raise _Refusal(
                HTTPStatus.FORBIDDEN,
                "Open the complete address that spacy-gfl correct has printed.",
            )
        if asked == "POST /do":
            return self._do(self._read())
        with self.server.lock:
            return self._view()

    def _do(self, values: dict[str, Any]) -> _Answer:
        action, version = values.pop("action", None), values.pop("version", None)
        if not isinstance(action, str):
            raise _Refusal(HTTPStatus.BAD_REQUEST, "The request has no action.")
        with self.server.lock:
            if version != self.server.session.version:
                text = (
                    "Nothing was changed, because another tab has changed the "
                    "tree since. This is the current state."
                )
                return self._view(HTTPStatus.CONFLICT, text)
            try:
                return self._view(tell=self.server.session.do(action, values))
            except Refused as refusal:
                return self._view(HTTPStatus.UNPROCESSABLE_ENTITY, str(refusal))
            except OSError as error:
                text = f"It could not be saved: {error.strerror} ({error.filename})."
                return self._view(HTTPStatus.INSUFFICIENT_STORAGE, text)

    def _read(self) -> dict[str, Any]:
        """The JSON object of a request."""
        if self.headers.get_content_type() != "application/json":
            raise _Refusal(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "Send JSON.")
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdigit()):
            raise _Refusal(
                HTTPStatus.LENGTH_REQUIRED, "The request needs a Content-Length."
            )
        if len(length) > 9 or int(length) > LONGEST:
            raise _Refusal(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "The request is too long."
            )
        try:
            values = json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError):
            values = None
        if not isinstance(values, dict):
            raise _Refusal(HTTPStatus.BAD_REQUEST, "The request is not a JSON object.")
        return values

    def _view(self, status: HTTPStatus = HTTPStatus.OK, tell: str = "") -> _Answer:
        view = {**self.server.session.view(), "tell": tell}
        return status, "application/json", json.dumps(view, allow_nan=False).encode()
