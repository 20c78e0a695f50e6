"""What clauses say, as sentences that stand alone: `clause.statement`, `_.statements`.

A clause that has no finite verb, or lacks what its sentence says elsewhere, gets its
subject, its verb form and what it lacks from the rest of the sentence. All of it is
done by rules for English trees in the Penn Treebank's style; where they do not tell, or
where the sentence would be a lie ("he refused to pay"), there is none.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from spacy.tokens import Span, Token

from spacy_gfl.tools.syntax.clause_parts import ClauseParts
from spacy_gfl.tools.syntax.verb_forms import base, inflected

#: A word of a statement: as it is written, and the word of the sentence that it is
#: from, if it is from one.
Piece = tuple[str, int | None]

#: How sure a statement is: all of it is in the tree; rules have added a tense, a
#: preposition or a noun; its subject is guessed.
FROM_TREE, ADDED, GUESSED = 1.0, 0.8, 0.6

# A "quantifier" restricts a statement, which is then not true of all. What has the
# infinitive of a verb happens, or would, should or could happen; "doing" has
# participles that say so, and "real" prepositions before them. Nobody's subject is a
# noun of "hardship".
_WORDS = """
plural      we you they these those both many several few
quantifier  no nobody none nothing neither never few any anyone anybody anything every
quantifier  each all everyone everybody everything most only whoever whatever
negation    not n't n’t never hardly scarcely rarely no nobody nothing
condition   if unless provided providing suppose supposing lest
happens     manage begin start continue happen dare bother cause force lead persuade
happens     convince help get make have see hear watch let feel notice compel inspire
would       promise want hope plan intend decide agree offer threaten vow swear expect
would       choose aim mean resolve undertake wish prefer
should      ask tell order urge advise invite encourage remind beg instruct request
should      command warn teach require
could       allow permit enable authorize entitle
doing       enjoy keep finish start continue admit regret remember begin like love hate
doing       see hear watch notice feel find catch leave
real        after before by upon on in since through despite
saying      say tell claim report think believe argue announce suggest state insist
saying      assume suppose feel guess expect hope predict suspect allege warn write add
saying      explain maintain promise fear imagine declare note
denying     deny doubt refute dispute disprove reject
stative     be have know live own belong contain include consist cost lack need want
stative     mean resemble seem represent involve require concern overlook explain
stative     describe show lead depend remain exist surround relate refer name stem
posture     sit stand lie wait be stay remain sleep rest play work
giving      give lend send show tell teach offer bring buy ask hand pay pass promise
giving      sell owe write leave cost feed grant throw read make get
hardship    time trouble difficulty difficulties problem problems fun luck
day         day days morning afternoon evening night weekend monday tuesday wednesday
day         thursday friday saturday sunday
moment      time moment point hour minute
past        yesterday last ago earlier by january february march april june july august
past        september october november december
"""
_IN: dict[str, set[str]] = defaultdict(set)
for _name, *_members in map(str.split, _WORDS.strip().splitlines()):
    _IN[_name].update(_members)
_AUXILIARIES = {"would": ("will", "would"), "could": ("can", "could")}
_NOMINATIVE = {"me": "I", "him": "he", "her": "she", "us": "we", "them": "they"}
_OBJECTIVE = {"he": "him", "she": "her", "we": "us", "they": "them", "i": "me"}
#: What stands for what is not told: *what she said*.
_SOMETHING = dict.fromkeys(["what", "whatever"], "something")
_SOMETHING |= dict.fromkeys(["who", "whoever", "whom"], "someone")
_NOUNS = ("NP", "NX", "NML", "WHNP")
_FINITE = frozenset({"MD", "VBD", "VBP", "VBZ"})
_VERB_TAGS = _FINITE | {"VB", "VBG", "VBN"}


@dataclass(frozen=True, eq=False)
class Statement:
    """What a clause, a verb phrase or an apposition says, as a sentence.

    Attributes:
        text: The sentence.
        words: Its words, each with the token that it comes from, None for what rules
            have added; a verb in another form comes from its token.
        kind: The kind of the clause; "coordinate" for a verb phrase that shares an
            auxiliary with another, "apposition" for a noun phrase beside another.
        span: What it is made of.
        contexts: Why it may not be true, in this order: "negated", "modal",
            "conditional", "questioned", "commanded", and "reported" for what
            somebody says or thinks.
        source: Who says or thinks it, if it is reported.
        confidence: 1 if all of it is in the tree, 0.8 if rules have added a tense, a
            preposition or a noun, 0.6 if they have guessed its subject.
    """

    text: str
    words: tuple[tuple[str, Token | None], ...]
    kind: str
    span: Span
    contexts: tuple[str, ...]
    source: Span | None
    confidence: float

    @property
    def is_claim(self) -> bool:
        """Whether the sentence or its source says that it is so."""
        return not set(self.contexts) - {"reported"}

    def __repr__(self) -> str:
        return f"Statement({self.kind}, {self.text!r})"


class Draft(NamedTuple):
    """A statement in the words of its tree.

    Attributes:
        kind: The kind of statement.
        node: What it is made of.
        head: The head of the clause that says it; None for what depends on none.
        pieces: Its words.
        sure: How sure it is.
    """

    kind: str
    node: int
    head: int | None
    pieces: list[Piece]
    sure: float


class Drafts:
    """The drafts of a tree's statements.

    Nodes and heads are places in pre-order, as in `ClauseParts`.
    """

    def __init__(self, parts: ClauseParts) -> None:
        self._parts = parts
        self._tags = parts.tree.tags
        self._texts = parts.tree.words
        self._lower = [word.lower() for word in self._texts]

    def of_clause(self, head: int) -> Draft | None:
        """The draft of a clause; None where rules do not tell its sentence."""
        parts = self._parts
        if not parts.verbs(head):
            return None
        sure = FROM_TREE
        if head in parts.found["infinitival"]:
            found = self._infinitive(head)
        elif head in parts.found["participial"]:
            found = self._participle(head)
        elif kept := self._kept(head):
            found = self._pieces(kept), sure
        else:
            found = None if parts.is_asked(head) else self._with_gap(head)
        if found is None:
            return None
        return Draft(parts.kind(head), parts.whole(head), head, *found)

    def beside_clauses(self) -> Iterator[Draft]:
        """Verb phrases that share an auxiliary, appositions, phrases like clauses."""
        for at, label in enumerate(self._parts.labels):
            if label == "VP":
                yield from self._shared(at)
            elif label == "NP":
                yield from self._apposed(at)
            elif label == "S" and at not in self._parts.found["head"]:
                yield from self._verbless(at)

    def contexts(self, head: int) -> tuple[set[str], int | None]:
        """Why what a clause says may not be so, and the subject of what reports it."""
        parts, found, source = self._parts, set[str](), None
        at: int | None = head
        while at is not None:
            kind, above, whole = parts.kind(at), parts.above(at), parts.whole(at)
            verbs, subject = parts.verbs(at), parts.subject(at)
            if parts.is_asked(at):
                found.add("questioned")
            if above is None and subject is None and self._tags_of(verbs) == "VB":
                found.add("commanded")
            if kind == "relative":
                break
            opener = self._lower[parts.extents[whole][0]]
            if kind == "adverbial" and opener in _IN["condition"]:
                found.add("conditional")
            if kind == "complement" and opener in ("if", "whether"):
                found.add("questioned")
            verb, _ = self._governor(whole)
            governing = "" if verb is None else self._base(verb)
            if above is not None and (kind == "complement" or verb is not None):
                around = parts.verbs(above)
                last = {governing, *map(self._base, around[-1:])}
                if self._is_negated(above) or governing in _IN["denying"]:
                    found.add("negated")
                if self._tags_of(around) == "MD" and self._lower[around[0]][:2] not in (
                    *("wi", "wo", "'l", "’l"),
                ):
                    found.add("modal")
                if kind == "complement" and last & _IN["saying"]:
                    found.add("reported")
                    source = parts.subject(above) if source is None else source
            if at in parts.found["infinitival"] and governing not in _IN["happens"]:
                found.add("modal")
            at = above
        return found, source

    # Words and nodes

    def _words(self, node: int) -> list[int]:
        return list(range(*self._parts.extents[node]))

    def _pieces(self, words: Iterable[int]) -> list[Piece]:
        return [(self._texts[at], at) for at in words]

    def _inside(self, node: int) -> list[Piece]:
        """The words of a node, without punctuation at its ends."""
        return self._pieces(self._parts.trim(self._words(node)))

    def _child(self, node: int | None, *labels: str) -> int | None:
        children = () if node is None else self._parts.children[node]
        return next((i for i in children if self._parts.labels[i] in labels), None)

    def _first_verb(self, phrase: int | None) -> int | None:
        """The first verb of a verb phrase, as a word."""
        while phrase is not None:
            verb = self._child(phrase, *_VERB_TAGS, "TO")
            if verb is not None:
                return self._parts.nodes[verb].start
            phrase = self._child(phrase, "VP")
        return None

    def _base(self, word: int) -> str:
        return base(self._texts[word], self._tags[word])

    def _tags_of(self, verbs: Sequence[int]) -> str:
        """The tag of the first verb."""
        return self._tags[verbs[0]] if verbs else ""

    def _follows(self, node: int) -> str:
        """The tag of the word after a node."""
        return self._tags[min(self._parts.extents[node][1], len(self._tags) - 1)]

    def _governor(self, at: int) -> tuple[int | None, int | None]:
        """The verb that a clause is a complement of, and an object between them."""
        parts, parent = self._parts, self._parts.nodes[at].parent
        if parent >= 0 and parts.labels[parent] == "S":
            at, parent = parent, parts.nodes[parent].parent
        if parent < 0 or parts.labels[parent] != "VP":
            return None, None
        sisters = [i for i in parts.children[parent] if i < at]
        verbs = [parts.nodes[i].start for i in sisters if parts.labels[i] in _VERB_TAGS]
        nouns = [i for i in sisters if parts.labels[i] == "NP"]
        return next(reversed(verbs), None), next(reversed(nouns), None)

    def _is_negated(self, head: int | None) -> bool:
        """Whether a clause's verbs are negated, or its subject is nobody."""
        verbs = [] if head is None else self._parts.verbs(head)
        if head is None or not verbs:
            return False
        subject = self._parts.subject(head)
        words = list(range(verbs[0], verbs[-1]))
        words += [] if subject is None else self._words(subject)[:1]
        return any(self._lower[at] in _IN["negation"] for at in words)

    # Subjects and tenses

    def _subject(self, head: int) -> tuple[list[Piece], float] | None:
        """The subject of a clause, which may be that of one around it."""
        parts, sure, at = self._parts, FROM_TREE, head
        while True:
            subject, antecedent = parts.subject(at), parts.antecedent(at)
            if subject is not None and not parts.labels[subject].startswith("WH"):
                inside = [parts.labels[i] for i in parts.children[subject]]
                if inside[:2] == ["NP", ","] and "CC" not in inside:
                    # Keep the noun; leave out its apposition or relative clause.
                    subject = parts.children[subject][0]
                return self._nominative(self._inside(subject)), sure
            if antecedent is not None:
                words = list(range(*antecedent))
                is_said = not self._is_quantified(words)
                return (self._pieces(words), sure) if is_said else None
            above = parts.above(at)
            if above is None:
                return None
            at, sure = above, GUESSED

    def _is_quantified(self, words: Sequence[int]) -> bool:
        return any(self._lower[at] in _IN["quantifier"] for at in words[:2])

    @staticmethod
    def _nominative(pieces: list[Piece]) -> list[Piece]:
        if len(pieces) != 1:
            return pieces
        return [(_NOMINATIVE.get(text.lower(), text), at) for text, at in pieces]

    def _is_plural(self, subject: Sequence[Piece]) -> bool:
        words = [at for _, at in subject if at is not None]
        texts = [text.lower() for text, _ in subject]
        if texts[0] in _IN["plural"] or ("and" in texts and len(words) > 2):
            return True
        noun = ""
        for tag in (self._tags[at] for at in words):
            is_after = tag in ("IN", "TO", ",", "WDT", "WP", "VBG", "VBN", "-LRB-")
            if is_after and noun not in ("", "DT"):
                break
            noun = tag if tag.startswith(("NN", "PRP", "DT")) else noun
        return noun in ("NNS", "NNPS")

    def _tense(self, at: int | None) -> str:
        """Whether a clause, or the nearest around it, is "past", "present", "modal"."""
        while at is not None:
            verbs = self._parts.verbs(at)
            tag = self._tags_of(verbs)
            if tag == "VBD" or (len(verbs) > 1 and self._base(verbs[0]) == "have"):
                return "past"
            if tag in _FINITE:
                return "modal" if tag == "MD" else "present"
            at = self._parts.above(at)
        return "present"

    def _inflect(self, verb: str, tense: str, subject: Sequence[Piece]) -> str:
        is_first = [text for text, _ in subject] == ["I"]
        return inflected(
            verb,
            is_past=tense == "past",
            is_plural=self._is_plural(subject),
            is_first=is_first,
        )

    def _finite(
        self, verb: int, negated: list[Piece], tense: str, subject: Sequence[Piece]
    ) -> list[Piece]:
        """A verb in a tense, with its negation."""
        plain = self._base(verb)
        if plain == "be" or not negated:
            return [(self._inflect(plain, tense, subject), verb), *negated]
        return [(self._inflect("do", tense, subject), None), *negated, (plain, verb)]

    def _negations(self, words: Iterable[int]) -> list[Piece]:
        found = [at for at in words if self._lower[at] in ("not", "never")]
        return [(self._lower[at], at) for at in found]

    # Clauses without a finite verb

    def _infinitive(self, head: int) -> tuple[list[Piece], float] | None:
        parts, above = self._parts, self._parts.above(head)
        governor, controller = self._governor(head)
        phrase = inner = self._child(head, "VP")
        plain = self._first_verb(phrase)
        if plain is not None and self._tags[plain] == "TO":
            inner = self._child(phrase, "VP")
            plain = self._first_verb(inner)
        if governor is None or inner is None or plain is None or above is None:
            return None
        verb, own = self._base(governor), self._child(head, *_NOUNS)
        object_ = controller if own is None else own
        found = self._subject(above) if object_ is None else None
        if object_ is not None:
            found = self._nominative(self._inside(object_)), FROM_TREE
        if found is None or self._tags[plain] != "VB" or self._is_negated(above):
            return None
        subject, sure = found[0], min(found[1], FROM_TREE if own is not None else ADDED)
        is_person = self._tags[subject[0][1] or 0] in ("PRP", "NNP", "NNPS")
        if self._is_quantified([at for _, at in subject if at is not None]) or (
            controller is not None and verb in ("get", "require") and not is_person
        ):
            return None
        tense = self._tense(above)
        negated = self._negations(range(parts.extents[head][0], plain))
        rest = [at for at in parts.trim(self._words(inner)) if at != plain]
        before = self._pieces(at for at in rest if at < plain)
        mode = next(
            (m for m in ("happens", "would", "should", "could") if verb in _IN[m]), ""
        )
        if mode == "happens":
            if self._is_coordinated(inner):
                return None
            verbs = self._finite(plain, negated, tense, subject)
        elif mode == "would" or (mode and object_ is not None):
            is_now = tense == "present" and verb not in ("want", "wish")
            auxiliary = _AUXILIARIES.get(mode, ("should", "should"))[not is_now]
            verbs = [(auxiliary, None), *negated, (self._texts[plain], plain)]
            sure = min(sure, ADDED)
        else:
            return None
        after = self._pieces(at for at in rest if at > plain)
        return [*subject, *before, *verbs, *after], sure

    def _is_coordinated(self, phrase: int) -> bool:
        """Whether a verb phrase has several verbs, of which one would be inflected."""
        labels = [self._parts.labels[i] for i in self._parts.children[phrase]]
        return labels.count("VP") > 1 or "CC" in labels

    def _participle(self, head: int) -> tuple[list[Piece], float] | None:
        parts, above = self._parts, self._parts.above(head)
        phrase = head if parts.labels[head] == "VP" else self._child(head, "VP")
        first = self._first_verb(phrase)
        own = None if phrase == head else self._child(head, *_NOUNS)
        if phrase is None or first is None or parts.firsts[head] is not None:
            return None
        use = "meanwhile"
        if own is not None:
            is_owner = self._tags[parts.extents[own][1] - 1] in ("PRP$", "POS")
            found = (
                None if is_owner else (self._nominative(self._inside(own)), FROM_TREE)
            )
        else:
            if parts.antecedent(head) is None:
                use = self._use(head)
            found = self._subject(head) if use else None
        # A capital is a title's.
        if found is None or (first and self._texts[first][0].isupper()):
            return None
        subject, sure = found[0], min(found[1], ADDED)
        if sure == GUESSED and subject[-1][0].lower() in ("it", "there"):
            # It may stand for nothing.
            return None
        if subject[-1][0].lower() in _IN["hardship"] or (
            own is None and self._is_negated(above)
        ):
            return None
        tense = self._tense(above)
        words = parts.trim(self._words(phrase if own is not None else head))
        negated = self._negations(at for at in words if at < first)
        known = {at for _, at in negated}
        before = self._pieces(at for at in words if at < first and at not in known)
        after = self._pieces(at for at in words if at > first)
        verb, participle = self._base(first), (self._texts[first], first)
        if self._tags[first] == "VBN":
            said = {self._lower[at] for at in words}
            is_dated = any(text.isdigit() and len(text) == 4 for text in said)
            tense = "past" if is_dated or said & _IN["past"] else tense
            be = self._inflect("be", tense, subject)
            verbs = [(be, None), *negated, *before, participle]
        elif verb == "have" and self._child(phrase, "VP") is not None:
            verbs = [(self._inflect(verb, tense, subject), first), *negated, *before]
        elif use == "happens" or negated or verb in _IN["stative"]:
            if self._is_coordinated(phrase):
                return None
            verbs = [*before, *self._finite(first, negated, tense, subject)]
        else:
            be = self._inflect("be", tense, subject)
            verbs = [(be, None), *before, participle]
        return [*subject, *verbs, *after], sure

    def _use(self, head: int) -> str:
        """What a participle without a subject is to its sentence.

        "meanwhile" for what goes on, "happens" for what happens; "" where it is not
        said to happen.
        """
        parts, above, parent = (
            self._parts,
            self._parts.above(head),
            self._parts.nodes[head].parent,
        )
        verbs = [] if above is None else parts.verbs(above)
        start = parts.extents[head][0]
        opener = self._lower[parts.extents[max(parent, 0)][0]]
        governor, _ = self._governor(head)
        if above is None or not verbs or self._tags_of(verbs) == "VB":
            return ""
        if parts.labels[parent] == "PP":
            # Who does it is not the subject of a passive.
            is_agent = opener == "by" and self._tags[verbs[-1]] == "VBN"
            return "happens" if opener in _IN["real"] and not is_agent else ""
        if parts.labels[parent] == "SBAR":
            return "meanwhile" if opener in ("while", "when", "as", "though") else ""
        is_apart = start > 0 and self._tags[start - 1] == ","
        if governor is not None and not is_apart:
            if self._base(governor) in _IN["doing"]:
                return "happens"
            return "meanwhile" if self._base(governor) in _IN["posture"] else ""
        if start < verbs[0] and self._follows(head) != ",":
            # "Swimming is fun": a subject.
            return ""
        is_posture = self._base(verbs[-1]) in _IN["posture"]
        return "happens" if start > verbs[-1] and not is_posture else "meanwhile"

    # Clauses with a gap

    def _with_gap(self, head: int) -> tuple[list[Piece], float] | None:
        """A relative clause, with what it is relative to in its place."""
        parts, opener, subject = (
            self._parts,
            self._parts.opener(head),
            self._parts.subject(head),
        )
        words = [] if opener is None else self._words(opener)
        wh, *more = [self._lower[at] for at in words] or [""]
        antecedent = parts.antecedent(
            head if parts.firsts[head] is None else parts.firsts[head] or 0
        )
        sure = FROM_TREE
        if antecedent is not None and wh not in ("what", "whatever", "whoever"):
            given = list(range(*antecedent))
            if self._is_quantified(given):
                return None
            noun = self._pieces(given)
        elif wh in _SOMETHING and not more and parts.firsts[head] is None:
            noun, sure = [(_SOMETHING[wh], words[0])], GUESSED
        else:
            return None
        body = self._pieces(parts.trim(self._without_coordinates(head, head)))
        label = "" if opener is None else parts.labels[opener]
        if "whose" in (wh, *more[:1]):
            at = words[(wh, *more).index("whose")]
            genitive = "'" if noun[-1][0].endswith("s") else "'s"
            noun = [*noun, (genitive, at), *self._pieces(range(at + 1, words[-1] + 1))]
        elif (label == "WHNP" and more) or (
            label == "WHPP" and more not in (["which"], ["whom"])
        ):
            return None
        if label in ("WHPP", "WHADVP") and subject is None:
            return None
        if label == "WHPP":
            return [*body, (wh, words[0]), *noun], sure
        if label == "WHADVP":
            if antecedent is None or wh not in ("where", "when") or more:
                return None
            texts = {text.lower() for text, _ in noun}
            of_time = (
                "on" if texts & _IN["day"] else "at" if texts & _IN["moment"] else "in"
            )
            return [*body, ("in" if wh == "where" else of_time, words[0]), *noun], ADDED
        if subject is not None and subject == opener:
            # "Something is now Turkey" says nothing.
            is_empty = sure == GUESSED and [*map(self._base, parts.verbs(head))] == [
                "be"
            ]
            return None if is_empty else ([*noun, *body], sure)
        place = None if subject is None else self._gap(head)
        if place is None or (
            sure == GUESSED
            and parts.verbs(head)
            and self._base(parts.verbs(head)[-1]) == "be"
        ):
            return None
        if len(noun) == 1 and not place[1]:
            noun = [(_OBJECTIVE.get(text.lower(), text), at) for text, at in noun]
        before = [
            piece for piece in body if piece[1] is not None and piece[1] < place[0]
        ]
        return [*before, *noun, *body[len(before) :]], sure

    def _gap(self, at: int) -> tuple[int, bool] | None:
        """The word before which what is relative belongs, and whether as a subject."""
        parts = self._parts
        while (phrase := self._child(at, "VP")) is not None:
            if self._child(phrase, "VP") is not None:
                at = phrase
                continue
            clause = self._child(phrase, "S", "SBAR")
            if self._child(clause, "WHNP", "WHADVP", "WHPP") is not None:
                clause = None
            if clause is not None and parts.labels[clause] == "SBAR":
                clause = self._child(clause, "S")
            inside = self._child(clause, "VP")
            if clause is None or inside is None:
                return self._object_place(phrase)
            verb = self._first_verb(inside)
            is_finite = verb is not None and self._tags[verb] in _FINITE
            if is_finite and self._child(clause, "NP") is None:
                return parts.extents[inside][0], True
            at = clause
        return None

    def _object_place(self, phrase: int) -> tuple[int, bool] | None:
        parts, children = self._parts, self._parts.children[phrase]
        for child in children:
            start, end = parts.extents[child]
            is_alone = end - start == 1 and parts.labels[child] in (
                "PP",
                "IN",
                "TO",
                "ADVP",
            )
            if is_alone and self._tags[start] in ("IN", "TO"):
                return end, False
        verb = self._first_verb(phrase)
        nouns = [parts.extents[i][1] for i in children if parts.labels[i] == "NP"]
        if verb is None or self._tags[verb] == "MD":
            return None
        if nouns:
            takes_two = len(nouns) == 1 and self._base(verb) in _IN["giving"]
            return (nouns[0], False) if takes_two else None
        particle = self._child(phrase, "PRT")
        is_next = particle is not None and parts.extents[particle][0] == verb + 1
        return (parts.extents[particle or 0][1] if is_next else verb + 1), False

    # Clauses whose words are all there

    def _kept(self, head: int) -> list[int]:
        """The words of a finite clause that lacks nothing but a subject nearby."""
        parts = self._parts
        kind, subject, opener = (
            parts.kind(head),
            parts.subject(head),
            parts.opener(head),
        )
        whole, before = head, list[int]()
        if head in parts.found["coordinate"]:
            if subject is not None:
                if parts.labels[subject] == "WHNP" and not parts.is_asked(head):
                    return []
                before = self._words(subject)
        elif opener is not None and not parts.is_asked(head):
            antecedent = parts.antecedent(head)
            if kind == "relative" and subject == opener and antecedent:
                before = list(range(*antecedent))
                # "Which of them" is more than the antecedent.
                if len(self._words(opener)) > 1 or self._is_quantified(before):
                    return []
            elif kind != "adverbial" or parts.labels[opener] != "WHADVP" or not subject:
                return []
        elif kind in ("complement", "adverbial"):
            is_whole = subject is not None and parts.labels[head] == "S"
            opening = parts.children[parts.whole(head)]
            # After *than*, what is compared is missing.
            if not is_whole or any(
                parts.labels[i + 1].lower() == "than" for i in opening
            ):
                return []
        elif parts.outer(head) in parts.found["relative"]:
            return []
        else:
            whole = parts.whole(head) if parts.is_asked(head) else head
        return parts.trim([*before, *self._without_coordinates(whole, head)])

    def _without_coordinates(self, whole: int, head: int) -> list[int]:
        """A clause's words without the clauses in it that are coordinated with it."""
        parts, dropped = self._parts, set[int]()
        for at in parts.found["coordinate"] | parts.found["added"]:
            parent = parts.nodes[at].parent
            if parts.firsts.get(at, parent) == head:
                sisters = parts.children[parent]
                phrases = [i for i in sisters if i < at and parts.labels[i] == "VP"]
                dropped.update(range(parts.nodes[phrases[-1]].end, parts.nodes[at].end))
        return [word for word in self._words(whole) if word not in dropped]

    # What is no clause

    def _owner(self, node: int) -> int | None:
        """The head of the clause that a node begins in."""
        owners = self._parts.owners[self._parts.extents[node][0] :]
        return owners[0] if owners and owners[0] >= 0 else None

    def _shared(self, at: int) -> Iterator[Draft]:
        """The conjuncts of a verb phrase below auxiliaries: *has closed and opened*."""
        parts, above, parent = (
            self._parts,
            self._owner(at),
            self._parts.nodes[at].parent,
        )
        labels = {parts.labels[i] for i in parts.children[at]}
        # "Was caught and eaten": verbs alone.
        kinds = _VERB_TAGS if labels <= _VERB_TAGS | {"CC", ","} else {"VP"}
        conjuncts = [i for i in parts.children[at] if parts.labels[i] in kinds]
        subject = None if above is None else parts.subject(above)
        if above is None or subject is None or parts.labels[max(parent, 0)] != "VP":
            return
        not_finite = parts.found["infinitival"] | parts.found["participial"]
        is_said = above not in not_finite and not parts.is_asked(above)
        is_said &= not parts.labels[subject].startswith("WH")
        is_joined = len(conjuncts) > 1 and bool(labels & {"CC", "CONJP"})
        if not (is_said and is_joined) or parts.found["head"] & {*conjuncts}:
            return
        skipped = {"either", "both", "neither", ","}
        auxiliaries = range(parts.extents[subject][1], parts.extents[at][0])
        for conjunct in conjuncts:
            words = [*auxiliaries, *parts.trim(self._words(conjunct))]
            words = [word for word in words if self._lower[word] not in skipped]
            pieces = self._inside(subject) + self._pieces(words)
            yield Draft("coordinate", conjunct, above, pieces, FROM_TREE)

    def _apposed(self, at: int) -> Iterator[Draft]:
        """*Ann, a doctor,*: a noun phrase beside another, and neither is a list's."""
        children = self._parts.children[at]
        labels = [self._parts.labels[i] for i in children]
        if labels not in (["NP", ",", "NP"], ["NP", ",", "NP", ","]):
            return
        words, said = self._words(children[0]), self._words(children[2])
        first, names = self._tags[said[0]], {"NNP", "NNPS"}
        is_described = first in ("DT", "PRP$") and not self._is_quantified(said[:1])
        is_named = {self._tags[i] for i in said} <= names
        is_named &= self._tags[words[-1]] not in names
        is_named &= self._tags[words[0]] in ("DT", "PRP$")
        if (is_described or is_named) and not self._is_quantified(words):
            subject = self._nominative(self._pieces(words))
            be = self._inflect("be", "present", subject)
            pieces = [*subject, (be, None), *self._inside(children[2])]
            yield Draft("apposition", children[2], None, pieces, ADDED)

    def _verbless(self, at: int) -> Iterator[Draft]:
        """*Tired of waiting, ...*; *with his eyes closed*."""
        parts, above, children = self._parts, self._owner(at), self._parts.children[at]
        labels = [parts.labels[i] for i in children]
        parent = parts.labels[max(parts.nodes[at].parent, 0)]
        found = None
        if labels == ["ADJP"] and parent == "S" and self._follows(at) == ",":
            found = None if above is None else self._subject(above)
        elif labels in (["NP", "ADJP"], ["NP", "PP"], ["NP", "ADVP"]) and parent in (
            "PP",
            "S",
        ):
            found = self._nominative(self._inside(children[0])), FROM_TREE
        # "He was himself ill."
        if found is not None and found[0][-1][0].lower().endswith(("self", "selves")):
            found = None
        if found is not None and above is not None:
            be = self._inflect("be", self._tense(above), found[0])
            pieces = [*found[0], (be, None), *self._inside(children[-1])]
            sure = GUESSED if labels == ["ADJP"] else ADDED
            yield Draft("participial", at, above, pieces, sure)
