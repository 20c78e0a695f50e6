"""`spacy_gfl.serve`: pictures in a browser, modelled on `displacy.serve`."""

from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional
from wsgiref.simple_server import WSGIServer, make_server

from spacy.util import find_available_port

from spacy_gfl.pictures.rendering import render

#: The page has styles and images of its own, and no scripts.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"

WSGIApplication = Callable[[Dict[str, Any], Callable[..., Any]], Iterable[bytes]]


def serve(
    docs: Any,
    style: str = "tree",
    page: bool = True,
    minify: bool = False,
    options: Optional[Mapping[str, Any]] = None,
    port: int = 5000,
    host: str = "127.0.0.1",
    auto_select_port: bool = False,
) -> None:
    """Serve pictures on a local port until interrupted (Ctrl+C).

    docs, style, page, minify, options: As for `render`.
    port: The port; 0 for any that is free.
    host: The address to listen on. Others than this machine's own can reach the
        pictures only if it is another than the default.
    auto_select_port: Take the next free port where this one is in use, and warn.

    Raises ValueError if the port is in use, and what `render` raises.
    """
    server = make_picture_server(
        docs, style, page, minify, options, port, host, auto_select_port
    )
    print(f"\nUsing the '{style}' visualizer")
    print(f"Serving on http://{host}:{server.server_port} ...\n")
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        print(f"Shutting down server on port {server.server_port}.")
    finally:
        server.server_close()


def make_picture_server(
    docs: Any,
    style: str = "tree",
    page: bool = True,
    minify: bool = False,
    options: Optional[Mapping[str, Any]] = None,
    port: int = 5000,
    host: str = "127.0.0.1",
    auto_select_port: bool = False,
) -> WSGIServer:
    """The server that `serve` runs; arguments and errors are the same."""
    html = render(docs, style, page, minify, False, options) or ""
    if port:
        port = find_available_port(port, host, auto_select_port)
    return make_server(host, port, make_application(html))


def make_application(html: str) -> WSGIApplication:
    """A WSGI application whose one page, at `/`, is this."""
    body = html.encode("utf-8")

    def application(
        environ: Dict[str, Any], start_response: Callable[..., Any]
    ) -> List[bytes]:
        if environ.get("PATH_INFO", "/") not in ("", "/"):
            start_response("404 Not Found", [("Content-Type", "text/plain")])
            return [b"Not found\n"]
        start_response(
            "200 OK",
            [
                ("Content-Type", "text/html; charset=utf-8"),
                ("Content-Length", str(len(body))),
                ("Content-Security-Policy", _POLICY),
            ],
        )
        return [] if environ.get("REQUEST_METHOD") == "HEAD" else [body]

    return application
