"""The pipeline component: sentences in, trees on the Doc out."""

import math
from itertools import islice
from typing import Any, Callable, Dict, Iterable, List, Optional, Tuple

import numpy
from spacy.errors import Errors
from spacy.language import Language
from spacy.pipeline import TrainablePipe
from spacy.tokens import Doc
from spacy.training import Example, validate_examples, validate_get_examples
from thinc.api import Config, Model, Optimizer, set_dropout_rate

from spacy_gfl.annotation.alignment import gold_sentences
from spacy_gfl.annotation.storage import get_trees, set_trees
from spacy_gfl.evaluation.scorer import score_brackets
from spacy_gfl.parser.architectures import ParserInput
from spacy_gfl.parser.codecs.symbols import SymbolLinearization
from spacy_gfl.parser.embedding import WORD_TABLE, count_words
from spacy_gfl.parser.initialization import (
    NO_TREES,
    check_readers,
    collect_vocabulary,
    has_trees,
)
from spacy_gfl.parser.inputs import (
    attention_batch,
    doc_sentences,
    search_batch,
    searched_places,
    training_batch,
)
from spacy_gfl.parser.search_settings import (
    OK,
    REPAIRED,
    Parse,
    SearchSettings,
    flat_parse,
)

default_config = """
[model]
@architectures = "spacy_gfl.Seq2Seq.v1"
width = 256
depth = 3

[model.tok2vec]
@architectures = "spacy.MultiHashEmbed.v2"
width = 256
rows = [5000, 1000, 2500, 1000]
attrs = ["NORM", "PREFIX", "SUFFIX", "SHAPE"]
include_static_vectors = false

[search]
beam_width = 1
constrained = true
batch_words = 4096
max_words = 1000
"""

DEFAULT_CONFIG = Config().from_str(default_config)


@Language.factory(
    "constituency_parser",
    assigns=["doc.spans"],
    requires=["doc.sents"],
    default_config={
        "model": DEFAULT_CONFIG["model"],
        "search": DEFAULT_CONFIG["search"],
        "scorer": {"@scorers": "spacy_gfl.bracket_scorer.v1"},
    },
    default_score_weights={
        "con_f": 1.0,
        "con_p": None,
        "con_r": None,
        "con_exact": None,
    },
)
def make_constituency_parser(
    nlp: Language,
    name: str,
    model: Model,
    search: Dict[str, Any],
    scorer: Optional[Callable],
) -> "ConstituencyParser":
    """Construct a ConstituencyParser; see there."""
    return ConstituencyParser(
        nlp.vocab, model, name, search=SearchSettings.from_config(search), scorer=scorer
    )


