"""The clauses of predicates with their dependents."""

import re
from collections.abc import Sequence

from spacy_gfl.tools.treebanks.dependency_phrases import (
    BEFORE_OPENERS,
    OUTER,
    VERBAL,
    Phrases,
)

_SUBJECTS = frozenset({"nsubj", "csubj"})
_OBJECTS = frozenset({"obj", "iobj", "xcomp", "compound", "expl"})
#: Words that belong to another without a constituent of their own.
_JOINED = frozenset({"fixed", "flat", "goeswith", "compound", "clf"})
#: Words that have no constituent of their own, whatever depends on them.
_FUNCTIONAL = frozenset({"aux", "cop", "case", "mark", "punct"})
_CLAUSES = frozenset({"acl", "advcl", "ccomp", "csubj", "parataxis", "xcomp"})
#: How a relative pronoun belongs to a noun: the roof of which.
_NOMINAL_RELATIONS = frozenset({"nmod", "det"})
_REFLEXIVE = re.compile(r"s[eei]|s['’]|si[ęg]|sa|sich|zich|seg|sig", re.IGNORECASE)
_OBLIQUE = re.compile(r"Case=(?:Acc|Dat)")
_WH = {"NP": "WHNP", "PP": "WHPP", "ADJP": "WHADJP", "ADVP": "WHADVP"}


