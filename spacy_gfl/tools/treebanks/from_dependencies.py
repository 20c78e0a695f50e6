"""Trees of the common scheme out of Universal Dependencies, by rule.

A constituent is a head with its dependents, and is named after the relation and the tag
of its head. making/treebank/dependencies.md has every rule with an example.

A tree is made in four steps:

1. Punctuation is set aside, and dependents that are apart from their head are moved to
   the lowest word above it where nothing comes between (`_Blocks`).
2. Every word with dependents gives its constituents (`_Rules`).
3. Punctuation comes back, as high as its neighbours allow, pairs together.
4. Single words become phrases, and of a unary chain the lowest stays
   (`common_scheme.finish`).
"""

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from spacy_gfl.languages.base import Language
from spacy_gfl.tools.treebanks.common_scheme import finish
from spacy_gfl.trees.tree import Constituent, Tree, TreeError, in_pre_order


class Word(NamedTuple):
    """A word of a dependency tree.

    Attributes:
        text: The word.
        tag: Its universal tag.
        relation: Its relation to its head, with the subtype.
        head: The index of its head from 0, its own for the root.
        features: Its morphological features, "VerbForm=Inf|Voice=Act".
    """

    text: str
    tag: str
    relation: str
    head: int
    features: str = ""

    @property
    def base(self) -> str:
        """The universal relation, without its subtype."""
        return self.relation.partition(":")[0]


class DependencyError(TreeError):
    """Raised when heads are no tree over their words.

    Attributes:
        at: The word at fault, from 0.
    """

    def __init__(self, message: str, at: int) -> None:
        super().__init__(message)
        self.at = at


_RELATIONS = """
    acl advcl advmod amod appos aux case cc ccomp clf compound conj cop csubj dep det
    discourse dislocated expl fixed flat goeswith iobj list mark nmod nsubj nummod obj
    obl orphan parataxis punct reparandum root vocative xcomp
"""
#: The relations of Universal Dependencies, without subtypes.
RELATIONS = frozenset(_RELATIONS.split())
_NOMINAL = frozenset({"NOUN", "PROPN", "PRON", "NUM", "DET", "SYM", "X"})
_VERBAL = frozenset({"VERB", "AUX"})
_SUBJECTS = frozenset({"nsubj", "csubj"})
_OBJECTS = frozenset({"obj", "iobj", "xcomp", "compound", "expl"})
_NEAR_NOUNS = """
    acl amod appos case clf compound conj dep det fixed flat goeswith nmod nummod
    reparandum
"""
#: What stands in a noun phrase beside its noun.
_OF_NOUNS = frozenset(_NEAR_NOUNS.split())
#: What stands in an adjective or adverb phrase beside its head.
_OF_ADJECTIVES = _OF_NOUNS | {"advmod", "obl", "xcomp", "ccomp"}
#: Words that belong to another without a constituent of their own.
_JOINED = frozenset({"fixed", "flat", "goeswith", "compound", "clf"})
_ARGUMENTS = frozenset({"nsubj", "obj", "iobj", "obl", "nmod", "appos", "vocative"})
_OF_NUMBERS = frozenset(
    {"advmod", "compound", "flat", "nummod", "amod", "case", "fixed"}
)
#: Words that have no constituent of their own, whatever depends on them.
_FUNCTIONAL = frozenset({"aux", "cop", "case", "mark", "punct"})
#: What stands outside of verb phrases, and of a noun phrase that is a sentence.
_OUTER = frozenset({"parataxis", "vocative", "dislocated", "discourse", "list"})
#: What makes a fragment of a phrase that is a sentence.
_BESIDE = _OUTER | {"advcl", "obl", "csubj", "orphan"}
_BEFORE_OPENERS = frozenset({"advmod", "cc", "discourse", "mark", "case", "fixed"})
_PREDICATES = frozenset({"acl", "advcl", "ccomp", "conj", "csubj", "root", "xcomp"})
_CLAUSES = frozenset({"acl", "advcl", "ccomp", "csubj", "parataxis", "xcomp"})
_PAIRS = {
    **{"(": ")", "[": "]", "{": "}", "-LRB-": "-RRB-", "``": "''", "（": "）"},
    **{"「": "」", "『": "』", "《": "》", "【": "】", "〈": "〉", "¿": "?", "¡": "!"},
    **{"“": "”", "„": "“”", "«": "»", "»": "«", "‹": "›", "‘": "’", "‚": "‘’"},
    **{'"': '"', "”": "”", ",,": "''"},
}
_BRACKETS = frozenset({"(", "[", "{", "-LRB-", "（", "【"})
_REFLEXIVE = re.compile(r"s[eei]|s['’]|si[ęg]|sa|sich|zich|seg|sig", re.IGNORECASE)
_NOTHING = r"(?!)"
_ASKS = re.compile(r"PronType=[A-Za-z,]*(?:Int|Rel)")
_WH = {"NP": "WHNP", "PP": "WHPP", "ADJP": "WHADJP", "ADVP": "WHADVP"}


