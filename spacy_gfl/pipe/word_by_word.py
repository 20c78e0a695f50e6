"""What a component says of trees word by word, in the order of reading."""

from collections.abc import Sequence
from typing import Any

from spacy.tokens import Doc, Span
from thinc.api import Model

from spacy_gfl.annotation.words import sentence_words
from spacy_gfl.decoding.network import Growth
from spacy_gfl.decoding.tasks import ActionsTask, GrowthTask
from spacy_gfl.model.model import ModelInput, require_network, warn_of_unheard
from spacy_gfl.pipe.growth import Step, step_of
from spacy_gfl.pipe.parses import FLAT, Parse
from spacy_gfl.pipe.reading import OF_BEAM, of_words
from spacy_gfl.pipe.saving import SavedPipe
from spacy_gfl.pipe.search_settings import check_number
from spacy_gfl.trees.tree import MISSING_TAG, Tree


class WordByWordPipe(SavedPipe):
    """A component whose network may add one word after the other to a tree."""

    model: Model
    name: str

    def steps(self, sent: Span, k: int = 1) -> list[Step]:
        """How the tree of a sentence grows, word by word, without changing its Doc.

        Each word is added by one action, and the beam keeps the best partial trees. An
        encoder of two directions has read the whole sentence before: then these are the
        steps of the search, and not those of a reader. Constraints are not looked at.

        Args:
            sent: A sentence.
            k: How many partial trees the beam keeps; 1 is greedy search.

        Returns:
            A Step for each word; none for a sentence without words, one that is too
            long (`search.max_words`), or where the model's numbers are not finite.

        Raises:
            TypeError: If `sent` is no Span.
            ValueError: If `sent` is no sentence of a Doc, k is no whole number from 1
                to 1,000, the model does not add one word after the other
                (`Seq2Seq.v1`, ensembles), or the component is not initialised (spaCy's
                E109).
        """
        check_number(k, "steps")
        require_network(self.model, self.name)
        # A Doc of one sentence is taken for its sentence.
        if not isinstance(sent, (Span, Doc)):
            raise TypeError(f"steps takes a sentence, not a {type(sent).__name__}.")
        doc, sent = sent.doc, sent[:]
        extents = [(one.start, one.end) for one in doc.sents]
        if (sent.start, sent.end) not in extents:
            raise ValueError(f"steps needs a sentence, and {sent.text!r:.50} is none.")
        words = sentence_words(doc)[extents.index((sent.start, sent.end))]
        if not 0 < len(words) <= self.search.max_words:
            return []
        warn_of_unheard(self.model, [doc], self.name, stacklevel=3)
        [growth] = self._grown([doc], [(0, words)], k)
        if not all(growth.beams):
            return []
        # Of all networks, this codec's alone adds words one by one.
        codec: Any = self.codec
        return [
            step_of(growth, codec, words[:n], doc, predict_tags=self.predict_tags)
            for n in range(1, len(words) + 1)
        ]

    def _grown(
        self, docs: list[Doc], sents: list[tuple[int, Sequence[int]]], width: int
    ) -> list[Growth]:
        """How the trees of some sentences grow."""
        ids = self._word_ids(docs, sents)
        precision = self.search.exact_precision
        task = GrowthTask(beam_width=width, precision=precision, words=ids)
        return self.model.predict(ModelInput(docs, sents, task))

    @property
    def _columns(self) -> Sequence[str]:
        """What the search notes of each word."""
        return "action_probability", *(OF_BEAM if self.codec.predicts_words else ())

    def _word_ids(
        self, docs: list[Doc], sents: Sequence[tuple[int, Sequence[int]]]
    ) -> list[Any] | None:
        """The numbers of the words of sentences, if the model predicts words."""
        if not self.codec.predicts_words:
            return None
        return [
            self.codec.word_ids([docs[i][at].text for at in words])
            for i, words in sents
        ]

    def _read_words(self, docs: list[Doc], parses: list[list[Parse]]) -> None:
        """Add to parses what the search says of each of their words."""
        places = [
            (i, j)
            for i, in_doc in enumerate(parses)
            for j, parse in enumerate(in_doc)
            if parse.flag != FLAT and parse.words
        ]
        if not places:
            return
        sents = [(i, parses[i][j].words) for i, j in places]
        trees = []
        for i, j in places:
            words, nodes = parses[i][j].words, parses[i][j].constituents
            texts = tuple(docs[i][at].text for at in words)
            trees.append(Tree(texts, (MISSING_TAG,) * len(words), tuple(nodes)))
        targets = list(map(self.codec.encode, trees))
        task = ActionsTask(targets, precision=self.search.exact_precision)
        found = self.model.predict(ModelInput(docs, sents, task))
        columns = [{"action_probability": one.exp().tolist()} for one in found]
        # Of codecs with words, `of_words` asks for more than all have.
        codec: Any = self.codec
        if codec.predicts_words:
            # A search that draws trees or obeys constraints notes no growth.
            noted = [parses[i][j].growth for i, j in places]
            growths = [growth for growth in noted if growth is not None]
            if len(growths) < len(places):
                growths = self._grown(docs, sents, self.search.beam_width)
            for of_one, tree, growth in zip(columns, trees, growths, strict=True):
                of_one.update(of_words(growth.beams, codec, tree.words))
        for (i, j), of_one in zip(places, columns, strict=True):
            parses[i][j] = parses[i][j]._replace(of_words=of_one)