class ConstituencyParser(TrainablePipe):
    """Gives every sentence of a Doc its phrase-structure tree.

    vocab: The pipeline's vocabulary.
    model: A model such as `spacy_gfl.Seq2Seq.v1`.
    name: The component's name in the pipeline.
    search: How trees are searched.
    scorer: A scoring function, or None.

    Trees are written to `doc.spans["constituents"]`: one span a constituent, in
    pre-order. Its `attrs` hold one value a sentence: "log_probs" and "flags".
    """

    def __init__(
        self,
        vocab: Any,
        model: Model,
        name: str = "constituency_parser",
        *,
        search: Optional[SearchSettings] = None,
        scorer: Optional[Callable] = score_brackets,
    ) -> None:
        self.vocab = vocab
        self.model = model
        self.name = name
        self.search = search or SearchSettings()
        self.scorer = scorer
        self.cfg: Dict[str, Any] = {"vocabulary": None}
        self._linearization: Optional[Tuple[Any, SymbolLinearization]] = None

    @property
    def linearization(self) -> SymbolLinearization:
        """The output vocabulary, as cfg holds it.

        Raises ValueError (spaCy's E109) if the component is not initialised.
        """
        data = self.cfg["vocabulary"]
        if data is None:
            raise ValueError(Errors.E109.format(name=self.name))
        if self._linearization is None or self._linearization[0] is not data:
            self._linearization = (data, SymbolLinearization.from_json(data))
        return self._linearization[1]

    @property
    def labels(self) -> Tuple[str, ...]:
        """The constituent labels, the most frequent in training first."""
        data = self.cfg["vocabulary"]
        return tuple(data["labels"]) if data else ()

    @property
    def label_data(self) -> Dict[str, Any]:
        """What `initialize` takes as `labels`: the output vocabulary."""
        return self.cfg["vocabulary"] or SymbolLinearization([]).to_json()

    def add_label(self, label: str) -> int:
        """Add a label before initialisation; 1 if it is new, else 0.

        Raises ValueError for anything but a non-empty string, and after
        initialisation: the network's output cannot grow.
        """
        if not isinstance(label, str) or not label:
            raise ValueError(
                "A label must not be empty." if label == "" else Errors.E187
            )
        if label in self.labels:
            return 0
        if self.is_initialized:
            raise ValueError(
                f"The label {label!r} cannot be added: {self.name} is initialised, and "
                "its network's output has a fixed size. Initialise it anew with trees "
                "or label data that have the label."
            )
        self.cfg["vocabulary"] = dict(self.label_data, labels=[*self.labels, label])
        return 1

    @property
    def is_initialized(self) -> bool:
        """Whether the network has been built."""
        return self.model.get_ref("network").shims[0]._model is not None

    def _require_network(self) -> None:
        # Where layers raise KeyError, spaCy does so in `nlp(text)` only.
        if not self.is_initialized:
            raise ValueError(Errors.E109.format(name=self.name))

    def predict(self, docs: Iterable[Doc]) -> List[List[Parse]]:
        """Parse the sentences of all Docs at once, without changing the Docs.

        Returns for each Doc a Parse for each sentence.
        Raises ValueError for a Doc without sentence boundaries, and (spaCy's E109)
            if the component is not initialised.
        """
        self._require_network()
        docs = list(docs)
        sents = doc_sentences(docs)
        parses = [[flat_parse(len(words)) for words in in_doc] for in_doc in sents]
        places = searched_places(sents, self.search)
        if not places:
            return parses
        batch = search_batch(docs, sents, places, self.search)
        for found, words, (i, j) in zip(
            self.model.predict(batch), batch.words, places, strict=True
        ):
            if math.isfinite(found.log_prob):
                decoded = self.linearization.decode(found.symbols, len(words))
                flag = REPAIRED if decoded.malformed else OK
                parses[i][j] = Parse(decoded.constituents, found.log_prob, flag)
        return parses

    def set_annotations(self, docs: Iterable[Doc], parses: List[List[Parse]]) -> None:
        """Write what `predict` returned to `doc.spans["constituents"]`."""
        for doc, in_doc in zip(docs, parses, strict=True):
            attrs = {
                "log_probs": [parse.log_prob for parse in in_doc],
                "flags": [parse.flag for parse in in_doc],
            }
            set_trees(doc, [parse.constituents for parse in in_doc], attrs=attrs)

    def attention(self, doc: Doc) -> List[numpy.ndarray]:
        """How each symbol of a Doc's trees looked at the words (the paper's Figure 4).

        Returns for each sentence an array `(symbols, words)`; the symbols are
        those of `linearization.encode(tree)`. A sentence without words, or with
        labels that the model does not know, has an array without rows.
        Raises ValueError if the Doc has no trees or the model no attention.
        """
        self._require_network()
        trees = get_trees(doc)
        matrices = [numpy.zeros((0, len(tree)), dtype="float32") for tree in trees]
        batch, chosen = attention_batch(doc, trees, self.linearization)
        if chosen:
            for i, matrix in zip(chosen, self.model.predict(batch), strict=True):
                matrices[i] = matrix.cpu().numpy()
        return matrices

    def update(
        self,
        examples: Iterable[Example],
        *,
        drop: float = 0.0,
        sgd: Optional[Optimizer] = None,
        losses: Optional[Dict[str, float]] = None,
    ) -> Dict[str, float]:
        """Learn from gold trees. Sentences are the reference's.

        The loss is the summed cross-entropy of the symbols in nats; its gradient
        is taken of the mean over the batch's sentences.
        """
        losses = {} if losses is None else losses
        losses.setdefault(self.name, 0.0)
        self._require_network()
        examples = list(examples)
        validate_examples(examples, "ConstituencyParser.update")
        if not any(len(example.predicted) for example in examples):
            # As in every spaCy component: layers need not take nothing at all.
            return losses
        set_dropout_rate(self.model, drop)
        batch = training_batch(examples, self.linearization)
        loss, backprop = self.model.begin_update(batch)
        backprop(1.0 / max(1, len(batch.words)))
        if sgd is not None:
            self.finish_update(sgd)
        losses[self.name] += float(loss)
        return losses

    def get_loss(self, examples: Iterable[Example], scores: Any) -> Tuple[float, float]:
        """The loss of what `model.begin_update` returned, and its gradient."""
        n_sents = sum(1 for example in examples for _ in gold_sentences(example))
        return float(scores), 1.0 / max(1, n_sents)

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Optional[Language] = None,
        labels: Optional[Dict[str, Any]] = None,
    ) -> None:
        """Collect labels and words from the training data and build the network.

        labels: The output vocabulary, as `spacy init labels` writes it. Without
            it, it is collected from the trees.
        Does nothing to a network that is built already. Raises ValueError if the
            data have no trees, a corpus reader of the pipeline's config is set to
            lose them, or the network was built for other labels.
        """
        validate_get_examples(get_examples, "ConstituencyParser.initialize")
        if nlp is not None:
            check_readers(nlp.config.interpolate())
        if not any(has_trees(example) for example in get_examples()):
            raise ValueError(NO_TREES)
        if not self.is_initialized:
            self.cfg["vocabulary"] = collect_vocabulary(
                get_examples(), labels=labels, added=self.labels
            ).to_json()
        elif labels is not None:
            self._check_same_labels(labels)
        for node in self.model.walk():
            if node.name == WORD_TABLE and node.attrs["keys"] is None:
                count_words(node, (example.reference for example in get_examples()))
        references = (example.reference for example in get_examples())
        sample = list(islice((doc for doc in references if len(doc)), 10))
        self.model.initialize(X=ParserInput(sample, []), Y=self.linearization)

    def _check_same_labels(self, labels: Dict[str, Any]) -> None:
        if SymbolLinearization.from_json(labels).labels != self.labels:
            raise ValueError(
                f"{self.name} is initialised with other labels, and its network's "
                "output has a fixed size. Make a new component for these labels."
            )