def tree_from_dependencies(words: Sequence[Word], language: Language) -> Tree:
    """Make a tree of the common scheme out of a dependency tree.

    Args:
        words: The words of a sentence, with one root.
        language: The language, whose words that ask questions are known.

    Raises:
        DependencyError: If there is no root or more than one, or heads go in a circle.
    """
    marks = _marks(words)
    kept = [at for at in range(len(words)) if not marks[at]]
    new = {at: n for n, at in enumerate(kept)}
    inner = [words[at]._replace(head=new[words[at].head]) for at in kept]
    inner = [_with_infinitive(inner, word) for word in inner]
    blocks = _Blocks(inner)
    rules = _Rules(inner, blocks, language)
    for at in blocks.order:
        rules.apply(at)
    # Extents without marks become those with them.
    found = [
        (label, kept[start], kept[end - 1] + 1)
        for label, start, end in rules.found
        if end - start > 1 or len(kept) == 1
    ]
    tree = _with_marks(words, marks, found)
    roles = [_role(words, at) for at in range(len(words))]
    for n, at in enumerate(kept):
        if rules.is_verb(n):
            roles[at] = "VERB"
    finished = finish(Tree(tree.words, tuple(roles), tree.constituents))
    return Tree(tree.words, tree.tags, finished.constituents)


def _with_infinitive(words: Sequence[Word], word: Word) -> Word:
    """A word; the marker of an infinitive (til að) as its verb's own."""
    above = words[word.head]
    if (word.base, word.tag, above.base) == ("fixed", "PART", "mark"):
        return word._replace(relation="mark", head=above.head)
    return word


def _role(words: Sequence[Word], at: int) -> str:
    """The tag of a word, or of another that is a phrase where this one is."""
    word = words[at]
    if word.base in ("case", "mark", "fixed", "cc", "det", "flat", "goeswith", "clf"):
        return "ADP"
    if word.base == "advmod" and word.tag in ("PART", "ADP", "NOUN"):
        # A negation before its verb is a word of the verb phrase.
        before, after = (
            {word.tag for word in words[n : n + 1]} for n in (at - 1, at + 1)
        )
        is_of_verb = bool(after & _VERBAL) and not before & _VERBAL
        return "PART" if word.tag == "PART" and is_of_verb else "ADV"
    return word.tag


def _marks(words: Sequence[Word]) -> list[bool]:
    """Which words are punctuation that nothing depends on."""
    heads = {word.head for at, word in enumerate(words) if word.head != at}
    return [
        word.base == "punct" and word.tag != "SYM" and at not in heads
        for at, word in enumerate(words)
    ]


