"""Clauses of a Doc and what they say: `doc._.clauses`, `doc._.statements`.

Patterns (`clause_patterns`) decide what a clause is, and its kind. This module has the
attributes of a clause.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import zip_longest

from spacy.tokens import Doc, Span, Token

from spacy_gfl.annotation.nodes import Node, sentence_nodes
from spacy_gfl.annotation.sentence_words import require_english
from spacy_gfl.tools.syntax.clause_words import ClauseWords, Draft
from spacy_gfl.tools.syntax.phrase_statements import drafts_beside_clauses
from spacy_gfl.tools.syntax.statements import (
    Contexts,
    Statement,
    clause_contexts,
    clause_draft,
)
from spacy_gfl.trees.tree import Tree

#: Verbs that are written together with the word before, whichever that is.
_CLITIC = re.compile(r"['’](?:s|m|d|re|ve|ll)|(?P<bare>s|m|d|re|ve|ll)", re.IGNORECASE)
#: What `Statement.contexts` has, in its order.
_CONTEXTS = ("negated", "modal", "conditional", "questioned", "commanded", "reported")


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
        statement: What the clause says, as a sentence that stands alone; None where
            rules do not tell, or where that would be a lie.
    """

    kind: str
    span: Span
    spans: tuple[Span, ...]
    subject: Span | None
    verbs: tuple[Token, ...]
    depends_on: "Clause | None"
    antecedent: Span | None
    statement: Statement | None

    @property
    def as_sentence(self) -> str | None:
        """The text of the statement."""
        return None if self.statement is None else self.statement.text

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
        for clause in _SentenceClauses(node).clauses()
        if span.start <= clause.span.start and clause.span.end <= span.end
    ]


def statements(doclike: Doc | Span) -> list[Statement]:
    """`Doc._.statements`, `Span._.statements`: what its clauses say, as sentences.

    Beside the statements of clauses there are those of verb phrases that share an
    auxiliary (*has closed two shops and opened one*), of appositions (*Ann, a doctor*)
    and of phrases in the place of clauses (*tired of waiting, she left*).

    Returns:
        The statements in the order of the spans that they are made of, outer ones
        first.

    Raises:
        ValueError: The Doc is of another language than English, or has
            no trees or no sentences.
    """
    span = doclike[:]
    require_english(span, "Statements")
    in_sents = [
        statement
        for node in sentence_nodes(span)
        for statement in _SentenceClauses(node).statements()
        if span.start <= statement.span.start and statement.span.end <= span.end
    ]
    return sorted(in_sents, key=lambda one: (one.span.start, -one.span.end))


def clause_extents(tree: Tree) -> list[tuple[int, int]]:
    """The words of each clause of a tree, with its conjunction or wh-phrase."""
    parts = _parts(tree)
    return [parts.extents[parts.whole(head)] for head in parts.heads]


@lru_cache(maxsize=256)
def _parts(tree: Tree) -> ClauseWords:
    """The parts of clauses, kept for who asks for clauses and then for statements."""
    return ClauseWords(tree)


class _SentenceClauses:
    """The clauses of a sentence on its Doc."""

    def __init__(self, sent: Node) -> None:
        self._doc, self._words = sent.doc, sent.sentence.words
        self._parts = _parts(sent.tree())

    def clauses(self) -> list[Clause]:
        """The clauses in the order of their heads."""
        parts, made = self._parts, dict[int | None, Clause]()
        for head in parts.from_above():
            subject, antecedent = parts.subject(head), parts.antecedent(head)
            made[head] = Clause(
                kind=parts.kind(head),
                span=self._span(parts.extents[parts.whole(head)]),
                spans=tuple(map(self._span, parts.own(head))),
                subject=None if subject is None else self._span(parts.extents[subject]),
                verbs=tuple(self._token(at) for at in parts.verbs[head]),
                depends_on=made.get(parts.above[head]),
                antecedent=None if antecedent is None else self._span(antecedent),
                statement=self._of_clause(head),
            )
        return [made[head] for head in parts.heads]

    def statements(self) -> list[Statement]:
        """The statements of clauses, and those of what is no clause."""
        of_clauses = map(self._of_clause, self._parts.heads)
        stated = [statement for statement in of_clauses if statement is not None]
        return [*stated, *map(self._statement, drafts_beside_clauses(self._parts))]

    @cached_property
    def _contexts(self) -> dict[int, Contexts]:
        return clause_contexts(self._parts)

    def _token(self, word: int) -> Token:
        return self._doc[self._words[word]]

    def _span(self, extent: tuple[int, int]) -> Span:
        first, last = self._words[extent[0]], self._words[extent[1] - 1]
        return self._doc[first : last + 1]

    def _of_clause(self, head: int) -> Statement | None:
        draft = clause_draft(self._parts, head)
        return None if draft is None else self._statement(draft)

    def _statement(self, draft: Draft) -> Statement:
        contexts, source, is_asked = set[str](), None, False
        if draft.head is not None:
            contexts, source = self._contexts[draft.head]
            is_asked = self._parts.is_asked(draft.head)
        if draft.is_alternative:
            contexts = contexts | {"modal"}
        words = [
            (text, None if at is None else self._token(at)) for text, at in draft.pieces
        ]
        return Statement(
            text=_text(words, self._token(0), ".?"[is_asked]),
            words=tuple(words),
            kind=draft.kind,
            span=self._span(self._parts.extents[draft.node]),
            contexts=tuple(name for name in _CONTEXTS if name in contexts),
            source=None if source is None else self._span(self._parts.extents[source]),
            confidence=draft.sure,
        )


def _text(words: Sequence[tuple[str, Token | None]], first: Token, period: str) -> str:
    """Words with the white space of their Doc, the first with a capital letter.

    A period or question mark ends them, if nothing like it does: *by Ada Inc.*, or
    *"What is it?"*.

    The capital of the sentence's first word goes unless it is a name's. A clitic joins
    the word that is now before it: *the man who's calling* is "The man's calling".
    """
    text = ""
    for (word, token), (following, after) in zip_longest(
        words, words[1:], fillvalue=("", None)
    ):
        is_moved = bool(text) and token is not None and token.i == first.i
        is_name = first.tag_.startswith("NNP") or (word.isupper() and word != "A")
        if is_moved and not is_name:
            word = word[:1].lower() + word[1:]
        text += word
        is_genitive = following in ("'s", "'") and after and after.text != following
        if is_genitive:
            continue
        is_next = token is not None and after is not None and after.i == token.i + 1
        if is_next and token is not None:
            text += token.whitespace_
        elif (
            (clitic := _CLITIC.fullmatch(following)) and not clitic["bare"]
        ) or following in ("", *",;:.!?)"):
            continue
        elif clitic and after is not None and after.i and (before := after.nbor(-1)):
            # Parts that were written together: who's without its apostrophe.
            is_joined = before.text[-1].isalpha() and not before.whitespace_
            text += "'" if is_joined else " "
        else:
            text += " "
    text = text.strip()
    if text.rstrip("'\"’”")[-1:] not in ("!?", ".!?")[period == "."]:
        text += period
    opening = text.split(" ", 1)[0]
    # "iPhone" is written so.
    return text if opening != opening.lower() else text[:1].upper() + text[1:]
