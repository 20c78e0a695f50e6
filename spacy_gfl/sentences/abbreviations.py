"""Which full stops are those of abbreviations, and end no sentence."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

_NUMBER = re.compile(r"\d[\d.,:/–-]*[a-z]?|[IVXLC]{2,}")
#: Letters with a full stop each: p.r.n., e.g.; and degrees: B.Sc., LL.B., Ph.D.
_DOTTED = re.compile(
    r"(?:[^\W\d_]\.)+[^\W\d_]|[A-Z][A-Za-z]?\.(?:[A-Z]\.)?[A-Z][a-z]{0,3}"
)


@dataclass(frozen=True, kw_only=True)
class Abbreviations:
    """The abbreviations of a language, in lower case and without their full stop.

    A file of a language has each attribute that it needs as a string: words between
    spaces, the answer, and the pattern.

    Attributes:
        leading: Those that a sentence goes on after, with whatever word: "Cllr. Park".
        streets: Those of `leading` that end the name of a street too, and a sentence
            with it: "They live on Main St. It is quiet."
        capital: Those of `leading` and `final` that are none unless they begin with a
            capital: "St. Ives".
        numbered: Those that a number follows: "see vol. 2".
        inner: Those that a word in lower case follows: "two tbsp. sugar".
        final: Those that a word in lower case follows, unless all of the text is in
            lower case, since sentences end with them too: "Acme Ltd. of Leeds".
        unending: Those of `inner` that end no sentence before any such word.
        words: Those that are words too, and may be the last of a sentence.
        openers: Words in lower case that open a sentence in casual text.
        before: Words that stand before a numbered abbreviation rather than before a
            word of the same letters: "under art. 5".
        answer: The abbreviation that is an answer too, which ends a sentence after
            the words `sayings`: "she said no. 4 people came"; "" if there is none.
        sayings: Words before an answer.
        counted: What a number counts, a pattern of a word: "4 people", "4 days".
    """

    leading: frozenset[str] = frozenset()
    streets: frozenset[str] = frozenset()
    capital: frozenset[str] = frozenset()
    numbered: frozenset[str] = frozenset()
    inner: frozenset[str] = frozenset()
    final: frozenset[str] = frozenset()
    unending: frozenset[str] = frozenset()
    words: frozenset[str] = frozenset()
    openers: frozenset[str] = frozenset()
    before: frozenset[str] = frozenset()
    answer: str = ""
    sayings: frozenset[str] = frozenset()
    counted: re.Pattern[str] = re.compile(r"(?!)")

    @classmethod
    def read(cls, language: Mapping[str, str]) -> "Abbreviations":
        """Read what a file of a language has (`Language.abbreviations`)."""
        read: dict[str, Any] = {
            field.name: frozenset(language[field.name].split())
            for field in fields(cls)
            if field.name in language
        }
        if "answer" in language:
            read["answer"] = language["answer"]
        if "counted" in language:
            read["counted"] = re.compile(language["counted"])
        return cls(**read)

    def known(self, word: str) -> bool:
        """Whether a word may be an abbreviation: those listed, letters and initials."""
        name = word.lower()
        is_listed = name in self.numbered or name in self.inner
        is_other = name in self.leading or name in self.final
        return (
            is_listed
            or (is_other and self._has_its_case(word))
            or bool(_DOTTED.fullmatch(word))
            or (len(word) == 1 and word.isupper())
        )

    def _has_its_case(self, word: str) -> bool:
        """Whether a word begins with a capital if it is one of `capital`."""
        return word[:1].isupper() or word not in self.capital

    def abbreviates(
        self, before: str, word: str, following: Sequence[str], *, is_cased: bool
    ) -> bool | None:
        """Whether a word and the full stop after it are an abbreviation in a sentence.

        Args:
            before: The word before, "" at the beginning of the text.
            word: The word, without the full stop.
            following: The two words after the full stop, "" beyond the text.
            is_cased: Whether sentences of the text begin with capitals.

        Returns:
            False if they end the sentence, None if it is not known.
        """
        name, (first, second) = word.lower(), following
        opens = not before.isalnum()
        is_opener = first.lower() in self.openers
        if len(word) == 1 and word.isupper() and name not in self.numbered:
            # No initial: "She takes vitamin C. It helps."
            is_name = not (before.islower() and first[:1].isupper() and is_opener)
            return None if is_name else False
        leads = name in self.leading and self._has_its_case(word)
        if leads and not is_opener and first[:1].isalnum():
            return True
        if leads and name in self.streets and first[:1].isupper():
            # An opener, after a name ("Elm") or a number of a street ("42nd").
            is_named = before[:1].isupper() and before.lower() not in self.openers
            if is_named or (before[:1].isdigit() and before[-1:].isalpha()):
                return False
        if name in self.numbered and _NUMBER.fullmatch(first):
            is_counted = self.counted.fullmatch(second) is not None
            if name == self.answer:
                if opens or before.lower() in self.sayings:
                    return False if is_counted else (opens or None)
                return True
            if name not in self.words:
                return True
            is_no_name = word.islower() or name not in self.inner
            is_usual = opens or (is_no_name and before.lower() in self.before)
            return (is_usual and (not is_counted or name in self.inner)) or None
        is_final = name in self.final and self._has_its_case(word)
        if first[:1].islower() and (is_final or _DOTTED.fullmatch(word)):
            return is_cased or None
        if first[:1].islower() and name in self.inner:
            is_usual = word.islower() or opens or name not in self.words
            is_measure = name not in self.words or before[:1].isdigit()
            is_sure = is_cased and is_measure
            goes_on = is_sure or first not in self.openers or name in self.unending
            return (is_usual and goes_on) or None
        return None
