"""From the brackets of a block to trees, by what the file has shown so far.

A word that has no tag of its own is repaired. Several words under one tag, as in
`(NN Xpd TTD)`, get that tag each. Words directly under a constituent, as in
`(NP the (NN dog))` or `(S (NP The dog) (VP barks))`, get the tag XX. A mark in
brackets of its own, `(.)`, is its own tag. Which a label over several words is, a tag
or a constituent's, is known from `trees.labels`; a label unknown there is a tag if the
file has it over single words and never over brackets. Over one word any label is a
tag, except where a file has trees without tags: there the labels in `trees.labels`
stay constituents, as this VP does, and words like *T*-1 are traces. What depends on
the file waits for its end.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator

from spacy_gfl.languages.base import UNIVERSAL
from spacy_gfl.tools.treebanks.bracket_counts import Rejections
from spacy_gfl.tools.treebanks.bracket_tokens import Split, tree_text
from spacy_gfl.tools.treebanks.schemes import (
    AS_TAGS,
    CUT,
    FEW,
    UNTAGGED,
    Scheme,
    SchemeCheck,
)
from spacy_gfl.trees.brackets import CLOSING, LEAF, NO_LABEL, OPENING, WORD, WORDS
from spacy_gfl.trees.escaping import unescape_name, unescape_word
from spacy_gfl.trees.labels import CONSTITUENTS, LABELS, TAGS, split_label
from spacy_gfl.trees.tree import (
    MISSING_TAG,
    ROOT_LABELS,
    Constituent,
    Tree,
    TreeBuilder,
    in_pre_order,
)

_SEVERAL_WORDS = re.compile(r"\(([^()\s]+)\s+[^()\s]+\s+[^()\s]")
_WORD_NEXT = re.compile(r"\s*[^()\s]")
# Marks that stand in brackets alone: their names have letters.
_NAMED_MARKS = frozenset({"-LRB-", "-RRB-", "-LSB-", "-RSB-", "-LCB-", "-RCB-"})


class _Fault(Exception):
    """A fault of the tree that is read: the reason, the place, the message."""


class _Draft:
    """A tree as far as it has been read, and what reading has changed of it."""

    def __init__(self) -> None:
        self.builder = TreeBuilder()
        # The brackets that are open, and the outermost if it is dropped.
        self.open: list[re.Match[str]] = []
        self.root: re.Match[str] | None = None
        # The nodes repaired, by where their brackets open.
        self.repaired: set[int] = set()
        # Marks in brackets of their own, by their places among the words.
        self.marks: dict[int, str] = {}
        # Leaves whose tags are labels.
        self.odd_tags: list[str] = []
        self.untagged = self.traces = self.emptied = 0


class TreeReader:
    """Makes trees of brackets, and keeps what a file has shown of its labels.

    Attributes:
        check: Whether the file looks as if it were written in another scheme.
    """

    def __init__(
        self, rejections: Rejections, scheme: Scheme, clean: bool, repair: bool
    ) -> None:
        self._rejections, self._scheme = rejections, scheme
        self._clean, self._repair = clean, repair
        self.check = SchemeCheck(scheme)
        # What the file has shown so far: names over one word and over brackets, with
        # the labels that become of these; trees without tags; leaves of text, and how
        # many have a hyphen.
        self._tags: set[str] = set()
        self._labels: dict[str, str] = {}
        # Those that have lost a part that may be more than a function tag.
        self._cut: set[str] = set()
        # Leaves whose tags constituents have elsewhere, by these.
        self._odd_tags: defaultdict[str, list[str]] = defaultdict(list)
        self._n_brackets: Counter[str] = Counter()
        self._is_without_tags = self._has_seen_tags = self._is_guess = False
        self._n_leaves = self._n_hyphens = 0
        # The tags of leaves in which nothing but a word can stand.
        self._plain: dict[str, str] = {}

    def is_sure_of(self, split: Split) -> bool:
        """Whether trees can be read without knowing the rest of the file."""
        if self._scheme.leaf == "word-lemma":
            return False
        for tokens in split.trees:
            if self._scheme.leaf == "word" and any(
                self._is_unknown(label)
                for label in _SEVERAL_WORDS.findall(tree_text(tokens))
            ):
                return False
            if not self._is_without_tags:
                has_tags = self._has_tags(tokens)
                self._has_seen_tags |= has_tags is True
                # Traces go, and then a word beside one would look like a tagged one.
                self._is_without_tags = has_tags is False
                if has_tags is None:
                    return False
        return True

    def survey(self, split: Split) -> None:
        """Note what trees show of the file that they are in."""
        for tokens in split.trees:
            has_tags = self._has_tags(tokens)
            self._is_without_tags |= has_tags is False
            self._has_seen_tags |= has_tags is True
            for token in tokens:
                if token.lastindex == OPENING:
                    self._label_of(token[OPENING])
                elif token.lastindex == LEAF and (words := WORDS.findall(token[LEAF])):
                    word, tag, scheme = words[0], token[1], self._scheme
                    # What is no text has no lemma.
                    if tag not in scheme.asides and not scheme.is_trace(word, tag):
                        self._n_leaves += 1
                        self._n_hyphens += "-" in word[1:-1]
                    if len(words) == 1:
                        self._tags.add(token[1])

    def end_survey(self) -> None:
        """Where nothing in a file can only be a tag, nothing is one."""
        if self._repair and not (self._has_seen_tags or self._is_without_tags):
            self._is_without_tags = self._is_guess = True

    def note_odd_tags(self) -> None:
        """Note tags that may be labels: few of a kind, or more often labels."""
        # INTJ and X are Penn's labels, and tags of Universal Dependencies.
        tags = UNIVERSAL if self._tags & {"NOUN", "VERB"} else frozenset()
        for tag, leaves in self._odd_tags.items():
            if tag in tags:
                continue
            if len(leaves) <= FEW or len(leaves) < self._n_brackets[tag]:
                self.check.note(AS_TAGS, leaves[0], len(leaves))

    def read(self, split: Split) -> Iterator[Tree]:
        """The trees of a block; none if there is a closing bracket too many in it."""
        read = [(self._read_tree(tokens, split), tokens) for tokens in split.trees]
        for draft, tokens in [] if split.has_stray_bracket else read:
            if draft and (tree := self._finish(draft, tokens)).words:
                yield tree

    def _has_tags(self, tokens: list[re.Match[str]]) -> bool | None:
        """Whether the words of a tree have tags; None if they may be constituents."""
        has_bare_words = False
        for token in tokens:
            kind = token.lastindex
            if kind == WORD:
                has_bare_words = True
            elif kind == LEAF and token[1] not in self._scheme.asides:
                n_words = len(WORDS.findall(token[LEAF]))
                is_known = split_label(token[1])[0] in LABELS
                if n_words == 1 and not is_known:
                    return True
                has_bare_words |= n_words == 0 or (n_words > 1 and is_known)
        return False if has_bare_words else None

    def _is_unknown(self, label: str) -> bool:
        if label in self._scheme.asides:
            return False
        return label not in TAGS and split_label(label)[0] not in LABELS

    def _read_tree(self, tokens: list[re.Match[str]], split: Split) -> _Draft | None:
        """The tree of balanced brackets; None if it is malformed."""
        draft = _Draft()
        asides, depth_aside = self._scheme.asides, 0
        try:
            for token in tokens:
                kind = token.lastindex
                if depth_aside:
                    depth_aside += (kind == OPENING) - (kind == CLOSING)
                elif kind == LEAF:
                    self._read_leaf(draft, token)
                elif kind == OPENING:
                    if token[OPENING] in asides:
                        depth_aside = 1
                    else:
                        self._open(draft, token)
                elif kind == WORD:
                    parent = draft.open[-1]
                    self._add_untagged(draft, token, token.start(), parent)
                elif draft.open.pop() is not draft.root:
                    draft.emptied += not draft.builder.close(drop_empty=True)
        except _Fault as fault:
            reason, at, message = fault.args
            self._rejections.reject(reason, split.block.place(at), message)
            return None
        return draft

    def _read_leaf(self, draft: _Draft, token: re.Match[str]) -> None:
        """Read a bracket over words alone: a tag, or a constituent without tags."""
        label, words, start = token[1], WORDS.findall(token[LEAF]), token.start()
        if len(words) == 1 and label in self._plain:
            draft.builder.word(unescape_word(words[0]), self._plain[label])
            return
        if label in self._scheme.asides:
            return
        if not words:
            self._read_mark(draft, label, start)
            return
        if not label:
            raise _Fault("empty label", start, NO_LABEL)
        tag = unescape_name(self._scheme.cut_name(label))
        if self._clean:
            words, n = self._without_traces(words, tag), len(words)
            draft.traces += n - len(words)
        if not words:
            return
        has_lemmas = 2 * self._n_hyphens > self._n_leaves
        words = self._scheme.cut_leaf(words, has_lemmas=has_lemmas)
        if len(words) == 1:
            self._tags.add(label)
            if self._scheme.has_penn_names and split_label(tag)[0] in CONSTITUENTS:
                draft.odd_tags.append(f"({label} {words[0]})")
            if self._scheme.has_plain_leaves and self._is_plain(tag):
                self._plain[label] = tag
            draft.builder.word(unescape_word(words[0]), tag)
        elif self._repair:
            draft.repaired.add(start)
            self._read_several(draft, token, words, tag)
        else:
            first = token.string.index(words[0], token.start(LEAF))
            at = token.string.index(words[1], first + len(words[0]))
            message = f"{label} has a second word, {words[1]!r}, but a tag has only one"
            raise _Fault("word without a tag of its own", at, message)

    def _read_mark(self, draft: _Draft, label: str, start: int) -> None:
        """Read a bracket over nothing: a mark such as (.), or a fault."""
        is_mark = label in _NAMED_MARKS or not any(map(str.isalpha, label))
        if not (label and is_mark and self._repair):
            message = f"the node ({label}) has no children"
            raise _Fault("node without children", start, message)
        draft.repaired.add(start)
        draft.marks[len(draft.builder)] = label
        draft.builder.word(unescape_word(label), MISSING_TAG)

    def _without_traces(self, words: list[str], tag: str) -> list[str]:
        if tag == "-NONE-":
            return []
        label, is_alone = split_label(tag)[0], len(words) == 1
        is_trace = self._scheme.is_trace
        return [word for word in words if not is_trace(word, label, is_alone=is_alone)]

    def _is_plain(self, tag: str) -> bool:
        return split_label(tag)[0] not in LABELS and tag != "-NONE-"

    def _read_several(
        self, draft: _Draft, token: re.Match[str], words: list[str], tag: str
    ) -> None:
        """Read a leaf of several words: a tag of each, or a constituent of them."""
        label = token[1]
        is_used_as_tag = label in self._tags and label not in self._labels
        if label in TAGS or (is_used_as_tag and self._is_unknown(label)):
            for word in words:
                draft.builder.word(unescape_word(word), tag)
            return
        is_root = not draft.open and self._is_root(label)
        if not is_root:
            draft.builder.open(self._cut_label(label))
        draft.untagged += len(words)
        for word in words:
            draft.builder.word(unescape_word(word), MISSING_TAG)
        if not is_root:
            draft.builder.close()

    def _open(self, draft: _Draft, token: re.Match[str]) -> None:
        label = token[OPENING]
        if not draft.open and self._is_root(label):
            draft.root = token
        is_root = token is draft.root
        if not label and (not is_root or _WORD_NEXT.match(token.string, token.end())):
            raise _Fault("empty label", token.start(), NO_LABEL)
        if not is_root:
            draft.builder.open(self._label_of(label))
            self._n_brackets[label] += 1
            if self._clean and label in self._cut:
                self.check.note(CUT, f"{label}, now {self._labels[label]}")
        draft.open.append(token)

    def _is_root(self, name: str) -> bool:
        return self._scheme.cut_name(name) in ROOT_LABELS

    def _label_of(self, name: str) -> str:
        """The label of a bracket over brackets, which is noted."""
        if name not in self._labels:
            self._labels[name] = label = self._cut_label(name)
            if self._scheme.is_unsure_of(name, label):
                self._cut.add(name)
        return self._labels[name]

    def _cut_label(self, name: str) -> str:
        label = unescape_name(self._scheme.cut_name(name))
        return self._scheme.cut_label(label) if self._clean else label

    def _add_untagged(
        self, draft: _Draft, token: re.Match[str], at: int, parent: re.Match[str]
    ) -> None:
        """Add a word that stands directly under a constituent, beside subtrees."""
        text, label = token[0], split_label(parent[OPENING])[0]
        if self._clean and self._scheme.is_trace(text, label, is_alone=False):
            draft.traces += 1
            return
        if not self._repair:
            message = f"the word {text!r} stands beside subtrees and has no tag"
            raise _Fault("word without a tag of its own", at, message)
        draft.repaired.add(parent.start())
        draft.untagged += 1
        draft.builder.word(unescape_word(text), MISSING_TAG)

    def _finish(self, draft: _Draft, tokens: list[re.Match[str]]) -> Tree:
        """A tree that is whole, counted."""
        tree = draft.builder.finish()
        repairs = len(draft.repaired)
        is_bare = bool(draft.untagged or draft.marks)
        is_without_tags = is_bare or self._is_without_tags
        if is_without_tags:
            tree, freed = self._free_constituents(tree, draft.marks)
            repairs += freed
            draft.untagged += freed
        has_tags = not is_without_tags or any(map(self._is_plain_tag, tree.tags))
        if draft.marks:
            tags = list(tree.tags)
            for i, mark in draft.marks.items():
                draft.untagged += not (is_tag := has_tags and mark in TAGS)
                tags[i] = mark if is_tag else MISSING_TAG
            tree = Tree(tree.words, tuple(tags), tree.constituents)
        for leaf in draft.odd_tags if has_tags else ():
            self._odd_tags[leaf[1:].split()[0]].append(leaf)
        self.check.look(tree_text(tokens), has_tags=has_tags)
        counts = self._rejections.counts
        counts.read += 1
        counts.kept += len(tree) > 0
        counts.vanished += len(tree) == 0
        counts.repaired += len(tree) > 0 and repairs > 0
        counts.repairs += repairs
        counts.untagged += draft.untagged
        counts.traces += draft.traces
        counts.emptied += draft.emptied
        return tree

    def _is_plain_tag(self, tag: str) -> bool:
        return tag != MISSING_TAG and self._is_plain(tag)

    def _free_constituents(self, tree: Tree, marks: dict[int, str]) -> tuple[Tree, int]:
        """Make constituents of labels that stand where tags would, as (VP barks)."""
        if any(map(self._is_plain_tag, tree.tags)):
            return tree, 0  # These are tags.
        self._is_without_tags = True
        nodes, tags = list(tree.constituents), list(tree.tags)
        for i, tag in enumerate(tree.tags):
            label = split_label(tag)[0]
            if label in LABELS and label not in ROOT_LABELS:
                if self._is_guess:
                    self.check.note(UNTAGGED, f"({tag} {tree.words[i]})")
                label = self._scheme.cut_label(tag) if self._clean else tag
                nodes.append(Constituent(label, i, i + 1))
                tags[i] = MISSING_TAG
        # The new ones are innermost.
        freed = len(nodes) - len(tree.constituents)
        return Tree(tree.words, tuple(tags), in_pre_order(nodes)), freed
