"""Chunks of a Doc: `doc._.chunks(12)`, pieces that end where clauses do."""

from collections.abc import Iterator
from itertools import accumulate
from unicodedata import category

from spacy.tokens import Doc, Span

from spacy_gfl.annotation.nodes import Node, sentence_nodes
from spacy_gfl.languages import annotated_language
from spacy_gfl.tools.syntax.clauses import clause_extents
from spacy_gfl.tools.syntax.complexity import JOINED
from spacy_gfl.trees.tree import Tree

#: Tags and kinds of characters of what belongs to the word after it.
_OPENING_TAGS = frozenset({"-LRB-", "``", "$", "#"})
_OPENING = frozenset({"Ps", "Pi"})
_GOVERNING = frozenset("CC DT IN MD PDT PRP$ TO WDT WP WP$ WRB".split())  # noqa: SIM905


def chunks(doclike: Doc | Span, max_words: int) -> list[Span]:
    """`Doc._.chunks(max_words)`, `Span._.chunks(max_words)`: a text in short pieces.

    A sentence that is too long is parted near its middle where a clause begins or ends,
    and what is still too long between constituents, outer ones first. Punctuation stays
    with its word, and a conjunction with what it opens.

    Args:
        doclike: A Doc, or a Span, of which the sentences count that lie in it.
        max_words: How many words a chunk may have, punctuation not counted.

    Returns:
        The chunks in order: together all words of the sentences. Clauses are known in
        English trees with tags; in others constituents alone count.

    Raises:
        ValueError: max_words is no positive number, or the Doc has no trees or no
            sentences.
    """
    if not isinstance(max_words, int) or max_words < 1:
        raise ValueError(f"max_words must be a positive number, not {max_words!r}.")
    span = doclike[:]
    return [
        Span(sent.doc, words[start], words[end - 1] + 1)
        for sent in sentence_nodes(span)
        if span.start <= (words := sent.sentence.words)[0] and words[-1] < span.end
        for start, end in _Chunker(sent, max_words).parts()
    ]


class _Chunker:
    """Parts one sentence. Places are between words: i is before word i."""

    def __init__(self, sent: Node, max_words: int) -> None:
        self.max_words = max_words
        tree = sent.tree()
        punctuation = annotated_language(tree.tags, sent.doc.lang_).punctuation
        kinds = [{category(c) for c in word} for word in tree.words]
        self.is_mark = [
            tag in punctuation or all(kind[0] == "P" for kind in of_word)
            for tag, of_word in zip(tree.tags, kinds, strict=True)
        ]
        #: Words before each place: no punctuation, and "don't" is one.
        joined = (JOINED.fullmatch(word) for word in tree.words)
        is_word = (
            not (mark or j) for mark, j in zip(self.is_mark, joined, strict=True)
        )
        self.n_words = list(accumulate(is_word, initial=0))
        turns = [0] * (len(tree) + 1)
        for _, start, end in tree.constituents:
            turns[min(start + 1, end)] += 1
            turns[end] -= 1
        n_around = list(accumulate(turns))
        clauses = _clause_places(tree)
        #: How bad it is to part the sentence at each place where it can be.
        self.costs: dict[int, int] = {}
        for place in range(1, len(tree)):
            opens, opened = (
                tree.tags[at] in _OPENING_TAGS or kinds[at] <= _OPENING
                for at in (place - 1, place)
            )
            is_closed = self.is_mark[place] and not opened
            if opens or is_closed or JOINED.fullmatch(tree.words[place]):
                continue
            # A word such as "of" is not left by what it governs.
            is_governing = tree.tags[place - 1] in _GOVERNING
            cost = n_around[place] + len(tree.constituents) * is_governing
            self.costs[place] = 0 if place in clauses else cost

    def parts(self) -> Iterator[tuple[int, int]]:
        """The extents of the chunks."""
        pending = [(0, len(self.is_mark))]
        while pending:
            start, end = pending.pop()
            n = self.n_words
            places = [
                place
                for place in range(start + 1, end)
                if place in self.costs and n[start] < n[place] < n[end]
            ]
            if n[end] - n[start] <= self.max_words or not places:
                yield start, end
                continue
            middle = (start + end) / 2
            best = min(places, key=lambda at: (self.costs[at], abs(at - middle)))
            pending += [(best, end), (start, best)]


def _clause_places(tree: Tree) -> set[int]:
    """Where clauses begin, with their conjunctions, and where they end."""
    places = set()
    for start, end in clause_extents(tree):
        is_led = start > 0 and tree.tags[start - 1] == "CC"
        places |= {start - is_led, end}
    # A comma after a clause belongs to what is before it.
    return places | {at + 1 for at in places if tree.tags[at : at + 1] == (",",)}
