"""A web service: send it text, and it answers with a tree a sentence.

    python examples/service.py --port 8000
    curl --data-binary "Who called? The teacher did." http://127.0.0.1:8000
    curl --json '{"text": "Who called? The teacher did."}' http://127.0.0.1:8000

The answer is JSON, a list of strings in brackets. It is a sketch to start from: behind
a server that limits what strangers may send.
"""

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer
from typing import Annotated

import spacy
import typer
from spacy.language import Language

#: Longer texts are refused (bytes).
MAX_LENGTH = 1_000_000


def make_server(nlp: Language, host: str, port: int) -> HTTPServer:
    """A server that parses what is sent to it by POST, one text at a time.

    It reads and answers each connection in a thread of its own, so that an idle one
    keeps nobody waiting. To parse on several cores, start several of these processes.
    """
    # A pipeline has one memory zone at a time.
    parsing = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        timeout = 10

        def do_POST(self) -> None:
            length = self.headers.get("Content-Length", "")
            # Python reads no number of some thousand digits.
            is_length = length.isascii() and length.isdecimal() and len(length) < 10
            if not is_length or int(length) > MAX_LENGTH:
                self.send_error(413, f"Send at most {MAX_LENGTH:,} bytes")
                return
            try:
                text = self.rfile.read(int(length)).decode("utf-8")
            except UnicodeDecodeError:
                self.send_error(400, "Send text in UTF-8")
                return
            if self.headers.get_content_type() == "application/json":
                try:
                    text = json.loads(text)["text"]
                except (KeyError, RecursionError, TypeError, ValueError):
                    text = None
                if not isinstance(text, str):
                    self.send_error(400, 'Send JSON as {"text": "Who called?"}')
                    return
            # Without a memory zone each new word of a stranger would stay for good.
            with parsing, nlp.memory_zone():
                body = json.dumps(nlp(text)._.parse_strings).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    return ThreadingHTTPServer((host, port), Handler)


def main(
    model: Annotated[str, typer.Option(help="A package or folder.")] = "en_gfl_sm",
    host: Annotated[str, typer.Option(help="0.0.0.0: all networks.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Where to listen.")] = 8000,
) -> None:
    """Answer texts with trees until interrupted."""
    server = make_server(spacy.load(model), host, port)
    print(f"http://{host}:{server.server_port}")
    server.serve_forever()


if __name__ == "__main__":
    typer.run(main)
