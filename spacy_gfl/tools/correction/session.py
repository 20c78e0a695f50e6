"""Sentences whose trees are corrected, one after the other, and saved."""

import inspect
import math
import re
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc

from spacy_gfl import Constituent, Tree, explain, get_parser
from spacy_gfl.tools.correction.edits import Edits, Extent, Labels
from spacy_gfl.tools.correction.progress_files import (
    Key,
    Progress,
    Sentence,
    components,
    read_accepted,
    write_accepted,
)
from spacy_gfl.trees.tree import unary_chains

#: What the parser obeys.
_REQUIRED, _FORBIDDEN = "constituency_required", "constituency_forbidden"
#: Labels that are offered first, if the language has them.
FREQUENT = (
    *("NP", "VP", "PP", "S", "SBAR", "ADJP", "ADVP", "WHNP", "PRN", "QP", "NML"),
    *("SQ", "SBARQ", "SINV", "FRAG", "INTJ", "PRT", "UCP"),
)
#: Labels that are not offered: those of roots, and of treebanks' own text.
_ROOTS = ("TOP", "ROOT", "S1", "VROOT")
_UNWRITTEN = (*_ROOTS, "CAPTION", "HEADING")
#: Constituents less probable are marked.
UNSURE = 0.8
_LABEL = re.compile(r"[^\s()]{1,40}")
#: Constituents in pre-order, and how probable each is.
_Parse = list[tuple[Constituent, float]]


class Refused(ValueError):
    """The session refuses an action, which makes no sense or comes too early.

    The session is as it was before.
    """


