"""The component that knows of sentences what a trained splitter has not learnt."""

from itertools import chain

from spacy.language import Language
from spacy.tokens import Doc

from spacy_gfl.annotation.sentence_words import is_word
from spacy_gfl.languages.base import find_language
from spacy_gfl.sentences.line_ends import read_lines


class SentenceRules:
    """Sets starts of sentences by rules, for the splitter after it to add the others.

    Full stops of abbreviations end no sentence, and become one token with their word;
    line ends of chats, logs and signatures end one (`sentences.line_ends`). What is
    known of a Doc's sentences already stays.

    Args:
        lang: spaCy's code of the language, whose file has the abbreviations.
        line_ends: Whether every line end ends a sentence.
    """

    def __init__(self, lang: str, *, line_ends: bool = False) -> None:
        self.line_ends = line_ends
        self._abbreviations = find_language(lang).abbreviations

    def __call__(self, doc: Doc) -> Doc:
        """Set the starts of sentences that are known."""
        if doc.has_annotation("SENT_START", require_complete=True):
            return doc
        starts, inside = read_lines(doc.text, all_lines=self.line_ends)
        known = self._around_abbreviations(doc)
        if not (starts or known):
            return doc
        inner = set(chain.from_iterable(range(*extent) for extent in inside))
        for token in doc:
            if token.is_sent_start is not None:
                continue
            if token.idx in starts or known.get(token.idx):
                token.is_sent_start = True
            elif token.idx in inner or token.idx in known:
                token.is_sent_start = False
        return doc

    def _around_abbreviations(self, doc: Doc) -> dict[int, bool]:
        """Whether a sentence begins at the characters after abbreviations.

        Merges the abbreviations with their full stops.
        """
        if self._abbreviations is None:
            return {}
        words = [token for token in doc if is_word(token)]
        texts = ["", *(token.text for token in words), "", "", ""]
        known: dict[int, bool] = {}
        parted = []
        for at, token in enumerate(words, start=1):
            after = at + 1
            is_parted = texts[after] == "." and not token.whitespace_
            after += is_parted
            name = texts[at] if is_parted else texts[at].removesuffix(".")
            has_stop = is_parted or name != texts[at]
            if not (has_stop and self._abbreviations.known(name)):
                continue
            found = self._abbreviations.abbreviates(
                texts[at - 1], name, texts[after : after + 2]
            )
            if found is None:
                continue
            known[words[after - 1].idx] = not found
            if is_parted and found:
                parted.append(doc[token.i : token.i + 2])
        if parted and not (doc.spans or doc.has_annotation("TAG") or doc.ents):
            with doc.retokenize() as retokenizer:
                for span in parted:
                    retokenizer.merge(span)
        return known


def end_sentences_with_lines(nlp: Language) -> None:
    """Let line ends end sentences in a pipeline, before its own splitter is asked."""
    if not any(isinstance(pipe, SentenceRules) for _, pipe in nlp.pipeline):
        nlp.add_pipe("sentence_rules", first=True)
    for _, pipe in nlp.pipeline:
        if isinstance(pipe, SentenceRules):
            pipe.line_ends = True
