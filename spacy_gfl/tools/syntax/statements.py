"""What clauses say, as sentences that stand alone: `clause.statement`, `_.statements`.

A clause that has no finite verb, or lacks what its sentence says elsewhere, gets its
subject, its verb form and what it lacks from the rest of the sentence. All of it is
done by rules for English trees in the Penn Treebank's style; where they do not tell, or
where the sentence would be a lie ("he refused to pay"), there is none.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from spacy.tokens import Span, Token

from spacy_gfl.tools.syntax.clause_parts import FORMS, ClauseParts
from spacy_gfl.tools.syntax.verb_forms import base, past, present

#: A word of a statement: as it is written, and the word of the sentence that it is
#: from, if it is from one.
Piece = tuple[str, int | None]

#: How sure a statement is: made of the clause's words and of what the tree says that
#: they belong to; with a tense, preposition or noun that rules have added; with a
#: subject that is guessed.
FROM_TREE, ADDED, GUESSED = 1.0, 0.8, 0.6

_NOMINATIVE = {
    "me": "I",
    "him": "he",
    "her": "she",
    "us": "we",
    "them": "they",
    "whom": "who",
}
_OBJECTIVE = {"he": "him", "she": "her", "we": "us", "they": "them", "i": "me"}
_PLURAL_WORDS = frozenset("we you they these those both many several few".split())
#: Of what has one of these, nothing that restricts it can be said of itself.
_QUANTIFIERS = frozenset(
    "no nobody none nothing neither never few any anyone anybody anything every each all "
    "everyone everybody everything most only whoever whatever".split()
)
_NEGATIONS = frozenset("not n't n’t never hardly scarcely rarely no nobody nothing".split())
_CONDITIONS = frozenset("if unless provided providing suppose supposing lest".split())
_NOT_MODAL = frozenset({"will", "'ll", "’ll", "wo"})
#: Verbs whose infinitive has their subject or object for a subject, by what follows
#: from them: that it happens; that it would, should or could happen.
_HAPPENS = frozenset(
    "manage begin start continue happen dare bother cause force lead persuade convince "
    "help get make have see hear watch let feel notice proceed compel inspire".split()
)
_WOULD = frozenset(
    "promise want hope plan intend decide agree offer threaten vow swear expect choose "
    "aim mean resolve undertake wish prefer".split()
)
_SHOULD = frozenset(
    "ask tell order urge advise invite encourage require remind beg instruct request "
    "command warn teach".split()
)
_COULD = frozenset("allow permit enable authorize entitle".split())
#: Verbs with a participle that say that it happens.
_DOING = frozenset(
    "enjoy keep finish start continue admit regret remember begin like love hate "
    "see hear watch notice feel find catch leave".split()
)
#: What somebody says or thinks, and what nobody does.
_SAYING = frozenset(
    "say tell claim report think believe argue announce suggest state insist assume "
    "suppose feel guess expect hope predict suspect allege warn write add explain "
    "maintain promise fear imagine declare note".split()
)
_DENYING = frozenset("deny doubt refute dispute disprove reject".split())
_ASKING = frozenset("ask wonder inquire enquire doubt".split())
_STATIVE = frozenset(
    "be have know live own belong contain include consist cost lack need want mean "
    "resemble seem represent involve require concern overlook explain describe show "
    "lead depend remain exist surround relate refer name date weigh measure".split()
)
_POSTURES = frozenset("sit stand lie wait be stay remain sleep rest play work".split())
_TWO_OBJECTS = frozenset(
    "give lend send show tell teach offer bring buy ask hand pay pass promise sell owe "
    "write leave cost feed grant throw read make get".split()
)
_UNREAL_PREPOSITIONS = frozenset("without instead rather against from for than".split())
_DAYS = frozenset(
    "day days morning afternoon evening night weekend monday tuesday wednesday thursday "
    "friday saturday sunday".split()
)
_MOMENTS = frozenset("time moment point hour minute".split())
_NOUNS = frozenset({"NP", "NX", "NML", "WHNP"})
_VERB_TAGS = frozenset({"MD", "VB", "VBD", "VBG", "VBN", "VBP", "VBZ"})


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
        confidence: 1 if all is in the tree, less if a tense, a preposition or a
            noun has been added, least if its subject has been guessed.
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


class Drafts:
    """Drafts of statements: pieces and how sure they are, for the heads of clauses.

    Nodes and heads are places in pre-order, as in `ClauseParts`.
    """

    def __init__(self, parts: ClauseParts) -> None:
        self.parts = parts
        self.tree = parts.tree

    def of_clause(self, head: int) -> tuple[list[Piece], float] | None:
        """The words of a clause as a sentence; None where rules do not tell them."""
        parts = self.parts
        if not parts.verbs(head):
            return None
        kind = parts.kind(head)
        if head in parts.found["infinitival"]:
            return self._infinitive(head)
        if head in parts.found["participial"]:
            return self._participle(head)
        if kept := self._kept(head):
            return self._pieces(kept), FROM_TREE
        opener = parts.opener(head)
        is_open = kind in ("relative", "complement", "adverbial", "main", "coordinate")
        if is_open and not parts.is_asked(head):
            return self._with_gap(head, opener)
        return None

    # Words

    def _word(self, at: int) -> str:
        return self.tree.words[at].lower()

    def _words_of(self, node: int) -> list[int]:
        return list(range(*self.parts.extents[node]))

    def _pieces(self, words: Iterable[int]) -> list[Piece]:
        return [(self.tree.words[at], at) for at in words]

    def _inside(self, node: int) -> list[Piece]:
        """The words of a node, without punctuation at its ends."""
        return self._pieces(self.parts.trim(self._words_of(node)))

    def _child(self, node: int, *labels: str) -> int | None:
        children = self.parts.children[node]
        return next((i for i in children if self.parts.labels[i] in labels), None)

    def _first_verb(self, phrase: int) -> int | None:
        """The first verb of a verb phrase, as a word."""
        while phrase is not None:
            for child in self.parts.children[phrase]:
                if self.parts.labels[child] in _VERB_TAGS | {"TO"}:
                    return self.parts.nodes[child].start
            inner = self._child(phrase, "VP")
            if inner is None:
                return None
            phrase = inner
        return None

    def _base(self, word: int) -> str:
        return base(self.tree.words[word], self.tree.tags[word])

    # Subjects

    def _subject(self, head: int) -> tuple[list[Piece], float] | None:
        """The subject of a clause that may have to be looked for in those around it."""
        parts, sure = self.parts, FROM_TREE
        seen = set()
        at: int | None = head
        while at is not None and at not in seen:
            seen.add(at)
            subject = parts.subject(at)
            if subject is not None and not parts.labels[subject].startswith("WH"):
                return self._nominative(self._inside(subject)), sure
            antecedent = parts.antecedent(at)
            if antecedent is not None:
                words = list(range(*antecedent))
                return None if self._is_quantified(words) else (self._pieces(words), sure)
            at, sure = parts.above(at), GUESSED
        return None

    def _is_quantified(self, words: Sequence[int]) -> bool:
        return any(self._word(at) in _QUANTIFIERS for at in words[:2])

    @staticmethod
    def _nominative(pieces: list[Piece]) -> list[Piece]:
        if len(pieces) == 1:
            text, at = pieces[0]
            return [(_NOMINATIVE.get(text.lower(), text), at)]
        return pieces

    def _is_plural(self, subject: Sequence[Piece]) -> bool:
        words = [at for _, at in subject if at is not None]
        if not words:
            return False
        texts = [text.lower() for text, _ in subject]
        if texts[0] in _PLURAL_WORDS or ("and" in texts and len(words) > 2):
            return True
        nouns: list[int] = []
        for at in words:
            tag = self.tree.tags[at]
            if nouns and tag in ("IN", "TO", ",", "WDT", "WP", "VBG", "VBN", "-LRB-"):
                break
            if tag.startswith(("NN", "PRP", "DT")):
                nouns.append(at)
        return bool(nouns) and self.tree.tags[nouns[-1]] in ("NNS", "NNPS")

    # Tense

    def _tense(self, head: int) -> str:
        """ "past", "present" or "modal", of the nearest clause around that has one."""
        at: int | None = self.parts.above(head)
        while at is not None:
            verbs = self.parts.verbs(at)
            if verbs:
                tag = self.tree.tags[verbs[0]]
                is_perfect = len(verbs) > 1 and self._base(verbs[0]) == "have"
                if tag == "VBD" or is_perfect:
                    return "past"
                if tag == "MD":
                    return "modal"
                if tag in ("VBZ", "VBP"):
                    return "present"
            at = self.parts.above(at)
        return "present"

    def _inflect(self, verb: str, tense: str, subject: Sequence[Piece]) -> str:
        text = subject[0][0].lower() if len(subject) == 1 else ""
        is_plural = self._is_plural(subject)
        if verb == "be":
            if text == "i":
                return "was" if tense == "past" else "am"
            if tense == "past":
                return "were" if is_plural else "was"
        if tense == "past":
            return past(verb)
        return present(verb, is_plural=is_plural or text == "i")

    # Clauses without a finite verb

    def _infinitive(self, head: int) -> tuple[list[Piece], float] | None:
        parts = self.parts
        verb, controller = self._governor(head)
        if verb is None:
            return None
        governing = self._base(verb)
        phrase = self._child(head, "VP")
        to = self._first_verb(phrase) if phrase is not None else None
        if phrase is None or to is None:
            return None
        if self.tree.tags[to] == "TO":
            inner = self._child(phrase, "VP")
            plain = self._first_verb(inner) if inner is not None else None
        else:
            inner, plain = phrase, to
        if inner is None or plain is None or self.tree.tags[plain] != "VB":
            return None
        own = self._child(head, *_NOUNS)
        if own is not None:
            found: tuple[list[Piece], float] | None = self._inside(own), FROM_TREE
        elif controller is not None:
            found = self._inside(controller), ADDED
        else:
            above = parts.above(head)
            found = None if above is None else self._subject(above)
            found = None if found is None else (found[0], min(found[1], ADDED))
        if found is None:
            return None
        subject, sure = self._nominative(found[0]), found[1]
        words = [at for _, at in subject if at is not None]
        if self._is_quantified(words):
            return None
        rest = [at for at in self.parts.trim(self._words_of(inner)) if at != plain]
        before = [at for at in rest if at < plain]
        after = [at for at in rest if at > plain]
        tense = self._tense(head)
        has_object = own is not None or controller is not None
        if governing in _HAPPENS:
            if self._is_negated(parts.above(head)):
                return None
            verbs = [(self._inflect(self._base(plain), tense, subject), plain)]
            is_sure = tense != "modal"
            sure = sure if is_sure else min(sure, ADDED)
        else:
            auxiliary = self._auxiliary(governing, tense, has_object)
            if auxiliary is None or self._is_negated(parts.above(head)):
                return None
            verbs = [(auxiliary, None), (self.tree.words[plain], plain)]
            sure = min(sure, ADDED)
        pieces = [*subject, *self._pieces(before), *verbs, *self._pieces(after)]
        return pieces, sure

    def _auxiliary(self, verb: str, tense: str, has_object: bool) -> str | None:
        if verb in _WOULD:
            return "will" if tense == "present" and verb not in ("want", "wish") else "would"
        if verb in _SHOULD and has_object:
            return "should"
        if verb in _COULD and has_object:
            return "can" if tense == "present" else "could"
        return None

    def _governor(self, head: int) -> tuple[int | None, int | None]:
        """The verb that a clause is a complement of, and its object before the clause."""
        parts, at = self.parts, head
        parent = parts.nodes[at].parent
        if parent >= 0 and parts.labels[parent] == "S":
            at, parent = parent, parts.nodes[parent].parent
        if parent < 0 or parts.labels[parent] != "VP":
            return None, None
        sisters = [i for i in parts.children[parent] if i < at]
        verbs = [i for i in sisters if parts.labels[i] in _VERB_TAGS]
        nouns = [i for i in sisters if parts.labels[i] == "NP"]
        verb = parts.nodes[verbs[-1]].start if verbs else None
        return verb, nouns[-1] if nouns else None

    def _participle(self, head: int) -> tuple[list[Piece], float] | None:
        parts = self.parts
        phrase = head if parts.labels[head] == "VP" else self._child(head, "VP")
        first = self._first_verb(phrase) if phrase is not None else None
        if phrase is None or first is None or parts.firsts[head] is not None:
            return None
        own = None if phrase == head else self._child(head, *_NOUNS)
        is_reduced = parts.antecedent(head) is not None
        use = "adjunct"
        if own is None and not is_reduced:
            use = self._use(head)
            if use == "":
                return None
        if own is not None:
            found: tuple[list[Piece], float] | None = (
                self._nominative(self._inside(own)),
                FROM_TREE,
            )
        else:
            found = self._subject(head)
        if found is None or self._is_negated(parts.above(head), only_object=own is None):
            return None
        subject, sure = found
        tense = self._tense(head)
        tense = "present" if tense == "modal" else tense
        node = head if own is None else phrase
        words = [at for at in parts.trim(self._words_of(node)) if at >= self._begin(head)]
        negated = [at for at in words if at < first and self._word(at) == "not"]
        before = [at for at in words if at < first and at not in negated]
        after = [at for at in words if at > first]
        if own is not None:
            before = [at for at in before if at >= parts.extents[own][1]]
        verb, tag = self._base(first), self.tree.tags[first]
        is_object = bool(self._governor(head)[0]) and own is not None
        if tag == "VBN":
            finite: list[Piece] = [(self._inflect("be", self._passive_tense(head, tense), subject), None)]
            finite += [("not", at) for at in negated]
            before_verb = self._pieces(before)
            pieces = [*subject, *finite, *before_verb, (self.tree.words[first], first)]
        elif verb in ("be", "have") and after and self._is_auxiliary(phrase, first):
            pieces = [*subject, (self._inflect(verb, tense, subject), first)]
            pieces += [("not", at) for at in negated] + self._pieces(before)
        elif use == "finite" or verb in _STATIVE or (negated and tag == "VBG"):
            if verb == "be":
                finite = [(self._inflect("be", tense, subject), first)]
                finite += [("not", at) for at in negated]
            elif negated:
                finite = [(self._inflect("do", tense, subject), None)]
                finite += [("not", at) for at in negated] + [(verb, first)]
            else:
                finite = [(self._inflect(verb, tense, subject), first)]
            pieces = [*subject, *self._pieces(before), *finite]
        elif is_object or use == "adjunct":
            finite = [(self._inflect("be", tense, subject), None)]
            pieces = [*subject, *finite, *self._pieces(before)]
            pieces.append((self.tree.words[first], first))
        else:
            return None
        return [*pieces, *self._pieces(after)], min(sure, ADDED)

    def _begin(self, head: int) -> int:
        return self.parts.extents[head][0]

    def _is_auxiliary(self, phrase: int, first: int) -> bool:
        inner = self._child(phrase, "VP")
        return inner is not None and self.parts.extents[inner][0] > first

    def _passive_tense(self, head: int, tense: str) -> str:
        """The past for participles with a time in the past, whatever is around them."""
        words = [self.tree.words[at] for at in self._words_of(head)]
        said = {word.lower() for word in words}
        is_dated = any(word.isdigit() and len(word) == 4 for word in words)
        is_past = bool(said & {"yesterday", "last", "ago", "earlier"}) or is_dated
        by = "by" in said
        return "past" if is_past or by or any(w in said for w in _MONTHS) else tense

    def _use(self, head: int) -> str:
        """What a participle without a subject is to its sentence.

        "adjunct" for what goes on meanwhile, "finite" for what happens; "" where it is
        not said to happen.
        """
        parts = self.parts
        verb, _ = self._governor(head)
        parent = parts.nodes[head].parent
        label = parts.labels[parent] if parent >= 0 else ""
        if label == "PP":
            opener = self._word(parts.extents[parent][0])
            return "" if opener in _UNREAL_PREPOSITIONS else "finite"
        if label == "SBAR":
            opener = self._word(parts.extents[parent][0])
            return "adjunct" if opener in ("while", "when", "as", "though") else ""
        if verb is not None and parts.nodes[head].parent >= 0:
            before = parts.extents[head][0] - 1
            if self.tree.tags[before] != ",":
                governing = self._base(verb)
                if governing in _DOING:
                    return "finite"
                return "" if governing not in _POSTURES else "adjunct"
        above = parts.above(head)
        if above is None:
            return ""
        verbs = parts.verbs(above)
        if not verbs or self.tree.tags[verbs[0]] == "VB":
            return ""
        if parts.subject(above) == head or parts.extents[head][0] == parts.extents[above][0] and (
            self.tree.tags[min(parts.extents[head][1], len(self.tree) - 1)] != ","
        ):
            # "Swimming is fun": a subject.
            return ""
        is_last = parts.extents[head][0] > verbs[-1]
        return "finite" if is_last and self._base(verbs[-1]) not in _POSTURES else "adjunct"

    # Clauses with a gap

    def _with_gap(self, head: int, opener: int | None) -> tuple[list[Piece], float] | None:
        """A relative clause or free relative, with what is relative put in its place."""
        parts = self.parts
        antecedent = parts.antecedent(head)
        noun: list[Piece]
        sure = FROM_TREE
        words = [] if opener is None else self._words_of(opener)
        texts = [self._word(at) for at in words]
        if antecedent is not None and not self._is_free(head):
            given = list(range(*antecedent))
            if self._is_quantified(given):
                return None
            noun = self._pieces(given)
        elif texts in (["what"], ["whatever"], ["whatsoever"]):
            noun, sure = [("something", words[0])], GUESSED
        elif texts in (["who"], ["whoever"], ["whom"]):
            noun, sure = [("someone", words[0])], GUESSED
        else:
            return None
        subject = parts.subject(head)
        label = "" if opener is None else parts.labels[opener]
        body = parts.trim(self._without_coordinates(head, head))
        if label == "WHNP" and len(words) > 1:
            if texts[0] != "whose":
                return None
            owner = [*noun, (self._genitive(noun), words[0])]
            noun = [*owner, *self._pieces(words[1:])]
        elif label == "WHPP":
            if len(words) < 2 or texts[1] not in ("which", "whom", "whose"):
                return None
            tail = noun
            if texts[1] == "whose":
                tail = [*noun, (self._genitive(noun), words[1]), *self._pieces(words[2:])]
            elif len(words) > 2:
                return None
            prepositional = [(self.tree.words[words[0]].lower(), words[0]), *tail]
            return [*self._pieces(body), *prepositional], sure
        elif label == "WHADVP":
            if antecedent is None or texts not in (["where"], ["when"]):
                return None
            preposition = self._preposition(texts[0], noun)
            return [*self._pieces(body), (preposition, words[0]), *noun], ADDED
        elif words and texts[0] not in (
            *("who", "whom", "which", "that", "what", "whatever", "whoever", "whatsoever"),
        ):
            return None
        if subject is not None and subject == opener:
            return [*noun, *self._pieces(body)], sure
        place = self._gap(head)
        if place is None or subject is None:
            return None
        at, is_subject = place
        if not is_subject:
            noun = self._objective(noun)
        before = self._pieces(word for word in body if word < at)
        return [*before, *noun, *self._pieces(word for word in body if word >= at)], sure

    def _is_free(self, head: int) -> bool:
        """Whether a clause's wh-word has nothing before it that it is relative to."""
        opener = self.parts.opener(head)
        if opener is None:
            return False
        return self._word(self.parts.extents[opener][0]) in ("what", "whatever", "whoever")

    def _objective(self, noun: list[Piece]) -> list[Piece]:
        if len(noun) == 1:
            text, at = noun[0]
            return [(_OBJECTIVE.get(text.lower(), text), at)]
        return noun

    @staticmethod
    def _genitive(noun: Sequence[Piece]) -> str:
        text = noun[-1][0]
        return "'" if text.endswith("s") else "'s"

    @staticmethod
    def _preposition(opener: str, noun: Sequence[Piece]) -> str:
        texts = {text.lower() for text, _ in noun}
        if opener == "where":
            return "in"
        if texts & _DAYS:
            return "on"
        return "at" if texts & _MOMENTS else "in"

    def _gap(self, head: int) -> tuple[int, bool] | None:
        """The word before which what is relative belongs, and whether as a subject."""
        parts, at = self.parts, head
        for _ in range(len(parts.nodes)):
            phrase = self._child(at, "VP")
            if phrase is None:
                return None
            children = parts.children[phrase]
            inner = self._child(phrase, "VP")
            if inner is not None:
                at = phrase
                continue
            clause = self._child(phrase, "S", "SBAR")
            nouns = [i for i in children if parts.labels[i] in ("NP",)]
            if clause is not None and parts.labels[clause] == "SBAR":
                if self._child(clause, "WHNP", "WHADVP", "WHPP") is not None:
                    clause = None
                else:
                    clause = self._child(clause, "S")
            if clause is not None and self._child(clause, "VP") is not None:
                inside = self._child(clause, "VP")
                verb = None if inside is None else self._first_verb(inside)
                is_finite = verb is not None and self.tree.tags[verb] in (
                    *("MD", "VBD", "VBP", "VBZ"),
                )
                if is_finite and self._child(clause, "NP") is None and inside is not None:
                    return parts.extents[inside][0], True
                at = clause
                continue
            return self._object_place(phrase, nouns)
        return None

    def _object_place(self, phrase: int, nouns: list[int]) -> tuple[int, bool] | None:
        parts, children = self.parts, self.parts.children[phrase]
        for child in children:
            start, end = parts.extents[child]
            is_short = end - start == 1 and parts.labels[child] in ("PP", "IN", "TO")
            is_adverb = end - start == 1 and self.tree.tags[start] == "IN"
            if is_short or (is_adverb and parts.labels[child] == "ADVP"):
                return end, False
        verb = self._first_verb(phrase)
        if verb is None or self.tree.tags[verb] == "MD":
            return None
        if nouns:
            if len(nouns) > 1 or self._base(verb) not in _TWO_OBJECTS:
                return None
            return parts.extents[nouns[-1]][1], False
        end = verb + 1
        for child in children:
            if parts.labels[child] == "PRT" and parts.extents[child][0] == end:
                end = parts.extents[child][1]
        return end, False

    # Clauses whose words are all there

    def _kept(self, head: int) -> list[int]:
        """The words of a finite clause that lacks nothing but a subject nearby."""
        parts = self.parts
        kind, subject, opener = parts.kind(head), parts.subject(head), parts.opener(head)
        whole, before = head, list[int]()
        if head in parts.found["coordinate"]:
            if subject is not None:
                if parts.labels[subject] == "WHNP" and not parts.is_asked(head):
                    return []
                before = self._words_of(subject)
        elif opener is not None and not parts.is_asked(head):
            antecedent = parts.antecedent(head)
            if kind == "relative" and subject == opener and antecedent:
                # "Whose dog" and "which of them" are more than the antecedent.
                words = list(range(*antecedent))
                if len(self._words_of(opener)) > 1 or self._is_quantified(words):
                    return []
                before = words
            elif kind != "adverbial" or parts.labels[opener] != "WHADVP" or not subject:
                return []
        elif kind in ("complement", "adverbial"):
            is_whole = subject is not None and parts.labels[head] == "S"
            if not is_whole or self._is_compared(head):
                return []
        elif parts.outer(head) in parts.found["relative"]:
            return []
        else:
            whole = parts.whole(head) if parts.is_asked(head) else head
        return parts.trim([*before, *self._without_coordinates(whole, head)])

    def _is_compared(self, head: int) -> bool:
        """Whether a clause follows *than*, and lacks what is compared."""
        opening = self.parts.children[self.parts.whole(head)]
        return any(self.parts.labels[at + 1].lower() == "than" for at in opening)

    def _without_coordinates(self, whole: int, head: int) -> list[int]:
        """A clause's words without the clauses in it that are coordinated with it."""
        parts, dropped = self.parts, set[int]()
        for at in parts.found["coordinate"] | parts.found["added"]:
            parent = parts.nodes[at].parent
            if parts.firsts.get(at, parent) == head:
                sisters = parts.children[parent]
                phrases = [i for i in sisters if i < at and parts.labels[i] == "VP"]
                dropped.update(
                    range(parts.nodes[phrases[-1]].end, parts.nodes[at].end)
                )
        return [word for word in self._words_of(whole) if word not in dropped]

    # What is no clause

    def beside_clauses(self) -> Iterator[tuple[str, int, int | None, list[Piece], float]]:
        """Verb phrases that share an auxiliary, appositions, phrases used as clauses.

        Yields:
            The kind, the node, the head of the clause that it is in, the words, and how
            sure they are.
        """
        parts = self.parts
        for at, label in enumerate(parts.labels):
            if label == "VP":
                yield from self._shared(at)
            elif label == "NP":
                yield from self._apposed(at)
            elif label == "S" and at not in parts.found["head"]:
                yield from self._verbless(at)

    def _owner(self, node: int) -> int | None:
        start, _ = self.parts.extents[node]
        found = self.parts.owners[start] if start < len(self.parts.owners) else -1
        return None if found < 0 else found

    def _shared(self, at: int) -> Iterator[tuple[str, int, int | None, list[Piece], float]]:
        """The conjuncts of a verb phrase below auxiliaries: *has closed and opened*."""
        parts = self.parts
        labels = {parts.labels[i] for i in parts.children[at]}
        # "was caught and eaten": verbs alone.
        kinds = _VERB_TAGS if labels <= _VERB_TAGS | {"CC", ","} else {"VP"}
        conjuncts = [i for i in parts.children[at] if parts.labels[i] in kinds]
        joins = [i for i in parts.children[at] if parts.labels[i] in ("CC", "CONJP", ",")]
        parent = parts.nodes[at].parent
        if len(conjuncts) < 2 or not joins or parent < 0 or parts.labels[parent] != "VP":
            return
        above = self._owner(at)
        if above is None or any(i in parts.found["head"] for i in conjuncts):
            return
        subject = parts.subject(above)
        if subject is None or above in parts.found["infinitival"] | parts.found["participial"]:
            return
        if parts.is_asked(above) or parts.labels[subject].startswith("WH"):
            return
        start = parts.extents[subject][1]
        skipped = {"either", "both", "neither"}
        auxiliaries = [
            word
            for word in range(start, parts.extents[at][0])
            if self._word(word) not in skipped and self.tree.tags[word] != ","
        ]
        for conjunct in conjuncts:
            words = [w for w in parts.trim(self._words_of(conjunct)) if self._word(w) not in skipped]
            if words:
                pieces = [*self._inside(subject), *self._pieces([*auxiliaries, *words])]
                yield "coordinate", conjunct, above, pieces, FROM_TREE

    def _apposed(self, at: int) -> Iterator[tuple[str, int, int | None, list[Piece], float]]:
        """*Ann, a doctor,*: a noun phrase beside another, and neither is a list's."""
        parts, children = self.parts, self.parts.children[at]
        labels = [parts.labels[i] for i in children]
        if labels[:3] != ["NP", ",", "NP"] or "CC" in labels or labels[3:4] not in ([], [","]):
            return
        first, second = children[0], children[2]
        words, said = self._words_of(first), self._words_of(second)
        tag, word = self.tree.tags[said[0]], self._word(said[0])
        is_described = tag in ("DT", "PRP$") and word not in _QUANTIFIERS
        names = {"NNP", "NNPS"}
        last = self.tree.tags[words[-1]]
        is_named = (
            tag in names
            and last not in names
            and self.tree.tags[words[0]] in ("DT", "PRP$")
            and all(self.tree.tags[i] in names for i in said)
        )
        if not (is_described or is_named) or self._is_quantified(words):
            return
        subject = self._nominative(self._pieces(words))
        verb = self._inflect("be", "present", subject)
        pieces = [*subject, (verb, None), *self._inside(second)]
        yield "apposition", second, self._owner(at), pieces, ADDED

    def _verbless(self, at: int) -> Iterator[tuple[str, int, int | None, list[Piece], float]]:
        """*Tired of waiting, ...*; *with his eyes closed*."""
        parts, children = self.parts, self.parts.children[at]
        labels = [parts.labels[i] for i in children]
        parent = parts.nodes[at].parent
        above = self._owner(at)
        if above is None or parent < 0:
            return
        tense = self._tense_of(above)
        if labels == ["ADJP"] and parts.labels[parent] == "S":
            found = self._subject(above)
            if found is None or self.tree.tags[min(parts.extents[at][1], len(self.tree) - 1)] != ",":
                return
            subject, sure = found[0], GUESSED
        elif labels[:1] == ["NP"] and labels[1:] in (["ADJP"], ["PP"], ["ADVP"]):
            if parts.labels[parent] not in ("PP", "S"):
                return
            subject, sure = self._nominative(self._inside(children[0])), ADDED
        else:
            return
        verb = self._inflect("be", tense, subject)
        yield "participial", at, above, [*subject, (verb, None), *self._inside(children[-1])], sure

    def _tense_of(self, head: int) -> str:
        verbs = self.parts.verbs(head)
        if verbs and self.tree.tags[verbs[0]] in ("VBZ", "VBP"):
            return "past" if len(verbs) > 1 and self._base(verbs[0]) == "have" else "present"
        if verbs and self.tree.tags[verbs[0]] == "VBD":
            return "past"
        return self._tense(head)

    # Contexts

    def _is_negated(self, head: int | None, only_object: bool = True) -> bool:
        """Whether a clause's verb group is negated, or its subject is nobody."""
        if head is None or not only_object:
            return False
        parts = self.parts
        verbs = parts.verbs(head)
        if not verbs:
            return False
        subject = parts.subject(head)
        if subject is not None and self._word(parts.extents[subject][0]) in _NEGATIONS:
            return True
        return any(self._word(at) in _NEGATIONS for at in range(verbs[0], verbs[-1]))

    def contexts(self, head: int) -> tuple[set[str], int | None]:
        """Why what a clause says may not be so, and the subject of what reports it."""
        parts, found, source = self.parts, set[str](), None
        at: int | None = head
        while at is not None:
            kind, above = parts.kind(at), parts.above(at)
            if parts.is_asked(at):
                found.add("questioned")
            verbs = parts.verbs(at)
            if above is None and verbs and self.tree.tags[verbs[0]] == "VB":
                found |= {"commanded"} if parts.subject(at) is None else set()
            if kind == "relative":
                break
            whole = parts.whole(at)
            opener = self._word(parts.extents[whole][0])
            verb, _ = self._governor(whole)
            if kind == "adverbial" and opener in _CONDITIONS:
                found.add("conditional")
            if kind == "complement" and opener in ("if", "whether"):
                found.add("questioned")
            is_said = kind == "complement" or (kind in FORMS and verb is not None)
            if is_said and above is not None:
                governing = [self._base(verb)] if verb is not None else []
                governing += [self._base(w) for w in parts.verbs(above)[-1:]]
                if self._is_negated(above) or set(governing[:1]) & _DENYING:
                    found.add("negated")
                tags = [
                    w for w in parts.verbs(above)
                    if self.tree.tags[w] == "MD" and self._word(w) not in _NOT_MODAL
                ]
                if tags:
                    found.add("modal")
                if kind == "complement" and set(governing) & _SAYING:
                    found.add("reported")
                    subject = parts.subject(above)
                    source = subject if source is None else source
            if kind in FORMS and verb is not None and self._base(verb) in (
                _WOULD | _SHOULD | _COULD
            ):
                found.add("modal")
            at = above
        return found, source


_MONTHS = frozenset(
    "january february march april june july august september october november "
    "december".split()
)