class Session:
    """Sentences to correct, the answer to each, and the file of accepted trees.

    Accepted trees are kept in that file alone. A second file beside it says which
    sentences were skipped, and which of several with the same words were accepted; it
    is locked as long as the session lasts.

    Args:
        nlp: A pipeline with a constituency parser. Its search is asked for
            probabilities.
        sentences: What to correct.
        output: The file, .spacy or of brackets. Accepted trees that it has already
            are taken from it.
        least_sure_first: Begin with the sentences whose trees the parser finds least
            probable, by word.

    Raises:
        OSError: If a file cannot be read or written.
        ValueError: If another session has the output, it has trees of other
            sentences, or there is no sentence.
    """

    def __init__(
        self,
        nlp: Language,
        sentences: Sequence[Sentence],
        output: Path,
        *,
        least_sure_first: bool = False,
    ) -> None:
        if not sentences:
            raise ValueError("The input has no sentences to correct.")
        self._nlp, self._sentences, self._output = nlp, sentences, output
        self._parser = get_parser(nlp)
        self._words = [tuple(token.text for token in s.doc) for s in sentences]
        self._order = list(range(len(sentences)))
        self._progress = Progress(output)
        try:
            self._resume()
            if least_sure_first:
                self._order.sort(key=list(self._sureness()).__getitem__)
        except BaseException:
            self.close()
            raise
        self._parser.search.probabilities = True
        self._labels = _offered(sentences, self._parser.labels, nlp.lang or "")
        # What was said of each sentence, the latest last; the sentence that was parsed
        # last, its Doc with what the parser listens to, and its tree.
        self._history: dict[int, list[Edits]] = {}
        self._free: tuple[int, Doc, _Parse] = (-1, Doc(nlp.vocab), [])
        self._shown: tuple[Edits, Tree, list[float]] | None = None
        #: Changes with whatever a page shows.
        self.version = 0
        self._at = self._order[-1]
        self._go_on()

    def close(self) -> None:
        """Unlock the output, so that another session may write it."""
        self._progress.close()

    def _resume(self) -> None:
        """Find the sentences of accepted trees, and skipped sentences."""
        # How many sentences have these words.
        self._twins: Counter[tuple[str, ...]] = Counter()
        self._keys: list[Key] = []
        for words in self._words:
            self._keys.append((words, self._twins[words]))
            self._twins[words] += 1
        skips = list(map(self._progress.decisions().get, self._keys))
        # A tree is of the sentence that was accepted, or else of one not skipped.
        rank = {False: 0, None: 1, True: 2}
        left = defaultdict(list)
        for i in sorted(range(len(skips)), key=lambda i: rank[skips[i]]):
            left[self._words[i]].append(i)
        self._done: dict[int, Tree] = {}
        self._stamp = _stamp(self._output)
        for tree in read_accepted(self._output, self._nlp.vocab):
            if not left[tree.words]:
                raise ValueError(
                    f"{self._output} has a tree of "
                    f'"{" ".join(tree.words):.60}", which is not among the '
                    "sentences to correct and would be lost. Name all files that "
                    "it was made from, or another output."
                )
            self._done[left[tree.words].pop(0)] = tree
        self._skipped = {i for i, skip in enumerate(skips) if skip} - self._done.keys()

    def _decisions(self, done: Iterable[int], skipped: set[int]) -> dict[Key, bool]:
        """What a later session cannot see in the output."""
        return {
            self._keys[i]: i in skipped
            for i in {*done, *skipped}
            if self._twins[self._words[i]] > 1 or i in skipped
        }

    def _sureness(self) -> Iterator[float]:
        """Each tree's log-probability per word; -inf where nothing was searched."""
        for doc in self._nlp.pipe(sentence.doc.copy() for sentence in self._sentences):
            log_prob = doc.spans[self._parser.spans_key].attrs["log_probs"][0]
            yield -math.inf if math.isnan(log_prob) else log_prob / len(doc)

    def view(self) -> dict[str, Any]:
        """All that a page shows, as JSON data."""
        edits, tree, probabilities = self._show()
        if self._at not in self._done:
            status = "skipped" if self._at in self._skipped else ""
        else:
            status = "accepted" if self._done[self._at] == tree else "changed"
        return {
            "version": self.version,
            "language": self._nlp.lang,
            "direction": self._nlp.vocab.writing_system.get("direction", "ltr"),
            "number": self._order.index(self._at) + 1,
            "total": len(self._order),
            "accepted": len(self._done),
            "skipped": len(self._skipped),
            "status": status,
            "changes": len(self._edits()) - 1,
            "words": tree.words,
            "tags": tree.tags,
            "nodes": [
                {
                    **node._asdict(),
                    "said": node[1:] in edits.said,
                    "unsure": p if p < UNSURE else None,
                }
                for node, p in zip(tree.constituents, probabilities, strict=True)
            ],
            "labels": {
                name: explain(name, self._nlp.lang or "") or "" for name in self._labels
            },
        }

    def _given(self) -> Tree | None:
        return self._done.get(self._at) or self._sentences[self._at].given

    def _edits(self) -> list[Edits]:
        return self._history.setdefault(self._at, [Edits.of(self._given())])

    def _show(self) -> tuple[Edits, Tree, list[float]]:
        """The edits, the tree, and the probability of each constituent.

        A constituent that a person asked for has NaN. A constituent of the given tree
        has the probability that the parser finds by itself.
        """
        edits = self._edits()[-1]
        if self._shown and self._shown[0] is edits:
            return self._shown
        if self._free[0] != self._at:
            doc = self._sentences[self._at].doc.copy()
            self._free = self._at, doc, self._parse(doc, None)
        _, doc, free = self._free
        parse = self._parse(doc, edits) if edits.said else free
        nodes = edits.apply([node for node, _ in parse])
        known = dict(parse if edits.opened is None else free)
        own = tuple(token.tag_ or "XX" for token in doc)
        tags = given.tags if (given := self._given()) else own
        tree = Tree(self._words[self._at], tags, tuple(nodes))
        probabilities = [
            math.nan if node[1:] in edits.said else known.get(node, 0.0)
            for node in nodes
        ]
        self._shown = edits, tree, probabilities
        return self._shown

    def _parse(self, doc: Doc, edits: Edits | None) -> _Parse:
        """The parser's tree: found freely, or as far as it can under the edits."""
        held = {} if edits is None else edits.held
        # Without labels, which `Edits.apply` gives whatever the parser knows.
        doc.spans[_REQUIRED] = [doc[a:b] for (a, b), v in held.items() if v != ()]
        doc.spans[_FORBIDDEN] = [doc[a:b] for (a, b), v in held.items() if v == ()]
        cleaners = components(self._nlp, "doc_cleaner")
        with warnings.catch_warnings(), self._nlp.select_pipes(disable=cleaners):
            # What the parser cannot obey, `Edits.apply` does.
            warnings.simplefilter("ignore")
            doc = self._nlp(doc) if edits is None else self._parser(doc)
        group = doc.spans[self._parser.spans_key]
        # A span without a label says that the tree has no constituents.
        return [
            (Constituent(span.label_, span.start, span.end), probability)
            for span, probability in zip(
                group, group.attrs["probabilities"], strict=True
            )
            if span.label_
        ]

    def do(self, action: str, values: dict[str, Any]) -> str:
        """Do what somebody asks for.

        Args:
            action: A name and the values it takes: "bracket" (first, last, label or
                None), "relabel" and "wrap" (node, label), "remove" (node), "undo",
                "next", "previous", "accept", "skip", "find" (text).
            values: The values by name. Words and nodes are numbers, from 0, of those
                that `view` shows.

        Returns:
            What to tell; "" for nothing.

        Raises:
            Refused: It cannot be done.
            OSError: The output cannot be written; it is as it was.
        """
        method = _ACTIONS.get(action)
        if method is None:
            raise Refused(f"There is no action {action:.40}.")
        try:
            inspect.signature(method).bind(self, **values)
        except TypeError:
            raise Refused(f"The action {action} does not take these values.") from None
        said = method(self, **values)
        self.version += 1
        return said or ""

    def _bracket(self, first: int, last: int, label: str | None = None) -> None:
        n_words = len(self._words[self._at])
        first, last = sorted((_number(first, n_words), _number(last, n_words)))
        extent = first, last + 1
        here = unary_chains(self._show()[1].constituents).get(extent, ())
        if label is not None:
            self._say(extent, (_label(label), *here))
        elif here:
            raise Refused("There is already a bracket around exactly these words.")
        elif first == last:
            raise Refused("A bracket around one word needs a label.")
        else:
            self._say(extent, None)

    def _relabel(self, node: int, label: str) -> None:
        extent, outer, inner = self._place(node)
        self._say(extent, (*outer, _label(label), *inner[1:]))

    def _wrap(self, node: int, label: str) -> None:
        extent, outer, inner = self._place(node)
        self._say(extent, (*outer, _label(label), *inner))

    def _remove(self, node: int) -> None:
        extent, outer, inner = self._place(node)
        self._say(extent, (*outer, *inner[1:]))

    def _say(self, extent: Extent, labels: Labels) -> None:
        self._edits().append(self._edits()[-1].say(extent, labels))

    def _place(self, node: int) -> tuple[Extent, tuple[str, ...], tuple[str, ...]]:
        """The extent of a node, the labels outside it there, and its own and inner."""
        nodes = self._show()[1].constituents
        extent = nodes[_number(node, len(nodes))][1:]
        outer = unary_chains(nodes[:node]).get(extent, ())
        return extent, outer, unary_chains(nodes[node:])[extent]

    def _undo(self) -> None:
        if len(self._edits()) == 1:
            raise Refused("You have not changed anything in this sentence.")
        self._edits().pop()

    def _move(self, step: int) -> None:
        place = self._order.index(self._at) + step
        if not 0 <= place < len(self._order):
            raise Refused(f"This is the {'last' if step > 0 else 'first'} sentence.")
        self._at = self._order[place]

    def _find(self, text: str) -> None:
        if not isinstance(text, str) or not text.strip():
            raise Refused("Type the words to find.")
        wanted = " ".join(text.split()).casefold()
        for i in self._from_next():
            # As the page shows the words, and as they are written.
            texts = " ".join(self._words[i]), self._sentences[i].doc.text
            if any(wanted in text.casefold() for text in texts):
                self._at = i
                return
        raise Refused("No sentence has these words.")

    def _accept(self) -> str:
        done = {**self._done, self._at: self._show()[1]}
        return self._decide(done, self._skipped - {self._at})

    def _skip(self) -> str:
        done = {i: tree for i, tree in self._done.items() if i != self._at}
        return self._decide(done, self._skipped | {self._at})

    def _decide(self, done: dict[int, Tree], skipped: set[int]) -> str:
        """Save which sentences are accepted and skipped, and go on."""
        before = self._decisions(self._done, self._skipped)
        decisions = self._decisions(done, skipped)

        def save() -> None:
            if _stamp(self._output) != self._stamp:
                raise Refused(
                    f"Another program has changed {self._output}. End the "
                    "command with Ctrl+C and run it again to keep the change."
                )
            if decisions != before:
                self._progress.save(decisions)

        try:
            if done == self._done:
                save()
            else:
                trees = ((self._sentences[i], done[i]) for i in sorted(done))
                write_accepted(self._output, trees, save)
        except OSError:
            # Trees and decisions are saved together, or neither.
            with suppress(OSError):
                self._progress.save(before)
            raise
        except ValueError as error:
            raise Refused(str(error)) from None
        self._stamp = _stamp(self._output)
        self._done, self._skipped = done, skipped
        self._go_on()
        is_all = len(done) + len(skipped) == len(self._order)
        return "All sentences are accepted or skipped." if is_all else ""

    def _go_on(self) -> None:
        """Go to the next sentence that is neither accepted nor skipped, if any."""
        decided = self._done.keys() | self._skipped
        self._at = next((i for i in self._from_next() if i not in decided), self._at)

    def _from_next(self) -> list[int]:
        """The numbers of all sentences, the next one first and this one last."""
        place = self._order.index(self._at) + 1
        return self._order[place:] + self._order[:place]


