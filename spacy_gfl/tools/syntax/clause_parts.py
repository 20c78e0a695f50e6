"""The parts of the clauses of a tree: subjects, verbs, what each depends on."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from graphlib import TopologicalSorter
from itertools import groupby

from spacy_gfl.languages import en
from spacy_gfl.tools.query.pattern_nodes import rooted_nodes
from spacy_gfl.tools.syntax.clause_patterns import clause_patterns
from spacy_gfl.trees.tree import Tree

_PLACES = ("question", "main", "relative", "complement", "adverbial")
NOUNS = frozenset({"NP", "NX", "NML", "WHNP"})
_VERBS = frozenset({"MD", "VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "TO"})
_SENTENCES = frozenset({"S", "SINV", "SQ", "SBARQ"})
_WRAPPERS = frozenset({"SBAR", "SBARQ"})
FORMS = ("infinitival", "participial")
_MARGINS = en.LANGUAGE.punctuation | {"CC"}
#: Conjunctions that join nothing to what is before them.
_FIRST_OF_TWO = frozenset({"both", "either", "neither"})
_PAIRS = {"-LRB-": "-RRB-", "``": "''"}


class ClauseParts:
    """The clauses of a tree. Nodes and heads are given by their places in pre-order."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.nodes = rooted_nodes(tree)
        self.labels = [node.label for node in self.nodes]
        self.extents = [(node.start, node.end) for node in self.nodes]
        self.children: dict[int, list[int]] = defaultdict(list)
        for at, node in enumerate(self.nodes):
            self.children[node.parent].append(at)
        heads_of = clause_patterns().heads(self.nodes)
        self.found = {name: set(heads) for name, heads in heads_of.items()}
        self.found["head"] = self.found["clause"] | self.found["coordinate"]
        self.heads = sorted(self.found["head"])
        # What each clause is coordinated with, if it is a later part of a coordination.
        self.firsts = {head: self._first(head) for head in self.heads}
        # The later parts of the coordination that a clause is the first part of.
        self.coordinated: dict[int | None, list[int]] = defaultdict(list)
        for at in sorted(self.found["coordinate"] | self.found["added"]):
            self.coordinated[self.firsts.get(at, self.nodes[at].parent)].append(at)
        # The words of a clause's verb group.
        self.verbs = {head: self._verbs(head) for head in self.heads}
        # The clause that each depends on; for a later conjunct, the first one.
        self.above = {head: self._above(head) for head in self.heads}
        # The clause that each word belongs to: of those around it, the last.
        self.owners: list[int | None] = [None] * len(tree)
        for head in sorted(self.heads, key=self.whole):
            start, end = self.extents[self.whole(head)]
            self.owners[start:end] = [head] * (end - start)
        self._own: dict[int | None, list[int]] = defaultdict(list)
        for word, owner in enumerate(self.owners):
            self._own[owner].append(word)

    def ancestors(self, at: int) -> Iterator[int]:
        while (at := self.nodes[at].parent) >= 0:
            yield at

    def kind(self, head: int) -> str:
        if self.firsts[head] is not None:
            return "coordinate"
        form = next((form for form in FORMS if head in self.found[form]), None)
        outer = self.outer(head)
        places = (kind for kind in _PLACES if outer in self.found[kind])
        return form or next(places, "main")

    def _climb(self, head: int, joined: bool) -> Iterator[int]:
        """The nodes that have a clause and little else, and coordinations if joined."""
        for at in self.ancestors(head) if self.labels[head] != "VP" else ():
            conjuncts, children = self.conjuncts(at), self.children[at]
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

    def conjuncts(self, at: int) -> list[int]:
        """The clauses that a coordination joins; none if a node is no coordination."""
        if at not in self.found["coordination"]:
            return []
        labels = {"SBAR"} if self.labels[at] == "SBAR" else _SENTENCES
        return [i for i in self.children[at] if self.labels[i] in labels]

    def whole(self, head: int) -> int:
        """The node of a clause with its conjunction or wh-phrase."""
        return min(self._climb(head, False), default=head)

    def outer(self, head: int) -> int:
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
            start = next(iter(self.conjuncts(at)), below)
            # Conjuncts without a verb are no clauses.
            earlier = (i for i in self.heads if start <= i < below)
            first = next((i for i in earlier if at in self._climb(i, True)), None)
            if first is not None:
                return first
            below = at
        return self.nodes[below].parent if below in self.found["added"] else None

    def from_above(self) -> Iterable[int]:
        """The heads, each after that of the clause that it depends on."""
        known = {head: [] if at is None else [at] for head, at in self.above.items()}
        return TopologicalSorter(known).static_order()

    def _above(self, head: int) -> int | None:
        if (first := self.firsts[head]) is not None:
            return first
        below = self.outer(head)
        for at in self.ancestors(below):
            if at in self.found["head"]:
                return at
            # Beside what a fronted clause belongs to.
            asked = {"SQ"} if self.labels[at] == "SBARQ" else {"S", "SQ"}
            main = next(
                (i for i in self.children[at] if self.labels[i] in asked), below
            )
            # A conjunct belongs to no later one.
            is_earlier = below < main and below in self.conjuncts(at)
            if main != below and not is_earlier and self.labels[at] in ("S", "SBARQ"):
                end = self.nodes[main].end
                inside = (i for i in self.heads if i >= main)
                if (first := next(inside, None)) and self.nodes[first].start < end:
                    return first
            below = at
        return None

    def own(self, head: int) -> Iterator[tuple[int, int]]:
        """The extents of a clause's own words, without punctuation at their ends."""
        own = enumerate(self._own[head])
        for _, group in groupby(own, key=lambda pair: pair[1] - pair[0]):
            if run := self.trim([word for _, word in group]):
                yield run[0], run[-1] + 1

    def trim(self, words: Sequence[int]) -> list[int]:
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
        nouns = [i for i in children if self.labels[i] in NOUNS]
        before = [i for i in nouns if i < verbal[-1]]
        wh_phrase = self.opener(head)
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
            is_told = [self.tree.tags[i] for i in self.verbs[head][:1]] == ["VB"]
            return None if is_told else sisters[-1]
        is_finite = not any(head in self.found[form] for form in FORMS)
        return wh_phrase if is_finite and is_who else None

    def opener(self, head: int) -> int | None:
        """The wh-phrase that begins a clause, or the coordination that it is in."""
        below = (child for at in self._climb(head, True) for child in self.children[at])
        return next((i for i in below if self.labels[i].startswith("WH")), None)

    def _verbs(self, head: int) -> list[int]:
        verbs, at = [], head
        while True:
            children = self.children[at]
            verbs += [i for i in children if self.labels[i] in _VERBS]
            phrases = [i for i in children if self.labels[i] == "VP"]
            if not phrases:
                return [self.nodes[i].start for i in verbs]
            at = phrases[0]

    def antecedent(self, head: int) -> tuple[int, int] | None:
        """The extent of what a clause in a noun phrase describes."""
        at = self.outer(head)
        parent = self.nodes[at].parent
        if self.labels[parent] == "RRC":
            at, parent = parent, self.nodes[parent].parent
        if self.labels[parent] not in NOUNS or self.firsts[head] is not None:
            return None
        start, end = self.nodes[parent].start, self.nodes[at].start
        words = self.trim(list(range(start, end)))
        return (words[0], words[-1] + 1) if words else None

    def is_asked(self, head: int) -> bool:
        """Whether a clause is a question, or coordinated with one."""
        while self.labels[head] != "SQ" and (first := self.firsts[head]) is not None:
            head = first
        return self.labels[head] == "SQ" or self.outer(head) in self.found["question"]
