r"""How treebanks in brackets write what is no word, as a table of data.

Brackets alone do not say it: a trace is `(NP-SBJ (-NONE- *))` in one treebank and
`(NP-SBJ *con*)` in another, a leaf may have a lemma, and some nodes are no text at all.
`SCHEMES` has a row for each way. `SchemeCheck` tells where a file looks like another.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from spacy_gfl.trees.labels import LABELS, TAGS, split_label

#: What stands for nothing in trees whose leaves have no tags: *T*-1, *-2, *U*.
_STAR = re.compile(r"\*[^()\s*]*\*(?:-\d+)*|\*(?:-\d+)+")
# The parts of a label that `nltk.Tree.chomsky_normal_form` adds, as in NP|<JJ-NN>^<S>.
_OF_BINARY_TREE = re.compile(r"[|^]<.*", re.DOTALL)
_INDEX = re.compile(r"[-=]\d+(?=[-=]|$)")
#: What labels have after a hyphen without being other labels: Penn, Switchboard, CRAFT,
#: the Chinese, Vietnamese and French treebanks, NEGRA and TIGER, TüBa, AnCora.
_FUNCTIONS_OF_TREEBANKS = """
    ADV NOM DTV LGS PRD PUT SBJ TPC VOC BNF DIR EXT LOC MNR PRP TMP CLR CLF HLN TTL
    UNF ETC IMP SEZ TYPO NFP DIS SLE NSR FRM
    APP CND FOC IJ IO OBJ PN Q SHORT WH AUX SUB DOB IOB CMP TC CNC MDP SPL EXC CMD
    SUJ MOD ATS ATO AFF
    SB OA OA2 OC OG OP DA HD MO NK PD PG PH RC RE CJ CM AG JU PAR SBP SVP VO DM EP
    ON OD OS OV PRED FOPP KONJ CI CREG ATR
