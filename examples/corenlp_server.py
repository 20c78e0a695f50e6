"""Answers clients of CoreNLP's server: `annotate`, as JSON, with constituency.

    python examples/corenlp_server.py --port 9000
    curl --data "Who called?" "http://127.0.0.1:9000"

It has the annotators tokenize, ssplit, pos and parse, and the properties
tokenize.whitespace, ssplit.eolonly and ssplit.isOneSentence, and ignores others.
"""

import ast
import json
import re
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer, ThreadingHTTPServer
from typing import Any, Dict
from urllib.parse import parse_qs, unquote_plus

import spacy
import typer
from spacy.language import Language
from spacy.tokenizer import Tokenizer
from spacy.tokens import Doc, Span

MAX_LENGTH = 1_000_000  # bytes
BRACKETS = {"(": "-LRB-", ")": "-RRB-"}
SPLITTERS = {"parser", "senter", "sentence_rules", "sentencizer"}


def read_properties(query: str) -> Dict[str, str]:
    """The properties of a request, which clients write as JSON or as Python does."""
    [text] = parse_qs(query).get("properties", ["{}"])
    try:
        found = json.loads(text)
    except ValueError:
        found = ast.literal_eval(text)
    return {name: str(value).lower() for name, value in dict(found).items()}


def parse(nlp: Language, text: str, properties: Dict[str, str]) -> Doc:
    """Parse a text, whose words and sentences may be given by spaces and lines."""
    whitespace = properties.get("tokenize.whitespace") == "true"
    doc = Tokenizer(nlp.vocab)(text) if whitespace else nlp.make_doc(text)
    is_one = properties.get("ssplit.isOneSentence") == "true"
    if not is_one and properties.get("ssplit.eolonly") != "true":
        return nlp(doc)
    end = 0
    for token in doc:
        is_line = "\n" in text[end : token.idx] and not token.is_space
        token.is_sent_start = token.i == 0 or (is_line and not is_one)
        end = end if token.is_space else token.idx + len(token)
    with nlp.select_pipes(disable=list(SPLITTERS.intersection(nlp.pipe_names))):
        return nlp(doc)


def written(sent: Span, index: int) -> Dict[str, Any]:
    """A sentence as CoreNLP writes it."""
    tokens = [
        {
            "index": number,
            "word": BRACKETS.get(token.text, token.text),
            "originalText": token.text,
            "characterOffsetBegin": token.idx,
            "characterOffsetEnd": token.idx + len(token),
            "pos": token.tag_,
        }
        for number, token in enumerate((t for t in sent if not t.is_space), start=1)
    ]
    return {"index": index, "parse": f"(ROOT {sent._.parse_string})", "tokens": tokens}


def make_server(nlp: Language, host: str, port: int) -> HTTPServer:
    """A server that parses what is sent to it by POST, one text at a time."""
    parsing = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        timeout = 10

        def do_GET(self) -> None:
            self.answer("pong") if self.path == "/ping" else self.send_error(404)

        def do_POST(self) -> None:
            length = self.headers.get("Content-Length", "")
            if not re.fullmatch("[0-9]{1,9}", length) or int(length) > MAX_LENGTH:
                return self.send_error(413, f"Send at most {MAX_LENGTH:,} bytes")
            path, _, query = self.path.partition("?")
            try:
                text = self.rfile.read(int(length)).decode("utf-8")
                properties = read_properties(query)
            except (MemoryError, RecursionError, SyntaxError, TypeError, ValueError):
                return self.send_error(400, "Send UTF-8, and properties as JSON")
            if path != "/" or properties.get("outputFormat", "json") != "json":
                return self.send_error(400, 'Ask / for "outputFormat": "json"')
            if self.headers.get_content_type() == "application/x-www-form-urlencoded":
                text = unquote_plus(text)
            with parsing, nlp.memory_zone():
                sents = [
                    s for s in parse(nlp, text, properties).sents if s.text.strip()
                ]
                found = [written(sent, index) for index, sent in enumerate(sents)]
            self.answer(json.dumps({"sentences": found}))

        def answer(self, text: str) -> None:
            body = text.encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    return ThreadingHTTPServer((host, port), Handler)


def main(model: str = "en_gfl_sm", host: str = "127.0.0.1", port: int = 9000) -> None:
    """Answer clients of CoreNLP until interrupted."""
    make_server(spacy.load(model), host, port).serve_forever()


if __name__ == "__main__":
    typer.run(main)