class _Blocks:
    """The words of a sentence with their dependents, each without a gap.

    Attributes:
        order: The words, heads after their dependents.
        parts: For each word, itself and its dependents from left to right.
        start, end: For each word the first of its block, and the word after the last.
    """

    def __init__(self, words: Sequence[Word]) -> None:
        children: list[list[int]] = [[] for _ in words]
        order: list[int] = []
        for at, word in enumerate(words):
            (order if word.head == at else children[word.head]).append(at)
        if len(order) != 1:
            raise DependencyError(
                f"a second word, {words[order[1]].text!r}, has no head (0)"
                if order
                else "no word is the root (head 0)",
                order[1] if order else 0,
            )
        for at in order:  # which grows, heads before their dependents
            order += children[at]
        if len(order) < len(words):
            at = min(set(range(len(words))).difference(order))
            message = f"the heads of {words[at].text!r} go in a circle"
            raise DependencyError(message, at)
        self.order = order[::-1]
        self.start = list(range(len(words)))
        self.end = [at + 1 for at in self.start]
        self.parts = [[at] for at in self.start]
        # Blocks that wait for what is between them and a head, by both of their ends.
        waiting: dict[int, tuple[dict[int, int], dict[int, int]]] = {}
        for at in self.order:
            below = sorted((waiting.pop(child) for child in children[at]), key=_size)
            by_start, by_end = below.pop() if below else ({}, {})
            for starts, ends in below:
                by_start |= starts
                by_end |= ends
            for child in children[at]:
                by_start[self.start[child]] = by_end[self.end[child]] = child
            before: list[int] = []
            while (block := by_end.pop(self.start[at], None)) is not None:
                before.append(block)
                self.start[at] = self.start[block]
                del by_start[self.start[block]]
            after: list[int] = []
            while (block := by_start.pop(self.end[at], None)) is not None:
                after.append(block)
                self.end[at] = self.end[block]
                del by_end[self.end[block]]
            self.parts[at] = [*before[::-1], at, *after]
            waiting[at] = (by_start, by_end)


def _size(waiting: tuple[dict[int, int], dict[int, int]]) -> int:
    return len(waiting[0])


