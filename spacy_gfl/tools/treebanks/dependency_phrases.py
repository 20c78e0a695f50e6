"""The phrases of words with their dependents: their words, and their labels."""

import re
from collections.abc import Sequence

from spacy_gfl.languages.base import Language
from spacy_gfl.tools.treebanks.dependency_blocks import Blocks, Word
from spacy_gfl.trees.tree import Constituent

_NOMINAL = frozenset({"NOUN", "PROPN", "PRON", "NUM", "DET", "SYM", "X"})
VERBAL = frozenset({"VERB", "AUX"})
_NEAR_NOUNS = """
    acl amod appos case clf compound conj dep det fixed flat goeswith nmod nummod
    reparandum
"""
#: What stands in a noun phrase beside its noun.
_OF_NOUNS = frozenset(_NEAR_NOUNS.split())
#: What stands in an adjective or adverb phrase beside its head.
_OF_ADJECTIVES = _OF_NOUNS | {"advmod", "obl", "xcomp", "ccomp"}
_ARGUMENTS = frozenset({"nsubj", "obj", "iobj", "obl", "nmod", "appos", "vocative"})
_OF_NUMBERS = frozenset(
    {"advmod", "compound", "flat", "nummod", "amod", "case", "fixed"}
)
#: What stands outside of verb phrases, and of a noun phrase that is a sentence.
OUTER = frozenset({"parataxis", "vocative", "dislocated", "discourse", "list"})
#: What makes a fragment of a phrase that is a sentence.
_BESIDE = OUTER | {"advcl", "obl", "csubj", "orphan"}
BEFORE_OPENERS = frozenset({"advmod", "cc", "discourse", "mark", "case", "fixed"})
_PREDICATES = frozenset({"acl", "advcl", "ccomp", "conj", "csubj", "root", "xcomp"})
_ASKING = frozenset({"PRON", "DET", "ADV", "ADJ", "SCONJ", "NUM", "PART"})
_NOTHING = r"(?!)"
_ASKS = re.compile(r"PronType=[A-Za-z,]*(?:Int|Rel)")