_ACTIONS: dict[str, Any] = {
    "bracket": Session._bracket,
    "relabel": Session._relabel,
    "wrap": Session._wrap,
    "remove": Session._remove,
    "undo": Session._undo,
    "next": lambda session: session._move(1),
    "previous": lambda session: session._move(-1),
    "find": Session._find,
    "accept": Session._accept,
    "skip": Session._skip,
}


def _stamp(path: Path) -> tuple[int, int] | None:
    """When a file was written, in nanoseconds, and its bytes; None without a file."""
    status = path.stat() if path.is_file() else None
    return status and (status.st_mtime_ns, status.st_size)


def _number(value: Any, limit: int) -> int:
    """A number of something, if there is such a thing."""
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < limit:
        raise Refused(f"There is no number {value!r:.40} here.")
    return value


def _label(value: Any) -> str:
    """A label that can stand in brackets."""
    is_label = isinstance(value, str) and _LABEL.fullmatch(value)
    # Half a character is none.
    if (
        not is_label
        or value in _ROOTS
        or value != value.encode(errors="ignore").decode()
    ):
        raise Refused(
            "A label has one to 40 characters, no spaces and no round brackets, "
            f"and is not one of {', '.join(_ROOTS)}."
        )
    return str(value)


def _offered(
    sentences: Sequence[Sentence], known: Sequence[str], language: str
) -> list[str]:
    """The labels of the input, the frequent ones, and all else that a parser writes."""
    given = Counter(
        node.label for s in sentences if s.given for node in s.given.constituents
    )
    names = [name for name, _ in given.most_common()]
    frequent = [n for n in FREQUENT if n in known or explain(n, language)]
    rest = [name for name in known if name not in _UNWRITTEN]
    return list(dict.fromkeys([*names, *frequent, *rest]))