class Constituents(Phrases):
    """The constituents of each word with its dependents."""

    def apply(self, at: int) -> None:
        """Find the constituents of a word whose dependents have theirs."""
        word = self.words[at]
        parts: Sequence[int] = self.blocks.parts[at]
        if word.base == "conj":
            parts = self.without_cc(at, parts)
        if word.base in _FUNCTIONAL or self.is_in_number(at):
            return
        if word.base in _JOINED and word.tag not in VERBAL:
            return
        make = self._clause if self.is_clause(at) else self.phrase
        before = len(self.found)
        self.label[at] = make(at, parts)
        if len(self.found) > before:
            self.last[at] = len(self.found) - 1

    def is_clause(self, at: int) -> bool:
        word, relations = self.words[at], self.below(at)
        if relations & {"nsubj", "csubj", "cop", "aux", "expl", "orphan"}:
            return True
        if any(map(self.is_light_verb, self.blocks.parts[at])):
            return True
        if not self.is_verb(at):
            return "mark" in relations and word.base in {*_CLAUSES, "root"}
        if word.base in ("amod", "det", "advmod", "case", "mark", "cc", "discourse"):
            return False
        is_nominal = word.base in ("nmod", "obl", "appos", "obj", "iobj", "nsubj")
        return not (is_nominal and relations & {"det", "amod", "nmod", "nummod"})

    def _clause(self, at: int, parts: Sequence[int]) -> str:
        """The constituents of a predicate; the label of the largest."""
        start, end, opener = self._opened(at, parts)
        after = range(max(start, parts.index(at) + 1), end)
        joined = next((n for n in after if self._is_joined_clause(parts[n])), end)
        conjuncts = [part for part in parts[joined:end] if self.base(part) == "conj"]
        if opener and any(self.label[part] == "SBAR" for part in conjuncts):
            self._predicate(at, parts[start:joined])
            self.add(opener, parts[:joined], at)
            return self.add("SBAR", parts, at)
        label = self._predicate(at, parts[start:joined])
        if joined < end:
            label = self.add("S", parts[start:end], at)
        if opener:
            label = self.add(opener, parts, at)
        if self.base(at) == "root":
            label = self.add("S", parts, at)
        return label

    def _is_joined_clause(self, part: int) -> bool:
        """Whether a part after the head is a clause beside the head's, not below it."""
        base, label = self.base(part), self.label[part]
        if base == "conj":
            return label in ("S", "SBAR")
        return base in ("parataxis", "list") and label in ("S", "SBAR", "VP")

    def _opened(self, at: int, parts: Sequence[int]) -> tuple[int, int, str]:
        """Where the clause proper begins and ends, and what it and its opener are."""
        here, start, end, opener = parts.index(at), 0, len(parts), ""
        core_start, core_end = self._own_phrase(at, parts)
        for n in range(core_start):
            part = parts[n]
            word = self.words[part]
            if word.base not in BEFORE_OPENERS:
                break
            if word.base == "case":
                start, opener = n + 1, "PP"
            elif word.base == "mark" and word.tag != "PART":
                start, opener = n + 1, self._opener_label(at, part)
        while end > here + 1 and self._is_closer(parts[end - 1]):
            end -= 1
            opener = opener or ("SBAR" if self.base(parts[end]) == "mark" else "PP")
        if opener:
            return start, end, opener
        first = 0
        while first < here and self.base(parts[first]) in ("cc", "discourse"):
            first += 1
        part = parts[first]
        if first == core_start and core_end < len(parts):
            if self._asks_first(parts[first:core_end], at):
                start = core_end
                if core_end - first > 1:
                    label = self._phrase_label(at)
                    self.with_case(at, label, parts[first:core_end])
                    self._ask(len(self.found) - 1)
        elif part != at and self._is_question_phrase(part, self.first_relation[at]):
            start = first + 1
            self._ask(self.last.get(part))
        if start and start < end:
            is_question = self.first_relation[at].startswith(("root", "parataxis"))
            return start, end, "S" if is_question else "SBAR"
        return 0, end, ""

    def _own_phrase(self, at: int, parts: Sequence[int]) -> tuple[int, int]:
        """The first and the one after the last part of a predicate beside its copula.

        For a verb, or a predicate without a copula, this is the word alone.
        """
        here = parts.index(at)
        if self.is_verb(at) or "cop" not in self.below(at):
            return here, here + 1
        return self.core(at, parts)

    def _asks_first(self, parts: Sequence[int], at: int) -> bool:
        """Whether a predicate beside its copula asks: how old, in which town."""
        if self.is_verb(at):
            return False
        first = at if parts[0] == at else self.blocks.start[parts[0]]
        return self.asks_word(self._after_openers(first, at + 1))

    def _is_closer(self, part: int) -> bool:
        """Whether a part after the predicate is a conjunction or an adposition.

        A mark with a verb, as in Japanese, is one with the predicate.
        """
        below = (self.words[other].tag for other in self.blocks.parts[part])
        return self.base(part) in ("mark", "case") and VERBAL.isdisjoint(below)

    def _opener_label(self, at: int, part: int) -> str:
        if any(map(self._is_subject, self.blocks.parts[at])):
            return "SBAR"
        if "VerbForm=Ger" in self.words[at].features or self.words[part].tag == "ADP":
            return "VP" if self.base(at) == "xcomp" else "PP"
        return "SBAR"

    def _is_question_phrase(self, at: int, clause: str) -> bool:
        """Whether a dependent asks: in which town, il cui padre, the roof of which."""
        end = self.blocks.end[at]
        first = self._after_openers(self.blocks.start[at], end)
        if self.is_clause(at) and first != at:
            return False
        if self.asks_word(first):
            return True
        if not clause.endswith(("acl", "relcl")):
            return False
        if first != at or first != end - 1:
            return self._has_relative(at)
        return self.words[at].tag in ("PRON", "DET", "ADV", "SCONJ") and bool(
            self.relates.fullmatch(self.words[at].text)
        )

    def _after_openers(self, first: int, end: int) -> int:
        """The first word of a phrase behind its adpositions and articles."""
        while first < end - 1 and not self.asks_word(first):
            if self.words[first].tag != "ADP" and self.base(first) != "det":
                break
            first += 1
        return first

    def _has_relative(self, at: int) -> bool:
        """Whether a relative pronoun depends on a noun, over nouns alone."""
        below = list(self.blocks.parts[at])
        for part in below:  # which grows
            if part != at and self.base(part) in _NOMINAL_RELATIONS:
                if self.words[part].tag in ("PRON", "DET") and self.asks_word(part):
                    return True
                below += [n for n in self.blocks.parts[part] if n != part]
        return False

    def _ask(self, n: int | None) -> None:
        """Call a constituent one that asks."""
        if n is not None:
            label = self.found[n].label
            self.found[n] = self.found[n]._replace(label=_WH.get(label, label))

    def _is_subject(self, part: int) -> bool:
        word = self.words[part]
        if word.relation == "expl":
            # Of il y a, y is none.
            siblings = self.blocks.parts[word.head]
            if any(self.words[n].relation == "expl:subj" for n in siblings):
                return False
        if word.base == "expl":
            is_object = _REFLEXIVE.fullmatch(word.text) or _OBLIQUE.search(
                word.features
            )
            return word.relation in ("expl", "expl:subj") and not is_object
        return word.base in _SUBJECTS

    def _is_object(self, part: int) -> bool:
        """Whether a part is an object, of any case: Ana le escribe."""
        word = self.words[part]
        is_clitic = word.tag == "PRON" and not self.below(part)
        return word.base in _OBJECTS or (is_clitic and word.relation == "obl:arg")

    def _predicate(self, at: int, parts: Sequence[int]) -> str:
        """The verb phrase of a clause without its openers, and the clause around it."""
        base, tags = self.base, [self.words[part].tag for part in parts]
        is_verb = self.is_verb(at)
        verbs = [
            n
            for n, part in enumerate(parts)
            if base(part) in ("aux", "cop")
            or self.is_light_verb(part)
            or (part == at and is_verb)
        ]
        if at not in parts:  # It asks, and stands before the clause.
            start = verbs[0] if verbs else 0
            end = start + 1
        elif is_verb:
            start = parts.index(at)
            end = start + 1
        else:
            start, end = self.core(at, parts)
            label = self._phrase_label(at) or "FRAG"
            self.with_case(at, label, parts[start:end])
        subjects = [n for n, part in enumerate(parts) if self._is_subject(part)]
        left = max((n for n in subjects if n < start), default=-1)
        last = len(parts)
        while last > end and base(parts[last - 1]) in OUTER:
            last -= 1
        is_expletive = left >= 0 and base(parts[left]) == "expl"
        right = min((n for n in subjects if n >= end), default=last)
        if is_expletive:
            right = last
        last = min(right, last)
        first = start
        for n in range(left + 1, start):
            part = parts[n]
            is_of_verb = base(part) in ("aux", "cop") or (
                tags[n] == "PART" and base(part) in ("mark", "advmod")
            )
            is_object = (
                self._is_object(part) and right >= last and not (subjects and left < 0)
            )
            if is_of_verb or is_object:
                first = n
                break
        label = ""
        if verbs:
            joined = [n for n in range(end, last) if base(parts[n]) == "conj"]
            if joined:
                begin = first
                if not self.below(parts[joined[0]]) & {"aux", "cop"}:
                    while begin < start and (
                        base(parts[begin]) == "aux" or tags[begin] == "PART"
                    ):
                        begin += 1
                own = parts[begin : joined[0]]
                if own != [at] or any(self.is_long(parts[n]) for n in joined):
                    self.add("VP", own, at)
            if not subjects and base(at) != "root":
                first, last = 0, len(parts)
            label = self.add("VP", parts[first:last], at)
            if subjects and is_verb and last - first == 1:
                self.alone.add(at)
        if subjects or (first, last) != (0, len(parts)) or not verbs:
            label = self.add("S" if subjects or verbs else "FRAG", parts, at)
        return label