class Phrases:
    """The constituents of words that are no predicates.

    Attributes:
        found: Constituents, those of heads after those of their dependents.
        alone: Verbs that are a verb phrase beside their subject.
    """

    def __init__(
        self, words: Sequence[Word], blocks: Blocks, language: Language
    ) -> None:
        self.found: list[Constituent] = []
        self.alone: set[int] = set()
        self.words, self.blocks = words, blocks
        self.asks = re.compile(language.question_words or _NOTHING, re.IGNORECASE)
        self.relates = re.compile(language.relative_words or _NOTHING, re.IGNORECASE)
        #: The relation of each word, or of the first that it is coordinated with.
        self.first_relation = [word.relation for word in words]
        for at in reversed(blocks.order):
            if words[at].base == "conj":
                self.first_relation[at] = self.first_relation[words[at].head]
        #: The largest constituent of each word, and its label.
        self.last: dict[int, int] = {}
        self.label = [""] * len(words)

    def is_verb(self, at: int) -> bool:
        """Whether a word is a verb, by its tag or its arguments.

        Korean and Turkish verbs that join clauses are tagged as what they join with.
        """
        word = self.words[at]
        if word.tag in VERBAL:
            return True
        if word.tag not in ("ADV", "CCONJ", "SCONJ", "PART"):
            return False
        has_arguments = self.below(at) & {"obj", "iobj", "ccomp", "obl"}
        return bool(has_arguments) and word.base in _PREDICATES

    def is_light_verb(self, part: int) -> bool:
        word = self.words[part]
        return word.base == "compound" and word.tag in VERBAL

    def counts(self, at: int) -> bool:
        """Whether a word is a number of a noun, or coordinated with one."""
        is_number = self.base(at) == "nummod" or self.words[at].tag == "NUM"
        return is_number and self.first_relation[at].startswith("nummod")

    def is_in_number(self, at: int) -> bool:
        """Whether a number belongs to another without a phrase: five to ten years."""
        word = self.words[at]
        return (word.tag, word.base) == ("NUM", "nmod") and self.counts(word.head)

    def _is_before_noun(self, at: int) -> bool:
        """Whether a number precedes its noun: over ten years, but not the year 2020."""
        first = at
        while self.base(first) == "conj" and self.words[first].head < first:
            first = self.words[first].head
        return self.counts(at) and self.words[first].head > first

    def asks_word(self, at: int) -> bool:
        word = self.words[at]
        # French dont may have the tag of an adposition.
        is_argument = word.tag == "ADP" and word.base in _ARGUMENTS
        if not is_argument and word.tag not in _ASKING:
            return False
        if "PronType=" in word.features:
            return bool(_ASKS.search(word.features))
        return bool(self.asks.fullmatch(word.text))

    def base(self, part: int) -> str:
        return self.words[part].base

    def below(self, at: int) -> set[str]:
        """The relations of a word's dependents."""
        parts = self.blocks.parts[at]
        return {self.base(part) for part in parts if part != at}

    def is_long(self, part: int) -> bool:
        """Whether a word has dependents beside conjunctions."""
        return bool(self.below(part) - {"cc"})

    def without_cc(self, at: int, parts: Sequence[int]) -> Sequence[int]:
        """Parts of a word without conjunctions at the ends."""
        start, end = 0, len(parts)
        while parts[start] != at and self.base(parts[start]) == "cc":
            start += 1
        while parts[end - 1] != at and self.base(parts[end - 1]) == "cc":
            end -= 1
        return parts[start:end]

    def add(self, label: str, parts: Sequence[int], head: int = -1) -> str:
        """A constituent over parts that are next to each other; its label."""
        if parts:
            first, last = parts[0], parts[-1]
            start = first if first == head else self.blocks.start[first]
            end = last + 1 if last == head else self.blocks.end[last]
            self.found.append(Constituent(label, start, end))
        return label

    def phrase(self, at: int, parts: Sequence[int]) -> str:
        """The constituents of a word that is no predicate; the label of the largest."""
        word = self.words[at]
        label = self._phrase_label(at)
        if word.base in ("root", "parataxis", "conj", "list"):
            start, end = self.core(at, parts)
            beside = (*parts[:start], *parts[end:])
            if label and any(map(self._is_beside, beside)):
                self.with_case(at, label, parts[start:end])
                return self.add("S" if label == "ADJP" else "FRAG", parts, at)
        if not label:
            return ""
        relative = [
            part for part in parts if self.words[part].relation.endswith(":relcl")
        ]
        if relative and relative == list(parts[-1:]) and self.asks_word(at):
            cases = [part for part in parts if self.base(part) == "case" and part < at]
            self.add("SBAR", parts[len(cases) :], at)
            return self.add("PP", parts, at) if cases else "SBAR"
        return self.with_case(at, label, parts)

    def _is_beside(self, part: int) -> bool:
        """Whether a part makes a fragment of a phrase that is a sentence."""
        if self.base(part) in ("parataxis", "list"):
            return self.label[part] in ("S", "VP", "SBAR")
        return self.base(part) in _BESIDE

    def _phrase_label(self, at: int) -> str:
        word = self.words[at]
        if word.base == "cc":
            return "CONJP"
        if self.counts(at):
            return "" if self.below(at) == {"clf"} else "QP"
        if word.base == "det" and "advmod" in self.below(at):
            return "ADJP"
        if word.base == "advmod" and word.tag != "ADJ":
            return "ADVP"
        if word.tag == "NUM":
            below = self.below(at)
            return "QP" if below and below <= _OF_NUMBERS else "NP"
        if word.tag in _NOMINAL or self._is_argument(at):
            # Beaucoup de gens.
            is_noun = word.base in ("nsubj", "obj") and "nmod" in self.below(at)
            return "ADVP" if word.tag == "ADV" and not is_noun else "NP"
        others = {"ADV": "ADVP", "PART": "ADVP", "INTJ": "INTJ", "ADP": "PP"}
        return others.get(word.tag, "ADJP" if word.tag in ("ADJ", *VERBAL) else "FRAG")

    def _is_argument(self, at: int) -> bool:
        """Whether a word is an argument, or an adjective beside another that is one."""
        word = self.words[at]
        if word.base == "conj" and word.tag == self.words[word.head].tag == "ADJ":
            return self.first_relation[at].partition(":")[0] in _ARGUMENTS
        return word.base in _ARGUMENTS

    def core(self, at: int, parts: Sequence[int]) -> tuple[int, int]:
        """The first and the one after the last part of a predicate's own phrase."""
        word = self.words[at]
        kinds = _OF_NOUNS if word.tag in _NOMINAL else _OF_ADJECTIVES
        start = here = parts.index(at)
        end = here + 1
        while start and self._is_of_core(parts[start - 1], kinds):
            start -= 1
        while end < len(parts) and self._is_of_core(parts[end], kinds - {"advmod"}):
            end += 1
        return start, end

    def _is_of_core(self, part: int, kinds: frozenset[str]) -> bool:
        base = self.base(part)
        if base == "conj":
            return self.label[part] not in ("S", "VP", "SBAR", "FRAG")
        if base == "obl" and self.label[part] != "PP":
            return False
        is_beside = self.words[part].tag == "PART" or self.is_light_verb(part)
        return base in kinds and not is_beside

    def with_case(self, at: int, label: str, parts: Sequence[int]) -> str:
        """A phrase, its parts in coordination, and what its adpositions make of it."""
        here = parts.index(at)
        start, end = 0, len(parts)
        for n in range(here):
            if self.base(parts[n]) not in BEFORE_OPENERS:
                break
            if self.base(parts[n]) in ("case", "mark"):
                start = n + 1
        while end > here + 1 and self.base(parts[end - 1]) == "case":
            end -= 1
        has_case = (start, end) != (0, len(parts))
        is_clitic = end < len(parts) and self.words[parts[end]].tag == "PART"
        is_particle = is_clitic or self.base(at) in ("obj", "iobj", "conj")
        is_particle = (is_particle and not start) or self._is_before_noun(at)
        if has_case and (self.base(at) == "nsubj" or is_particle):
            has_case, start, end = False, 0, len(parts)
        conjuncts = [n for n in range(here + 1, end) if self.base(parts[n]) == "conj"]
        labels = {self.label[parts[n]] for n in conjuncts}
        if has_case and start and "PP" in labels:
            first = conjuncts[0]
            self.add(label, parts[start:first], at)
            self.add("PP", parts[:first], at)
            return self.add("PP", parts, at)
        first = conjuncts[0] if conjuncts else end
        self._coordinate(at, label, parts[start:end], first - start)
        return self.add("PP", parts, at) if has_case else label

    def _coordinate(
        self, at: int, label: str, parts: Sequence[int], first: int
    ) -> None:
        """A phrase, which is a coordination if the part `first` is there."""
        conjuncts = [part for part in parts[first:] if self.base(part) == "conj"]
        if conjuncts:
            own = self.without_cc(at, parts[:first])
            if own[-1] != at or any(map(self.is_long, conjuncts)):
                self.add(label, own, at)
            if {self.label[part] for part in conjuncts} - {"", label, "FRAG"}:
                label = "UCP"
        self.add(label, parts, at)