class _Rules:
    """The constituents of each word with its dependents.

    Attributes:
        found: Constituents, those of heads after those of their dependents.
    """

    def __init__(
        self, words: Sequence[Word], blocks: _Blocks, language: Language
    ) -> None:
        self.found: list[Constituent] = []
        self._words, self._blocks = words, blocks
        self._asks = re.compile(language.question_words or _NOTHING, re.IGNORECASE)
        self._relates = re.compile(language.relative_words or _NOTHING, re.IGNORECASE)
        #: The relation of each word, or of the first that it is coordinated with.
        self._first_relation = [word.relation for word in words]
        for at in reversed(blocks.order):
            if words[at].base == "conj":
                self._first_relation[at] = self._first_relation[words[at].head]
        #: The largest constituent of each word, and its label.
        self._last: dict[int, int] = {}
        self._label = [""] * len(words)

    def apply(self, at: int) -> None:
        """Find the constituents of a word whose dependents have theirs."""
        word = self._words[at]
        parts: Sequence[int] = self._blocks.parts[at]
        if word.base == "conj":
            parts = self._without_cc(at, parts)
        if word.base in _FUNCTIONAL or (
            word.base in _JOINED and word.tag not in _VERBAL
        ):
            return
        make = self._clause if self._is_clause(at) else self._phrase
        before = len(self.found)
        self._label[at] = make(at, parts)
        if len(self.found) > before:
            self._last[at] = len(self.found) - 1

    # What a word is.

    def _is_clause(self, at: int) -> bool:
        word = self._words[at]
        relations = {
            self._words[part].base for part in self._blocks.parts[at] if part != at
        }
        if relations & {"nsubj", "csubj", "cop", "aux", "expl", "orphan"}:
            return True
        if any(map(self._is_light_verb, self._blocks.parts[at])):
            return True
        if not self.is_verb(at):
            return "mark" in relations and word.base in {*_CLAUSES, "root"}
        if word.base in ("amod", "det", "advmod", "case", "mark", "cc", "discourse"):
            return False
        is_nominal = word.base in ("nmod", "obl", "appos", "obj", "iobj", "nsubj")
        return not (is_nominal and relations & {"det", "amod", "nmod", "nummod"})

    def is_verb(self, at: int) -> bool:
        """Whether a word is a verb, by its tag or its arguments.

        Korean and Turkish verbs that join clauses are tagged as what they join with.
        """
        word = self._words[at]
        if word.tag in _VERBAL:
            return True
        if word.tag not in ("ADV", "CCONJ", "SCONJ", "PART"):
            return False
        below = {self._base(part) for part in self._blocks.parts[at] if part != at}
        return (
            bool(below & {"obj", "iobj", "ccomp", "obl"}) and word.base in _PREDICATES
        )

    def _asks_word(self, at: int) -> bool:
        word = self._words[at]
        if word.tag not in ("PRON", "DET", "ADV", "ADJ", "SCONJ", "NUM", "PART"):
            return False
        if "PronType=" in word.features:
            return bool(_ASKS.search(word.features))
        return bool(self._asks.fullmatch(word.text))

    def _is_light_verb(self, part: int) -> bool:
        word = self._words[part]
        return word.base == "compound" and word.tag in _VERBAL

    def _is_question_phrase(self, at: int, clause: str) -> bool:
        """Whether a dependent begins with a word that asks, after its adpositions."""
        first, end = self._blocks.start[at], self._blocks.end[at]
        while first < end - 1 and self._words[first].tag == "ADP":
            first += 1
        if self._is_clause(at) and first != at:
            return False
        if self._asks_word(first):
            return True
        return (
            first == at
            and first == end - 1
            and clause.endswith(("acl", "relcl"))
            and self._words[at].tag in ("PRON", "DET", "ADV", "SCONJ")
            and bool(self._relates.fullmatch(self._words[at].text))
        )

    # Extents.

    def _add(self, label: str, parts: Sequence[int], head: int = -1) -> str:
        """A constituent over parts that are next to each other; its label."""
        if parts:
            first, last = parts[0], parts[-1]
            start = first if first == head else self._blocks.start[first]
            end = last + 1 if last == head else self._blocks.end[last]
            self.found.append(Constituent(label, start, end))
        return label

    def _is_long(self, part: int) -> bool:
        """Whether a word has dependents beside conjunctions."""
        others = (
            self._base(other) for other in self._blocks.parts[part] if other != part
        )
        return any(base != "cc" for base in others)

    def _without_cc(self, at: int, parts: Sequence[int]) -> Sequence[int]:
        """Parts of a word without conjunctions at the ends."""
        start, end = 0, len(parts)
        while parts[start] != at and self._base(parts[start]) == "cc":
            start += 1
        while parts[end - 1] != at and self._base(parts[end - 1]) == "cc":
            end -= 1
        return parts[start:end]

    def _base(self, part: int) -> str:
        return self._words[part].base

    # Phrases.

    def _phrase(self, at: int, parts: Sequence[int]) -> str:
        """The constituents of a word that is no predicate; the label of the largest."""
        word = self._words[at]
        label = self._phrase_label(at)
        if word.base in ("root", "parataxis", "conj", "list"):
            start, end = self._core(at, parts)
            beside = (*parts[:start], *parts[end:])
            if label and any(map(self._is_beside, beside)):
                self._with_case(at, label, parts[start:end])
                return self._add("S" if label == "ADJP" else "FRAG", parts, at)
        if not label:
            return ""
        relative = [
            part for part in parts if self._words[part].relation.endswith(":relcl")
        ]
        if relative and relative == list(parts[-1:]) and self._asks_word(at):
            cases = [part for part in parts if self._base(part) == "case" and part < at]
            self._add("SBAR", parts[len(cases) :], at)
            return self._add("PP", parts, at) if cases else "SBAR"
        return self._with_case(at, label, parts)

    def _is_beside(self, part: int) -> bool:
        """Whether a part makes a fragment of a phrase that is a sentence."""
        if self._base(part) in ("parataxis", "list"):
            return self._label[part] in ("S", "VP", "SBAR")
        return self._base(part) in _BESIDE

    def _phrase_label(self, at: int) -> str:
        word = self._words[at]
        if word.base == "cc":
            return "CONJP"
        if word.base == "nummod":
            below = {self._base(part) for part in self._blocks.parts[at] if part != at}
            return "" if below == {"clf"} else "QP"
        if word.base == "advmod" and word.tag != "ADJ":
            return "ADVP"
        if word.tag == "NUM":
            below = {self._base(part) for part in self._blocks.parts[at] if part != at}
            return "QP" if below and below <= _OF_NUMBERS else "NP"
        if word.tag in _NOMINAL or word.base in _ARGUMENTS:
            return "ADVP" if word.tag == "ADV" else "NP"
        others = {"ADV": "ADVP", "PART": "ADVP", "INTJ": "INTJ", "ADP": "PP"}
        return others.get(word.tag, "ADJP" if word.tag in ("ADJ", *_VERBAL) else "FRAG")

    def _core(self, at: int, parts: Sequence[int]) -> tuple[int, int]:
        """The first and the one after the last part of a predicate's own phrase."""
        word = self._words[at]
        kinds = _OF_NOUNS if word.tag in _NOMINAL else _OF_ADJECTIVES
        start = here = parts.index(at)
        end = here + 1
        while start and self._is_of_core(parts[start - 1], kinds):
            start -= 1
        while end < len(parts) and self._is_of_core(parts[end], kinds - {"advmod"}):
            end += 1
        return start, end

    def _is_of_core(self, part: int, kinds: frozenset[str]) -> bool:
        base = self._base(part)
        if base == "conj":
            return self._label[part] not in ("S", "VP", "SBAR", "FRAG")
        if base == "obl" and self._label[part] != "PP":
            return False
        is_beside = self._words[part].tag == "PART" or self._is_light_verb(part)
        return base in kinds and not is_beside

    def _with_case(self, at: int, label: str, parts: Sequence[int]) -> str:
        """A phrase, its parts in coordination, and what its adpositions make of it."""
        here = parts.index(at)
        start, end = 0, len(parts)
        for n in range(here):
            if self._base(parts[n]) not in _BEFORE_OPENERS:
                break
            if self._base(parts[n]) in ("case", "mark"):
                start = n + 1
        while end > here + 1 and self._base(parts[end - 1]) == "case":
            end -= 1
        has_case = (start, end) != (0, len(parts))
        is_clitic = end < len(parts) and self._words[parts[end]].tag == "PART"
        is_particle = is_clitic or self._base(at) in ("obj", "iobj", "conj")
        if has_case and (self._base(at) == "nsubj" or (is_particle and not start)):
            has_case, start, end = False, 0, len(parts)
        conjuncts = [n for n in range(here + 1, end) if self._base(parts[n]) == "conj"]
        labels = {self._label[parts[n]] for n in conjuncts}
        if has_case and start and "PP" in labels:
            first = conjuncts[0]
            self._add(label, parts[start:first], at)
            self._add("PP", parts[:first], at)
            return self._add("PP", parts, at)
        first = conjuncts[0] if conjuncts else end
        self._coordinate(at, label, parts[start:end], first - start)
        return self._add("PP", parts, at) if has_case else label

    def _coordinate(
        self, at: int, label: str, parts: Sequence[int], first: int
    ) -> None:
        """A phrase, which is a coordination if the part `first` is there."""
        conjuncts = [part for part in parts[first:] if self._base(part) == "conj"]
        if conjuncts:
            own = self._without_cc(at, parts[:first])
            if own[-1] != at or any(map(self._is_long, conjuncts)):
                self._add(label, own, at)
            if {self._label[part] for part in conjuncts} - {"", label, "FRAG"}:
                label = "UCP"
        self._add(label, parts, at)

    # Clauses.

    def _clause(self, at: int, parts: Sequence[int]) -> str:
        """The constituents of a predicate; the label of the largest."""
        word = self._words[at]
        start, end, opener = self._opened(at, parts)
        joined = next(
            (n for n in range(start, end) if self._is_joined_clause(at, parts, n)), end
        )
        labels = {
            self._label[parts[n]]
            for n in range(joined, end)
            if self._base(parts[n]) == "conj"
        }
        inner = parts[start:end]
        if opener and "SBAR" in labels:
            self._predicate(at, parts[start:joined])
            self._add(opener, parts[:joined], at)
            return self._add("SBAR", parts, at)
        label = self._predicate(at, parts[start:joined])
        if joined < end:
            label = self._add("S", inner, at)
        if opener:
            label = self._add(opener, parts, at)
        if word.base == "root":
            label = self._add("S", parts, at)
        return label

    def _is_joined_clause(self, at: int, parts: Sequence[int], n: int) -> bool:
        """Whether a part is a clause beside that of the head, not below it."""
        base, label = self._base(parts[n]), self._label[parts[n]]
        if n <= parts.index(at):
            return False
        if base == "conj":
            return label in ("S", "SBAR")
        return base in ("parataxis", "list") and label in ("S", "SBAR", "VP")

    def _opened(self, at: int, parts: Sequence[int]) -> tuple[int, int, str]:
        """Where the clause proper begins and ends, and what it and its opener are."""
        here, start, end, opener = parts.index(at), 0, len(parts), ""
        for n in range(here):
            part = parts[n]
            word = self._words[part]
            if word.base not in _BEFORE_OPENERS:
                break
            if word.base == "case":
                start, opener = n + 1, "PP"
            elif word.base == "mark" and not self._is_infinitive(part):
                start, opener = n + 1, self._opener_label(at, part)
        while end > here + 1 and self._is_closer(parts[end - 1]):
            end -= 1
            opener = opener or ("SBAR" if self._base(parts[end]) == "mark" else "PP")
        if opener:
            return start, end, opener
        first = next(
            (
                n
                for n in range(here + 1)
                if self._base(parts[n]) not in ("cc", "discourse")
            ),
            here,
        )
        part = parts[first]
        if part == at:
            if not self.is_verb(at) and self._asks_word(at) and len(parts) > 1:
                start = first + 1
        elif self._is_question_phrase(part, self._first_relation[at]):
            start = first + 1
            self._ask(part)
        if start and start < end:
            is_question = self._first_relation[at].startswith(("root", "parataxis"))
            return start, end, "S" if is_question else "SBAR"
        return 0, end, ""

    def _is_closer(self, part: int) -> bool:
        """Whether a part after the predicate is a conjunction or an adposition.

        A mark with a verb, as in Japanese, is one with the predicate.
        """
        below = (self._words[other].tag for other in self._blocks.parts[part])
        return self._base(part) in ("mark", "case") and _VERBAL.isdisjoint(below)

    def _is_infinitive(self, part: int) -> bool:
        return self._words[part].tag == "PART"

    def _opener_label(self, at: int, part: int) -> str:
        if any(map(self._is_subject, self._blocks.parts[at])):
            return "SBAR"
        if "VerbForm=Ger" in self._words[at].features or self._words[part].tag == "ADP":
            return "VP" if self._base(at) == "xcomp" else "PP"
        return "SBAR"

    def _ask(self, part: int) -> None:
        """Call the phrase of a dependent one that asks."""
        n = self._last.get(part)
        if n is not None:
            label = self.found[n].label
            self.found[n] = self.found[n]._replace(label=_WH.get(label, label))

    def _is_subject(self, part: int) -> bool:
        word = self._words[part]
        if word.base == "expl":
            return word.relation in ("expl", "expl:subj") and not _REFLEXIVE.fullmatch(
                word.text
            )
        return word.base in _SUBJECTS

    def _predicate(self, at: int, parts: Sequence[int]) -> str:
        """The verb phrase of a clause without its openers, and the clause around it."""
        base, tags = self._base, [self._words[part].tag for part in parts]
        is_verb = self.is_verb(at)
        verbs = [
            n
            for n, part in enumerate(parts)
            if base(part) in ("aux", "cop")
            or self._is_light_verb(part)
            or (part == at and is_verb)
        ]
        if at not in parts:  # It asks, and stands before the clause.
            start = verbs[0] if verbs else 0
            end = start + 1
        elif is_verb:
            start = parts.index(at)
            end = start + 1
        else:
            start, end = self._core(at, parts)
            label = self._phrase_label(at) or "FRAG"
            self._with_case(at, label, parts[start:end])
        subjects = [n for n, part in enumerate(parts) if self._is_subject(part)]
        left = max((n for n in subjects if n < start), default=-1)
        last = len(parts)
        while last > end and base(parts[last - 1]) in _OUTER:
            last -= 1
        is_expletive = left >= 0 and base(parts[left]) == "expl"
        right = min((n for n in subjects if n >= end), default=last)
        if is_expletive:
            right = last
        last = min(right, last)
        first = start
        for n in range(left + 1, start):
            part = parts[n]
            is_verb = base(part) in ("aux", "cop") or (
                tags[n] == "PART" and base(part) in ("mark", "advmod")
            )
            is_object = (
                base(part) in _OBJECTS and right >= last and not (subjects and left < 0)
            )
            if is_verb or is_object:
                first = n
                break
        label = ""
        if verbs:
            joined = [n for n in range(end, last) if base(parts[n]) == "conj"]
            if joined:
                begin = first
                other = {base(part) for part in self._blocks.parts[parts[joined[0]]]}
                if not other & {"aux", "cop"}:
                    while begin < start and (
                        base(parts[begin]) == "aux" or tags[begin] == "PART"
                    ):
                        begin += 1
                own = parts[begin : joined[0]]
                if own != [at] or any(self._is_long(parts[n]) for n in joined):
                    self._add("VP", own, at)
            if not subjects and base(at) != "root":
                first, last = 0, len(parts)
            label = self._add("VP", parts[first:last], at)
        if subjects or (first, last) != (0, len(parts)) or not verbs:
            label = self._add("S" if subjects or verbs else "FRAG", parts, at)
        return label


