"""How many clicks correcting takes: gold trees, played back through the page's server.

Somebody who knows the gold trees corrects sentence after sentence as on the page, by
its own HTTP requests: makes the largest bracket that is missing, by its first and last
word (2 clicks), and gives it another label (1), gives another bracket another label
(2), puts one around it (3), takes one away (2), and accepts (1). Whatever the parser
changes by itself costs nothing. For comparison, the clicks from nothing. Writes the
accepted trees, and the rest of the file as it is.
"""

import argparse
import json
import sys
import threading
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from itertools import takewhile
from pathlib import Path
from statistics import mean, median
from typing import Any

from spacy_gfl.annotation.building import trees_to_docs
from spacy_gfl.pipe.pipelines import DEFAULT_MODEL, load_pipeline
from spacy_gfl.tools.correction.edits import Edits
from spacy_gfl.tools.correction.progress_files import Sentence
from spacy_gfl.tools.correction.server import CorrectionServer
from spacy_gfl.tools.correction.session import Session
from spacy_gfl.tools.treebanks.bracket_reader import read_trees
from spacy_gfl.tools.treebanks.formats.atomic_files import write_text
from spacy_gfl.tools.treebanks.formats.text_files import read_lines
from spacy_gfl.trees.tree import Constituent, Extent, Tree, unary_chains

#: An action, its values and its clicks.
Step = tuple[str, dict[str, Any], int]
Chains = dict[Extent, tuple[str, ...]]


def steps(has: Chains, gold: Chains, with_parser: bool = True) -> Iterator[Step]:
    """The edits that a sentence still needs, the most useful first."""
    missing = [extent for extent in gold if extent not in has]
    for start, end in sorted(missing, key=lambda extent: extent[0] - extent[1]):
        # The parser labels a bracket of several words, as long as it parses.
        is_word = end - start == 1
        label = None if with_parser and not is_word else gold[start, end][-1]
        values = {"first": start, "last": end - 1, "label": label}
        yield "bracket", values, 2 if with_parser or is_word else 3
    number = 0
    for extent, labels in has.items():
        wanted = gold.get(extent, ())
        same = list(
            takewhile(
                lambda pair: pair[0] == pair[1], zip(labels, wanted, strict=False)
            )
        )
        node, at = number + len(same), len(same)
        if len(labels) > len(wanted):
            yield "remove", {"node": node}, 2
        elif len(labels) == len(wanted) > at:
            yield "relabel", {"node": node, "label": wanted[at]}, 2
        elif len(labels) < len(wanted):
            # Below the innermost label nothing is put but by this label again.
            at -= at == len(labels)
            yield "wrap", {"node": number + at, "label": wanted[at]}, 3
        number += len(labels)


def clicks_alone(found: Tree, gold: Tree) -> int:
    """The clicks from one tree to another if nothing is parsed in between."""
    wanted, n_clicks = unary_chains(gold.constituents), 0
    edits = Edits.of(found)
    while step := next(
        steps(has := unary_chains(edits.apply(())), wanted, with_parser=False), None
    ):
        action, values, clicks = step
        n_clicks += clicks
        if action == "bracket":
            extent = values["first"], values["last"] + 1
            edits = edits.say(extent, (values["label"],))
            continue
        extents = [extent for extent, labels in has.items() for _ in labels]
        extent = extents[values["node"]]
        labels = list(has[extent])
        at = values["node"] - extents.index(extent)
        if action == "wrap":
            labels.insert(at, values["label"])
        else:
            labels[at : at + 1] = [values["label"]] if action == "relabel" else []
        edits = edits.say(extent, tuple(labels))
    return n_clicks


