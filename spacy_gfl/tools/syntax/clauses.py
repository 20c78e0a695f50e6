"""Clauses of a Doc: `doc._.clauses`, `span._.clauses`.

What a clause is and of which kind is told by patterns (`clause_patterns`); here is what
is said of each.
"""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from graphlib import TopologicalSorter
from itertools import groupby, zip_longest

from spacy.tokens import Doc, Span, Token

from spacy_gfl.annotation.nodes import Node, sentence_nodes
from spacy_gfl.annotation.sentence_words import require_english
from spacy_gfl.languages import en
from spacy_gfl.tools.query.pattern_nodes import rooted_nodes
from spacy_gfl.tools.syntax.clause_patterns import clause_patterns
from spacy_gfl.trees.tree import Tree

_PLACES = ("question", "main", "relative", "complement", "adverbial")
_NOUNS = frozenset({"NP", "NX", "NML", "WHNP"})
_VERBS = frozenset({"MD", "VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "TO"})
_SENTENCES = frozenset({"S", "SINV", "SQ", "SBARQ"})
_WRAPPERS = frozenset({"SBAR", "SBARQ"})
_FORMS = ("infinitival", "participial")
_MARGINS = en.LANGUAGE.punctuation | {"CC"}
#: Conjunctions that join nothing to what is before them.
_FIRST_OF_TWO = frozenset({"both", "either", "neither"})
#: Verbs that are written together with the word before, whichever that is.
_CLITIC = re.compile(r"['’](?:s|m|d|re|ve|ll)|(?P<bare>s|m|d|re|ve|ll)", re.IGNORECASE)
_PAIRS = {"-LRB-": "-RRB-", "``": "''"}


@dataclass(frozen=True, eq=False)
class Clause:
    """A clause on a Doc.

    Attributes:
        kind: "main"; "coordinate" with an earlier clause, of which the verb phrase may
            be all that is said anew; "question", a direct one; "relative";
            "complement" of a verb, noun, adjective or preposition, or the subject;
            "adverbial"; and, whatever they do in the sentence, "participial" and
            "infinitival" for those without a finite verb.
        span: The clause, with its conjunction and the clauses inside it.
        spans: Its own words, without those of the clauses inside it.
        subject: The subject; of a coordinate verb phrase that of the clause before.
            None where there is none.
        verbs: The verb group: auxiliaries, *to* and the verb.
        depends_on: The clause that it is in, or is coordinated with, if there is one.
        antecedent: What a clause in a noun phrase describes: the words before it.
        as_sentence: The clause as a text that stands alone, its conjunction dropped and
            its subject restored; None where that takes more than rules.
    """

    kind: str
    span: Span
    spans: tuple[Span, ...]
    subject: Span | None
    verbs: tuple[Token, ...]
    depends_on: "Clause | None"
    antecedent: Span | None
    as_sentence: str | None

    def __repr__(self) -> str:
        return f"Clause({self.kind}, {self.span.text!r})"


def clauses(doclike: Doc | Span) -> list[Clause]:
    """`Doc._.clauses`, `Span._.clauses`: the clauses that lie in a Doc or Span.

    Returns:
        The clauses, sentence by sentence, in the order of their heads' beginnings.

    Raises:
        ValueError: The Doc is of another language than English, or has
            no trees or no sentences.
    """
    span = doclike[:]
    require_english(span, "Clauses")
    return [
        clause
        for node in sentence_nodes(span)
        for clause in _sentence_clauses(node)
        if span.start <= clause.span.start and clause.span.end <= span.end
    ]


def clause_extents(tree: Tree) -> list[tuple[int, int]]:
    """The words of each clause of a tree, with its conjunction or wh-phrase."""
    parts = _Parts(tree)
    return [parts.extents[parts.whole(head)] for head in parts.heads]


def _sentence_clauses(sent: Node) -> list[Clause]:
    words, parts = sent.sentence.words, _Parts(sent.tree())

    def span(extent: tuple[int, int]) -> Span:
        return sent.doc[words[extent[0]] : words[extent[1] - 1] + 1]

    above = {head: parts.above(head) for head in parts.heads}
    known = {head: [] if at is None else [at] for head, at in above.items()}
    made: dict[int | None, Clause] = {}
    # What a clause depends on is made before it.
    for head in TopologicalSorter(known).static_order():
        subject, antecedent = parts.subject(head), parts.antecedent(head)
        kept = parts.kept(head)
        text = _text([sent.doc[words[at]] for at in kept])
        made[head] = Clause(
            kind=parts.kind(head),
            span=span(parts.extents[parts.whole(head)]),
            spans=tuple(map(span, parts.own(head))),
            subject=None if subject is None else span(parts.extents[subject]),
            verbs=tuple(sent.doc[words[at]] for at in parts.verbs(head)),
            depends_on=made.get(above[head]),
            antecedent=None if antecedent is None else span(antecedent),
            as_sentence=text + ".?"[parts.is_asked(head)] if kept else None,
        )
    return [made[head] for head in parts.heads]


def _text(tokens: list[Token]) -> str:
    """Words with the white space of their Doc, the first with a capital letter.

    A clitic joins the word that is now before it: *the man who's calling* is "The man's
    calling".
    """
    text = ""
    for token, following in zip_longest(tokens, tokens[1:]):
        text += token.text
        if following is None or following.i == token.i + 1:
            text += token.whitespace_
        elif not (clitic := _CLITIC.fullmatch(following.text)):
            text += " "
        elif clitic["bare"]:
            # Parts that were written together: who's without its apostrophe.
            before = following.nbor(-1)
            text += "'" if before.text[-1].isalpha() and not before.whitespace_ else " "
    text = text.strip()
    return text[:1].upper() + text[1:]


class _Parts:
    """The clauses of a tree. Nodes and heads are given by their places in pre-order."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.nodes = rooted_nodes(tree)
        self.labels = [node.label for node in self.nodes]
        self.extents = [(node.start, node.end) for node in self.nodes]
        self.children: dict[int, list[int]] = defaultdict(list)
        for at, node in enumerate(self.nodes):
            self.children[node.parent].append(at)
        found = clause_patterns().heads(self.nodes)
        self.found = {name: set(heads) for name, heads in found.items()}
        self.found["head"] = self.found["clause"] | self.found["coordinate"]
        self.heads = sorted(self.found["head"])
        # What each clause is coordinated with, if it is a later part of a coordination.
        self.firsts = {head: self._first(head) for head in self.heads}
        # The clause that each word belongs to: of those around it, the last.
        self.owners = [-1] * len(tree)
        for head in sorted(self.heads, key=self.whole):
            start, end = self.extents[self.whole(head)]
            self.owners[start:end] = [head] * (end - start)

    def ancestors(self, at: int) -> Iterator[int]:
        while (at := self.nodes[at].parent) >= 0:
            yield at

    def kind(self, head: int) -> str:
        if self.firsts[head] is not None:
            return "coordinate"
        form = next((form for form in _FORMS if head in self.found[form]), None)
        outer = self._outer(head)
        places = (kind for kind in _PLACES if outer in self.found[kind])
        return form or next(places, "main")

    def _climb(self, head: int, joined: bool) -> Iterator[int]:
        """The nodes that have a clause and little else, and coordinations if joined."""
        for at in self.ancestors(head) if self.labels[head] != "VP" else ():
            conjuncts, children = self._conjuncts(at), self.children[at]
            # In a question, what is asked may have another clause before or after it.
            is_beside = self.labels[head] != "SQ"
            is_beside &= any(self.labels[i] == "SQ" for i in children)
            is_wrapper = self.labels[at] in _WRAPPERS and not (conjuncts or is_beside)
            # A quotation stands with its marks alone.
            is_quoted = self.labels[at] == self.labels[head] == "S" and all(
                i == head or self.labels[i] in _MARGINS for i in children
            )
            is_joined = head in conjuncts or is_quoted
            is_head = at in self.found["head"]
            if is_head or not (is_wrapper or (joined and is_joined)):
                return
            yield at
            head = at

    def _conjuncts(self, at: int) -> list[int]:
        """The clauses that a coordination joins; none if a node is no coordination."""
        if at not in self.found["coordination"]:
            return []
        labels = {"SBAR"} if self.labels[at] == "SBAR" else _SENTENCES
        return [i for i in self.children[at] if self.labels[i] in labels]

    def whole(self, head: int) -> int:
        """The node of a clause with its conjunction or wh-phrase."""
        return min(self._climb(head, False), default=head)

    def _outer(self, head: int) -> int:
        """The node of a clause, or of the outermost coordination that it is in."""
        return min(self._climb(head, True), default=head)

    def _first(self, head: int) -> int | None:
        """The clause that a later part of a coordination is coordinated with."""
        if head in self.found["coordinate"]:
            return next(
                (at for at in self.ancestors(head) if at in self.found["head"]), None
            )
        below = head
        for at in self._climb(head, True):
            start = next(iter(self._conjuncts(at)), below)
            # Conjuncts without a verb are no clauses.
            earlier = (i for i in self.heads if start <= i < below)
            first = next((i for i in earlier if at in self._climb(i, True)), None)
            if first is not None:
                return first
            below = at
        return self.nodes[below].parent if below in self.found["added"] else None

    def above(self, head: int) -> int | None:
        """The clause that a clause depends on; for a later conjunct, the first one."""
        if (first := self.firsts[head]) is not None:
            return first
        below = self._outer(head)
        for at in self.ancestors(below):
            if at in self.found["head"]:
                return at
            # Beside what a fronted clause belongs to.
            asked = {"SQ"} if self.labels[at] == "SBARQ" else {"S", "SQ"}
            main = next(
                (i for i in self.children[at] if self.labels[i] in asked), below
            )
            # A conjunct belongs to no later one.
            is_earlier = below < main and below in self._conjuncts(at)
            if main != below and not is_earlier and self.labels[at] in ("S", "SBARQ"):
                end = self.nodes[main].end
                inside = (i for i in self.heads if i >= main)
                if (first := next(inside, None)) and self.nodes[first].start < end:
                    return first
            below = at
        return None

    def own(self, head: int) -> Iterator[tuple[int, int]]:
        """The extents of a clause's own words, without punctuation at their ends."""
        extent = self.extents[self.whole(head)]
        kept = [word for word in range(*extent) if self.owners[word] == head]
        for _, group in groupby(enumerate(kept), key=lambda pair: pair[1] - pair[0]):
            if run := self._trim([word for _, word in group]):
                yield run[0], run[-1] + 1

    def _trim(self, words: list[int]) -> list[int]:
        """Leave out punctuation and conjunctions at the ends, and halves of pairs."""
        tags = [self.tree.tags[word] for word in words]
        inner = [
            i
            for i, word in enumerate(words)
            if tags[i] not in _MARGINS or self.tree.words[word].lower() in _FIRST_OF_TWO
        ]
        if not inner:
            return []
        first, last = inner[0], inner[-1]
        # Brackets and quotation marks whose other half is at an end, or elsewhere.
        opened: dict[str, list[int]] = {mark: [] for mark in _PAIRS.values()}
        alone = set()
        for i in range(first, last + 1):
            if tags[i] in _PAIRS:
                opened[_PAIRS[tags[i]]].append(i)
            elif opened.get(tags[i]):
                opened[tags[i]].pop()
            elif tags[i] in opened:
                alone.add(i)
        for mark, places in opened.items():
            if places and tags[last + 1 : last + 2] == [mark]:
                last += 1
                places.pop()
            alone.update(places)
        for i in sorted(alone):
            if first and _PAIRS.get(tags[first - 1]) == tags[i]:
                first -= 1
                alone.remove(i)
        return [words[i] for i in range(first, last + 1) if i not in alone]

    def subject(self, head: int) -> int | None:
        """The node of a clause's subject."""
        while head in self.found["coordinate"]:
            first = self.firsts[head]
            if first is None:
                return None
            head = first
        children = self.children[head]
        verbal = [i for i in children if self.labels[i] in _VERBS | {"VP"}]
        if self.labels[head] == "VP" or not verbal:
            return None
        nouns = [i for i in children if self.labels[i] in _NOUNS]
        before = [i for i in nouns if i < verbal[-1]]
        wh_phrase = self._opener(head)
        is_who = wh_phrase is not None and self.labels[wh_phrase] == "WHNP"
        after = [i for i in nouns if i > verbal[0]]
        if self.labels[head] in ("SQ", "SINV") and after:
            between = (i for i in children if verbal[-1] < i < after[0])
            # "Who was here last night?" asks for the subject.
            is_far = any(self.labels[i] in ("ADVP", "PP") for i in between)
            if not (is_who and is_far):
                return after[0]
        if before:
            return before[-1]
        sisters = [i for i in children if i < verbal[0] and self.labels[i] != "ADVP"]
        if sisters and self.labels[sisters[-1]] in ("S", "SBAR"):
            is_told = [self.tree.tags[i] for i in self.verbs(head)[:1]] == ["VB"]
            return None if is_told else sisters[-1]
        is_finite = not any(head in self.found[form] for form in _FORMS)
        return wh_phrase if is_finite and is_who else None

    def _opener(self, head: int) -> int | None:
        """The wh-phrase that begins a clause, or the coordination that it is in."""
        below = (child for at in self._climb(head, True) for child in self.children[at])
        return next((i for i in below if self.labels[i].startswith("WH")), None)

    def verbs(self, head: int) -> list[int]:
        """The words of a clause's verb group."""
        found, at = [], head
        while True:
            children = self.children[at]
            found += [i for i in children if self.labels[i] in _VERBS]
            phrases = [i for i in children if self.labels[i] == "VP"]
            if not phrases:
                return [self.nodes[i].start for i in found]
            at = phrases[0]

    def antecedent(self, head: int) -> tuple[int, int] | None:
        """The extent of what a clause in a noun phrase describes."""
        at = self._outer(head)
        parent = self.nodes[at].parent
        if self.labels[parent] == "RRC":
            at, parent = parent, self.nodes[parent].parent
        if self.labels[parent] not in _NOUNS or self.firsts[head] is not None:
            return None
        start, end = self.nodes[parent].start, self.nodes[at].start
        words = self._trim(list(range(start, end)))
        return (words[0], words[-1] + 1) if words else None

    def is_asked(self, head: int) -> bool:
        """Whether a clause is a question, or coordinated with one."""
        while self.labels[head] != "SQ" and (first := self.firsts[head]) is not None:
            head = first
        return self.labels[head] == "SQ" or self._outer(head) in self.found["question"]

    def kept(self, head: int) -> list[int]:
        """The words of a clause as a sentence; none where rules do not tell them."""
        kind, subject, opener = self.kind(head), self.subject(head), self._opener(head)
        whole, before = head, list[int]()
        if kind in _FORMS or not self.verbs(head):
            return []
        if head in self.found["coordinate"]:
            if subject is not None:
                if self.labels[subject] == "WHNP" and not self.is_asked(head):
                    return []
                before = list(range(*self.extents[subject]))
        elif opener is not None and not self.is_asked(head):
            antecedent = self.antecedent(head)
            if kind == "relative" and subject == opener and antecedent:
                # "Whose dog" and "which of them" are more than the antecedent.
                if len(range(*self.extents[opener])) > 1:
                    return []
                before = list(range(*antecedent))
            elif kind != "adverbial" or self.labels[opener] != "WHADVP" or not subject:
                return []
        elif kind in ("complement", "adverbial"):
            if subject is None or self.labels[head] != "S" or self._is_compared(head):
                return []
        elif self._outer(head) in self.found["relative"]:
            return []
        else:
            whole = self.whole(head) if self.is_asked(head) else head
        return self._trim([*before, *self._without_coordinates(whole, head)])

    def _is_compared(self, head: int) -> bool:
        """Whether a clause follows *than*, and lacks what is compared."""
        opening = self.children[self.whole(head)]
        return any(self.labels[at + 1].lower() == "than" for at in opening)

    def _without_coordinates(self, whole: int, head: int) -> list[int]:
        """A clause's words without the clauses in it that are coordinated with it."""
        dropped: set[int] = set()
        for at in self.found["coordinate"] | self.found["added"]:
            parent = self.nodes[at].parent
            if self.firsts.get(at, parent) == head:
                sisters = self.children[parent]
                phrases = [i for i in sisters if i < at and self.labels[i] == "VP"]
                dropped.update(range(self.nodes[phrases[-1]].end, self.nodes[at].end))
        return [word for word in range(*self.extents[whole]) if word not in dropped]
