"""Which full stops are those of abbreviations, and end no sentence."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

_NUMBER = re.compile(r"\d[\d.,:/–-]*[a-z]?|[IVXLC]{2,}")


@dataclass(frozen=True, kw_only=True)
class Abbreviations:
    """The abbreviations of a language, in lower case and without their full stop.

    A file of a language has each attribute as a string: words between spaces, the
    answer, and the pattern.

    Attributes:
        numbered: Those that a number follows: "see vol. 2".
        inner: Those that a word in lower case follows: "two tbsp. sugar".
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

    numbered: frozenset[str]
    inner: frozenset[str]
    unending: frozenset[str]
    words: frozenset[str]
    openers: frozenset[str]
    before: frozenset[str]
    answer: str
    sayings: frozenset[str]
    counted: re.Pattern[str]

    @classmethod
    def read(cls, language: Mapping[str, str]) -> "Abbreviations":
        """Read what a file of a language has (`Language.abbreviations`)."""
        words = {field.name for field in fields(cls)} - {"answer", "counted"}
        return cls(
            answer=language["answer"],
            counted=re.compile(language["counted"]),
            **{name: frozenset(language[name].split()) for name in words},
        )

    def known(self, word: str) -> bool:
        """Whether a word is one of the abbreviations."""
        return word.lower() in self.numbered or word.lower() in self.inner

    def abbreviates(
        self, before: str, word: str, following: Sequence[str]
    ) -> bool | None:
        """Whether a word and the full stop after it are an abbreviation in a sentence.

        Args:
            before: The word before, "" at the beginning of the text.
            word: The word, without the full stop.
            following: The two words after the full stop, "" beyond the text.

        Returns:
            False if they end the sentence, None if it is not known.
        """
        name, (first, second) = word.lower(), following
        opens = not before.isalnum()
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
        if name in self.inner and first[:1].islower():
            is_usual = word.islower() or opens or name not in self.words
            is_opener = first in self.openers and name not in self.unending
            return (is_usual and not is_opener) or None
        return None