class Somebody:
    """Who corrects by the requests that the page makes."""

    def __init__(self, server: CorrectionServer) -> None:
        self.connection = HTTPConnection("127.0.0.1", server.server_port)
        self.headers = {"X-Token": server.token, "Content-Type": "application/json"}
        self.waits: list[float] = []
        self.view: dict[str, Any] = {}
        self.ask("GET", "/state", None)

    def ask(self, method: str, path: str, values: dict[str, Any] | None) -> None:
        body = None if values is None else json.dumps(values)
        began = time.perf_counter()
        self.connection.request(method, path, body, self.headers)
        answer = self.connection.getresponse()
        self.view = json.loads(answer.read())
        self.waits.append(time.perf_counter() - began)
        self.connection.close()
        if answer.status != 200:
            raise RuntimeError(self.view["tell"])

    def do(self, action: str, values: dict[str, Any]) -> None:
        version = self.view["version"]
        self.ask("POST", "/do", {"action": action, "version": version, **values})

    @property
    def tree(self) -> Tree:
        nodes = [
            Constituent(n["label"], n["start"], n["end"]) for n in self.view["nodes"]
        ]
        return Tree(self.view["words"], self.view["tags"], nodes)

    def correct(self, gold: Tree) -> int:
        """Correct a sentence, accept it, and say how many clicks it took."""
        wanted, n_clicks = unary_chains(gold.constituents), 1
        for _ in range(10 * len(gold)):
            step = next(steps(unary_chains(self.tree.constituents), wanted), None)
            if step is None:
                self.do("accept", {})
                return n_clicks
            action, values, clicks = step
            self.do(action, values)
            n_clicks += clicks
            if action == "bracket":
                n_clicks += self.label(values["first"], values["last"] + 1, wanted)
        raise RuntimeError(f"this tree is not reached: {gold}")

    def label(self, start: int, end: int, wanted: Chains) -> int:
        """Change the label of a bracket just made, which stands ready for it."""
        found = unary_chains(self.tree.constituents)[start, end]
        if len(found) > 1 or len(wanted[start, end]) > 1 or found == wanted[start, end]:
            return 0
        nodes = [(n["start"], n["end"]) for n in self.view["nodes"]]
        values = {"node": nodes.index((start, end)), "label": wanted[start, end][0]}
        self.do("relabel", values)
        return 1


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("gold", type=Path)
    parser.add_argument("output", type=Path, help="brackets of accepted trees")
    parser.add_argument("--rest", type=Path, help="where the other trees go")
    parser.add_argument("--model", default=DEFAULT_MODEL)
    parser.add_argument("--number", type=int, default=100)
    parser.add_argument("--beam-width", type=int, default=1)
    arguments = parser.parse_args()
    trees = [tree for tree in read_trees(read_lines(arguments.gold)) if len(tree) > 1]
    golds = trees[: arguments.number]
    if arguments.rest:
        rest = trees[arguments.number :]
        write_text(arguments.rest, (f"{tree.brackets()}\n" for tree in rest))
    nlp = load_pipeline(arguments.model)
    nlp.get_pipe("constituency_parser").search.beam_width = arguments.beam_width
    flat = [Tree.flat(tree.words, ["XX"] * len(tree)) for tree in golds]
    sentences = [Sentence(doc, None) for doc in trees_to_docs(flat, nlp.vocab)]
    for sentence in sentences:
        for token in sentence.doc:
            token.tag_ = ""
    session = Session(nlp, sentences, arguments.output)
    clicks, nothing = [], []
    with CorrectionServer(session) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        somebody = Somebody(server)
        for gold in golds:
            nothing.append(1 + clicks_alone(Tree.flat(gold.words, gold.tags), gold))
            clicks.append(somebody.correct(gold))
            print(clicks[-1], nothing[-1], file=sys.stderr)
        server.shutdown()
    session.close()
    saved = list(read_trees(read_lines(arguments.output), clean=False))
    if [tree.constituents for tree in saved] != [tree.constituents for tree in golds]:
        raise SystemExit("The accepted trees are not the gold ones.")
    n_words = sum(map(len, golds))
    print(f"{len(golds)} sentences, {n_words:,} words; all are as in gold")
    for name, numbers in (("clicks a sentence", clicks), ("from nothing", nothing)):
        print(f"{name:22} {mean(numbers):5.1f} (median {median(numbers):g})")
    print(f"right at once          {clicks.count(1)}")
    print(f"seconds to an answer   {median(somebody.waits):.2f} (median)")


if __name__ == "__main__":
    main()