"""
_FUNCTIONS = frozenset(_FUNCTIONS_OF_TREEBANKS.split())
_MIDDLE_HYPHEN = re.compile(r"(?<=.)-(?=.)")


@dataclass(frozen=True)
class Scheme:
    """How the trees of a treebank are written.

    Attributes:
        name: The name to choose it by.
        help: The treebanks that are written so.
        asides: Labels of nodes that are no text, with all that is in them.
        trace: Words that stand for nothing. Without one, the words of tag -NONE-
            do, and where leaves have no tags those like *T*-1.
        leaf: What is in a leaf: "word"; "word lemma"; or "word-lemma", of a file in
            which most leaves have a hyphen.
        end: What ends a label or tag, with all that follows.
        words: Words that the treebank writes in its own way.
        keeps_functions: Whether labels keep their function tags: NP-SBJ-1 becomes
            NP-SBJ, not NP.
    """

    name: str
    help: str
    asides: frozenset[str] = frozenset()
    trace: re.Pattern[str] | None = None
    leaf: str = "word"
    end: re.Pattern[str] | None = None
    words: tuple[tuple[str, str], ...] = ()
    keeps_functions: bool = False

    def is_trace(self, word: str, label: str, *, is_alone: bool = True) -> bool:
        """Whether a word that has no tag but this constituent's label is a trace.

        `is_alone` says whether the constituent has no other word.
        """
        if self.trace is not None:
            return self.trace.fullmatch(word) is not None and not (
                word == "0" and label.startswith("NUM")
            )
        if word == "*":
            return is_alone and label in LABELS and label != "X"
        if word == "0":
            return label == "SBAR" or label.startswith("WH")
        return label in LABELS and _STAR.fullmatch(word) is not None

    @property
    def has_plain_leaves(self) -> bool:
        """Whether a leaf with a tag is a word as it stands."""
        return self.trace is None and self.leaf == "word" and not self.words

    def has_asides(self, brackets: str) -> bool:
        """Whether there are nodes that are no text in trees as they stand."""
        return any(
            re.search(rf"\({re.escape(label)}[\s(]", brackets) for label in self.asides
        )

    def cut_name(self, name: str) -> str:
        """A label or tag without what the treebank adds to all of them."""
        return name if self.end is None else self.end.split(name, maxsplit=1)[0] or name

    def cut_label(self, label: str) -> str:
        """A label without indices, and without function tags unless they are kept.

        What `nltk.Tree.chomsky_normal_form` has added stays: `NP|<JJ-NN>`. In the
        scheme `penn` a label stays as it is if neither what is before its hyphens is
        known nor what is after them: R-SIMPX.
        """
        added = _OF_BINARY_TREE.search(label, 1)
        own, rest = (label, "") if added is None else (label[: added.start()], added[0])
        base, functions = split_label(own)
        functions = _INDEX.sub("", functions)
        is_label = self.has_penn_names and base not in LABELS
        if self.keeps_functions or (is_label and not _are_functions(functions)):
            base += functions
        return base + rest

    def is_unsure_of(self, name: str, label: str) -> bool:
        """Whether what a name lost, to become a label, may have been part of that."""
        lost = _INDEX.sub("", split_label(name)[1])
        return (
            self.has_penn_names
            and lost != ""
            and label == split_label(name)[0]
            and not _are_functions(lost)
        )

    @property
    def has_penn_names(self) -> bool:
        """Whether labels are written as in the Penn Treebank: NP-SBJ-1."""
        return self.end is None and self.leaf == "word"

    def cut_leaf(self, words: Sequence[str], *, has_lemmas: bool = False) -> list[str]:
        """The words of a leaf without their lemmas.

        `has_lemmas` says whether words and lemmas are joined by hyphens in the file.
        """
        if self.leaf == "word lemma":
            words = words[:1]
        elif has_lemmas and self.leaf == "word-lemma":
            words = list(map(self._without_lemma, words))
        own = dict(self.words)
        return [own.get(word, word) for word in words]

    def _without_lemma(self, leaf: str) -> str:
        """The word of word-lemma: up to the middle one of its hyphens, or the last."""
        at = [match.start() for match in _MIDDLE_HYPHEN.finditer(leaf)]
        if not at or (self.trace and self.trace.fullmatch(leaf)):
            return leaf
        return leaf[: at[len(at) // 2] if len(at) % 2 else at[-1]]


def _are_functions(text: str) -> bool:
    """Whether all that follows a label is known: -SBJ-LOC."""
    return _FUNCTIONS.issuperset(re.split("[-=]", text.lstrip("-=").upper()))


SCHEMES = {
    scheme.name: scheme
    for scheme in (
        Scheme(
            "penn",
            "the Penn Treebank, Switchboard, OntoNotes, MASC and most others",
            asides=frozenset({"CODE", "-DFL-"}),
        ),
        Scheme(
            "historical",
            "Penn-Helsinki: IcePaHC, FarPaHC, Keyaki",
            asides=frozenset({"ID", "CODE", "METADATA", "META", "LB", "VERSION"}),
            trace=re.compile(r"\*[^()\s]*|0|\{[^()\s]*\}|<[^()\s]*>"),
            leaf="word-lemma",
            end=re.compile("[;{]"),
        ),
        Scheme(
            "spmrl", "the SPMRL shared tasks of 2013 and 2014", end=re.compile("##")
        ),
        Scheme(
            "lemma",
            "CESS, Cast3LB, whose leaves have a word and its lemma",
            trace=re.compile(r"\*[^()\s]*\*"),
            leaf="word lemma",
            words=(("-Fpa-", "("), ("-Fpt-", ")")),
        ),
    )
}
PENN = SCHEMES["penn"]


def find_scheme(name: str, *, keep_functions: bool = False) -> Scheme:
    """A scheme by its name, as it is or with the function tags in its labels.

    Raises:
        ValueError: If there is none of this name.
    """
    if name not in SCHEMES:
        known = ", ".join(SCHEMES)
        raise ValueError(f"There is no scheme {name!r}. The schemes are {known}.")
    return replace(SCHEMES[name], keeps_functions=keep_functions)


class ReadingWarning(UserWarning):
    """Something about what is read that its user should know."""


class SchemeWarning(ReadingWarning):
    """Trees that look as if they were written in another scheme than they are read."""


class _Sign(NamedTuple):
    """Something that stands in trees of another scheme.

    Attributes:
        mark: A string that every such tree contains.
        found: The pattern of it, with the label of the leaf as its first group.
        what: What to call it.
        advice: What to try instead.
        known: The schemes that read it as it is meant.
        meant: The labels that make it something else.
        is_share: Whether it counts only if most leaves of a file are so.
    """

    mark: str
    found: re.Pattern[str]
    what: str
    advice: str
    known: tuple[str, ...]
    meant: frozenset[str] = frozenset()
    is_share: bool = False


_TRACES = "traces without the tag -NONE-"
_HISTORICAL = "--scheme historical"
_SIGNS = (
    _Sign(
        "*0*",
        re.compile(r"\(([^()\s]+)\s+\*0\*\s*\)"),
        *(_TRACES, "--scheme lemma", ("lemma", "historical"), TAGS),
    ),
    _Sign(
        "*",
        re.compile(rf"\(([^()\s]+)\s+(?!\*0?\*\s*\))(?:{_STAR.pattern})\s*\)"),
        *(_TRACES, _HISTORICAL, ("lemma", "historical"), TAGS),
    ),
    _Sign(
        "0",
        re.compile(r"\(((?:W?NP|W?PP|W?ADVP|C)(?:-[^()\s]*)?)\s+0\s*\)"),
        *(_TRACES, _HISTORICAL, ("historical",)),
    ),
    _Sign(
        "{",
        re.compile(r"\(([^()\s]+)\s+\{[^()\s]+\}\s*\)"),
        *("comments in the place of words", _HISTORICAL, ("historical",), TAGS),
    ),
    _Sign(
        "(",
        re.compile(r"\((ID|METADATA)(?=[\s(])"),
        *("nodes that are not text", _HISTORICAL, ("historical",)),
    ),
    _Sign(
        "##",
        re.compile(r"\(([^\W\d_][^()\s#]*)##[^()\s]+"),
        *("features in labels", "--scheme spmrl", ("spmrl",)),
    ),
    _Sign(
        "-",
        re.compile(
            # What comes first says that a leaf ends here: nothing is tried twice.
            r"\(([^()\s]+)\s+(?=[^()\s]+\s*\))(?i:([^()\s])[^()\s]*?-\2[^()\s]*)\s*\)"
        ),
        *("leaves word-lemma", _HISTORICAL, ("historical",), TAGS & {"-NONE-"}, True),
    ),
    _Sign(
        "(",
        re.compile(r"\(([^()\s]+)\s+[^()\s]+\s+[^()\s]+\s*\)"),
        *(
            "leaves of a word and its lemma",
            "--scheme lemma",
            ("lemma",),
            frozenset(LABELS),
            True,
        ),
    ),
    _Sign(
        "=",
        re.compile(r"\(([^()\s]+)\s+\d+=[^()\s]+\s*\)"),
        "words with numbers, as in discontinuous trees",
        *("--input-format discbracket", (), frozenset(), True),
    ),
)
#: What the reader of brackets finds odd itself, and what it has made of that.
UNTAGGED = "constituents of a word without a tag"
AS_TAGS = "tags that are labels of constituents elsewhere"
CUT = "labels with a hyphen before an unknown function tag"
_DONE = {
    UNTAGGED: "which gets XX.",
    AS_TAGS: "which are read as tags, because other words have tags.",
    CUT: "whose function tags are cut off: --keep-functions keeps them.",
}
#: How many leaves may look like something else by chance.
FEW = 4
#: How many trees of a file tell what most of its leaves are like.
_SAMPLE = 50
_LEAF_END = re.compile(r"[^()\s]\s*\)")


class SchemeCheck:
    """Looks at trees as they stand for signs of another scheme.

    Args:
        scheme: The scheme that they are read in.
    """

    def __init__(self, scheme: Scheme) -> None:
        self._scheme = scheme
        self._signs = [sign for sign in _SIGNS if scheme.name not in sign.known]
        self._counts: Counter[_Sign] = Counter()
        self._notes: Counter[str] = Counter()
        self._examples: dict[_Sign | str, str] = {}
        self._n_trees = self._n_leaves = 0

    def look(self, brackets: str, *, has_tags: bool = True) -> None:
        """Look at a tree. Where leaves have no tags, traces have none either."""
        self._n_trees += 1
        if is_sample := self._n_trees <= _SAMPLE:
            self._n_leaves += len(_LEAF_END.findall(brackets))
        for sign in self._signs:
            if sign.mark not in brackets or (sign.is_share and not is_sample):
                continue
            if sign.what == _TRACES and not has_tags:
                continue
            for match in sign.found.finditer(brackets):
                label = split_label(match[1])[0]
                if label not in sign.meant | self._scheme.asides:
                    self._counts[sign] += 1
                    self._examples.setdefault(sign, match[0])

    def note(self, what: str, example: str, n: int = 1) -> None:
        """Count something odd that is read all the same, such as `CUT`."""
        self._notes[what] += n
        self._examples.setdefault(what, example)

    def message(self, source: str) -> str | None:
        """What is odd in a source, with a count, an example and what to try."""
        for sign, n in self._counts.most_common():
            # Of a few leaves, all.
            is_most = n > max(FEW, 0.4 * self._n_leaves) or n == self._n_leaves > 1
            if not sign.is_share or is_most:
                unknown = f"which the scheme {self._scheme.name} does not know"
                return self._said(source, sign, n, f"{unknown}: try {sign.advice}.")
        for what, n in self._notes.most_common(1):
            return self._said(source, what, n, _DONE[what])
        return None

    def _said(self, source: str, odd: _Sign | str, n: int, rest: str) -> str:
        what, example = odd if isinstance(odd, str) else odd.what, self._examples[odd]
        return f"{source}: there are {what} ({n:,}, such as {example}), {rest}"