def _with_marks(
    words: Sequence[Word],
    marks: Sequence[bool],
    found: Sequence[tuple[str, int, int]],
) -> Tree:
    """The tree of all words, with punctuation as high as its neighbours allow.

    The two marks of a pair stand in the same constituents; brackets and what they
    enclose are a parenthetical.
    """
    tags = tuple(word.tag for word in words)
    texts = tuple(word.text for word in words)
    pairs = dict(_pairs(texts, marks))
    openers = {close: opening for opening, close in pairs.items()}
    nodes = []
    *found, (root, *whole) = found or [("FRAG", 0, len(words))]
    for label, start, end in found:
        if label == root and [start, end] == whole:
            continue
        at = end
        while at < len(words) and marks[at]:
            if start <= openers.get(at, -1) < end:
                end = at + 1
            at += 1
        at = start - 1
        while at >= 0 and marks[at]:
            if start < pairs.get(at, -1) < end:
                start = at
            at -= 1
        nodes.append(Constituent(label, start, end))
    nodes.append(Constituent(root, 0, len(words)))
    tree = Tree(texts, tags, in_pre_order(reversed(nodes)))
    above = {
        c.at: n
        for n, children in enumerate(tree.children())
        for c in children
        if c.is_word
    }
    for opening, close in pairs.items():
        is_within = close - opening > 1 and (opening, close + 1) != (0, len(words))
        is_bracket = texts[opening] in _BRACKETS and above[opening] == above[close]
        if is_within and is_bracket:
            nodes.append(Constituent("PRN", opening, close + 1))
    return Tree(texts, tags, in_pre_order(reversed(nodes)))


def _pairs(texts: Sequence[str], marks: Sequence[bool]) -> Iterable[tuple[int, int]]:
    """The pairs of brackets and quotation marks among the marks."""
    opened: list[int] = []
    for at, text in enumerate(texts):
        if not marks[at]:
            continue
        closes = [
            n
            for n in range(max(0, len(opened) - 4), len(opened))
            if text in _PAIRS[texts[opened[n]]]
        ]
        if closes:
            yield opened[closes[-1]], at
            del opened[closes[-1] :]
        elif text in _PAIRS:
            opened.append(at)
