"""The words of clauses: what rules need that make sentences of them.

The subject of a clause without one, the tense of the verb around it, forms that agree,
and classes of words that decide what is said to happen.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import takewhile
from typing import NamedTuple

from spacy_gfl.tools.syntax.clause_parts import ClauseParts
from spacy_gfl.tools.syntax.verb_forms import base, inflected
from spacy_gfl.trees.tree import Tree

#: A word of a statement: as it is written, and the word of the sentence that it is
#: from, if it is from one.
Piece = tuple[str, int | None]
#: The words of a statement, and how sure it is.
Said = tuple[list[Piece], float]

#: How sure a statement is: all of it is in the tree; rules have added a tense, a
#: preposition or a noun; its subject is guessed.
FROM_TREE, ADDED, GUESSED = 1.0, 0.8, 0.6


class Draft(NamedTuple):
    """A statement in the words of its tree.

    Attributes:
        kind: The kind of statement.
        node: What it is made of.
        head: The head of the clause that says it; None for what depends on none.
        pieces: Its words.
        sure: How sure it is.
        is_alternative: It is one of several of which one is so.
    """

    kind: str
    node: int
    head: int | None
    pieces: list[Piece]
    sure: float
    is_alternative: bool = False


# A "quantifier" restricts a statement, which is then not true of all. What has the
# infinitive of a verb happens, or would, should or could happen; "doing" has
# participles that say so, and "real" prepositions before them, or "attending" ones
# before subjects of theirs; what is "imagined" does not happen. Nobody's subject is a
# noun of "hardship".
_WORDS = """
plural      we you they these those both many several few
quantifier  no nobody none nothing neither never few any anyone anybody anything every
quantifier  each all everyone everybody everything most only whoever whatever
negation    not n't n’t never hardly scarcely rarely seldom no nobody nothing none
negation    neither few
condition   if unless provided providing suppose supposing lest whether permitting
condition   allowing willing
supposing   provided providing supposing
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
attending   with after before by upon since through despite because due thanks owing
attending   given amid amidst
saying      say tell claim report think believe argue announce suggest state insist
saying      assume suppose feel guess expect hope predict suspect allege warn write add
saying      explain maintain promise fear imagine declare note sure certain confident
saying      convinced afraid rumor belief view idea theory allegation suspicion
saying      testify confirm admit concede acknowledge complain conclude reply answer
saying      shout whisper stress contend allege assert remark repeat joke
denying     deny doubt refute dispute disprove reject wish pretend impossible false
denying     untrue unlikely doubtful prevent avoid avert
possible    possible likely probable possibility chance risk likelihood dream
imagined    imagine picture envisage envision dread contemplate want
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
manner      way manner reason place year month week case extent instant
past        yesterday last ago earlier by january february march april june july august
past        september october november december
"""
LEXICON: dict[str, set[str]] = defaultdict(set)
for _name, *_members in map(str.split, _WORDS.strip().splitlines()):
    LEXICON[_name].update(_members)
_NOMINATIVE = {"me": "I", "him": "he", "her": "she", "us": "we", "them": "they"}
_NOMINATIVE |= {"'s": "we", "’s": "we"}
FINITE = frozenset({"MD", "VBD", "VBP", "VBZ"})
VERB_TAGS = FINITE | {"VB", "VBG", "VBN"}


class ClauseWords(ClauseParts):
    """The parts of the clauses of a tree, as words of sentences.

    Attributes:
        lower: The words in lower case.
    """

    def __init__(self, tree: Tree) -> None:
        super().__init__(tree)
        self.lower = [word.lower() for word in tree.words]

    def words(self, node: int) -> range:
        return range(*self.extents[node])

    def pieces(self, words: Iterable[int]) -> list[Piece]:
        return [(self.tree.words[at], at) for at in words]

    def inside(self, node: int) -> list[Piece]:
        """The words of a node, without punctuation at its ends."""
        return self.pieces(self.trim(self.words(node)))

    def child(self, node: int | None, *labels: str) -> int | None:
        children = () if node is None else self.children[node]
        return next((i for i in children if self.labels[i] in labels), None)

    def first_verb(self, phrase: int | None) -> int | None:
        """The first verb of a verb phrase, as a word."""
        while phrase is not None:
            verb = self.child(phrase, *VERB_TAGS, "TO")
            if verb is not None:
                return self.nodes[verb].start
            phrase = self.child(phrase, "VP")
        return None

    def base_form(self, word: int) -> str:
        return base(self.tree.words[word], self.tree.tags[word])

    def first_tag(self, verbs: Sequence[int]) -> str:
        """The tag of the first verb."""
        return self.tree.tags[verbs[0]] if verbs else ""

    def tag_after(self, node: int) -> str:
        """The tag of the word after a node."""
        return self.tree.tags[min(self.extents[node][1], len(self.tree.tags) - 1)]

    def governor(self, at: int) -> tuple[str, int | None]:
        """The verb that a clause is a complement of, and an object between them.

        The verb is in its plain form; "" for none.
        """
        parent = self.nodes[at].parent
        if parent >= 0 and self.labels[parent] == "S":
            at, parent = parent, self.nodes[parent].parent
        if parent < 0 or self.labels[parent] != "VP":
            return "", None
        sisters = [i for i in self.children[parent] if i < at]
        verbs = [self.nodes[i].start for i in sisters if self.labels[i] in VERB_TAGS]
        nouns = [i for i in sisters if self.labels[i] == "NP"]
        verb = self.base_form(verbs[-1]) if verbs else ""
        return verb, next(reversed(nouns), None)

    def opens_condition(self, head: int) -> bool:
        """Whether a participle with a clause is a conjunction: *provided that he pays*.

        "Assuming that he pays" is one where the verb around it is modal.
        """
        verbs, above = self.verbs[head], self.above[head]
        is_bare = head in self.found["participial"] and self.subject(head) is None
        phrase = head if self.labels[head] == "VP" else self.child(head, "VP")
        if not (verbs and is_bare) or self.child(phrase, "SBAR") is None:
            return False
        word = self.lower[verbs[0]]
        around = [] if above is None else self.verbs[above]
        is_supposed = word == "assuming" and self.first_tag(around) in ("MD", "VB")
        return word in LEXICON["supposing"] or is_supposed

    def is_attending(self, at: int) -> bool:
        """Whether what follows a preposition is so: "with Tom ill", not "without"."""
        parent = self.nodes[at].parent
        if parent < 0 or self.labels[parent] != "PP":
            return True
        return self.lower[self.extents[parent][0]] in LEXICON["attending"]

    def is_negated(self, head: int | None) -> bool:
        """Whether a clause's verbs are negated, or its subject is nobody."""
        verbs = [] if head is None else self.verbs[head]
        if head is None or not verbs:
            return False
        subject = self.subject(head)
        words = [*range(verbs[0], verbs[-1])]
        # "Is not sure", "never saw"; in "promised not to", it is not the clause's own.
        for beside in (
            range(verbs[-1] + 1, self.extents[head][1]),
            range(verbs[0] - 1, self.extents[head][0] - 1, -1),
        ):
            words += takewhile(
                lambda at: self.tree.tags[at] == "RB" and self.owners[at] == head,
                beside,
            )
        first = [] if subject is None else self.words(subject)
        # "Very few", "almost nobody".
        n_adverbs = len([*takewhile(lambda at: self.tree.tags[at] == "RB", first)])
        words += first[: n_adverbs + 1]
        return any(self.lower[at] in LEXICON["negation"] for at in words)

    def without_coordinates(self, whole: int, head: int) -> list[int]:
        """A clause's words without the clauses in it that are coordinated with it."""
        dropped = set[int]()
        for at in self.coordinated[head]:
            sisters = self.children[self.nodes[at].parent]
            phrases = [i for i in sisters if i < at and self.labels[i] == "VP"]
            dropped.update(range(self.nodes[phrases[-1]].end, self.nodes[at].end))
            # "Either lost or sold it".
            for conjunction in self.conjunctions(at)[:-1]:
                dropped.update(self.words(conjunction))
        return [word for word in self.words(whole) if word not in dropped]

    def conjunctions(self, at: int) -> list[int]:
        """The conjunctions of the coordination that a node is part of."""
        sisters = self.children[self.nodes[at].parent]
        return [i for i in sisters if self.labels[i] in ("CC", "CONJP")]

    def adverbs_before(self, at: int) -> list[int]:
        """The words of the adverbs right before a node, beside it."""
        sisters = [i for i in self.children[self.nodes[at].parent] if i < at]
        adverbs: list[int] = []
        while sisters and self.labels[sisters[-1]] in ("ADVP", "RB"):
            adverbs = [*self.words(sisters.pop()), *adverbs]
        return adverbs

    def is_alternative(self, head: int) -> bool:
        """Whether a clause is one of several of which one is so: joined by *or*."""
        whole = self.whole(head)
        is_joined = self.nodes[whole].parent in self.found["coordination"]
        is_joined |= head in self.found["coordinate"]
        joined = [*self.coordinated[head], *([whole] if is_joined else ())]
        conjunctions = (i for at in joined for i in self.conjunctions(at))
        return any(
            self.lower[self.extents[i][0]] in ("or", "nor") for i in conjunctions
        )

    def is_quantified(self, words: Sequence[int]) -> bool:
        return any(self.lower[at] in LEXICON["quantifier"] for at in words[:2])

    def as_subject(self, node: int) -> Said | None:
        """The words of a node as a subject; None if all of it is punctuation."""
        pieces = self.inside(node)
        return (self.nominative(pieces), FROM_TREE) if pieces else None

    @staticmethod
    def nominative(pieces: list[Piece]) -> list[Piece]:
        if len(pieces) != 1:
            return pieces
        return [(_NOMINATIVE.get(text.lower(), text), at) for text, at in pieces]

    def said_subject(self, head: int) -> Said | None:
        """The subject of a clause, which may be that of one around it."""
        sure, at = FROM_TREE, head
        while True:
            subject, antecedent = self.subject(at), self.antecedent(at)
            if subject is not None and not self.labels[subject].startswith("WH"):
                inside = [self.labels[i] for i in self.children[subject]]
                if inside[:2] == ["NP", ","] and "CC" not in inside:
                    # Keep the noun; leave out its apposition or relative clause.
                    subject = self.children[subject][0]
                said = self.as_subject(subject)
                return None if said is None else (said[0], sure)
            if antecedent is not None:
                words = range(*antecedent)
                is_said = not self.is_quantified(words)
                return (self.pieces(words), sure) if is_said else None
            above = self.above[at]
            if above is None:
                return None
            at, sure = above, GUESSED

    def is_plural(self, subject: Sequence[Piece]) -> bool:
        words = [at for _, at in subject if at is not None]
        texts = [text.lower() for text, _ in subject]
        if texts[0] in LEXICON["plural"] or ("and" in texts and len(words) > 2):
            return True
        noun = ""
        if texts == ["there"] and words:
            # The noun comes later: "there are two men".
            after = (tag for tag in self.tree.tags[words[0] :] if tag[:2] == "NN")
            return next(after, "") in ("NNS", "NNPS")
        for tag in (self.tree.tags[at] for at in words):
            is_after = tag in ("IN", "TO", ",", "WDT", "WP", "VBG", "VBN", "-LRB-")
            if is_after and noun not in ("", "DT"):
                break
            noun = tag if tag.startswith(("NN", "PRP", "DT")) else noun
        return noun in ("NNS", "NNPS")

    def tense(self, at: int | None) -> str:
        """Whether a clause, or the nearest around it, is "past", "present", "modal"."""
        while at is not None:
            verbs = self.verbs[at]
            tag = self.first_tag(verbs)
            if tag == "VBD" or "have" in map(self.base_form, verbs[:-1]):
                return "past"
            if tag in FINITE:
                return "modal" if tag == "MD" else "present"
            at = self.above[at]
        return "present"

    def inflected(self, verb: str, tense: str, subject: Sequence[Piece]) -> str:
        return inflected(
            verb,
            is_past=tense == "past",
            is_plural=self.is_plural(subject),
            is_first=[text for text, _ in subject] == ["I"],
        )

    def finite_verb(
        self, verb: int, negated: list[Piece], tense: str, subject: Sequence[Piece]
    ) -> list[Piece]:
        """A verb in a tense, with its negation."""
        plain = self.base_form(verb)
        if plain == "be" or not negated:
            return [(self.inflected(plain, tense, subject), verb), *negated]
        return [(self.inflected("do", tense, subject), None), *negated, (plain, verb)]

    def joined(self, before: list[Piece], verbs: list[Piece]) -> list[Piece]:
        """The words before a verb, and its form; a quotation mark stays beside it."""
        marks = [one for one in before[-1:] if self.tree.tags[one[1] or 0] == "``"]
        return [*before[: len(before) - len(marks)], *verbs[:-1], *marks, verbs[-1]]

    def negations(self, words: Iterable[int]) -> list[Piece]:
        negations = [at for at in words if self.lower[at] in ("not", "never")]
        return [(self.lower[at], at) for at in negations]
