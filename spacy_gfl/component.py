"""The pipeline component: sentences in, trees on the Doc out."""

import math
from dataclasses import dataclass, fields
from itertools import islice
from typing import (
    Any,
    Callable,
    Dict,
    Iterable,
    Iterator,
    List,
    NamedTuple,
    Optional,
    Tuple,
)

import numpy
from spacy.errors import Errors
from spacy.language import Language
from spacy.pipeline import TrainablePipe
from spacy.tokens import Doc
from spacy.training import Example, validate_examples, validate_get_examples
from thinc.api import Config, Model, Optimizer, set_dropout_rate

from spacy_gfl.alignment import GoldSentence, gold_sentences
from spacy_gfl.architectures import ParserInput
from spacy_gfl.doc_trees import SPANS_KEY, get_trees, sentences, set_trees, word_indices
from spacy_gfl.embedding import WORD_TABLE, count_words
from spacy_gfl.linearization import SymbolLinearization
from spacy_gfl.scorer import score_brackets
from spacy_gfl.trees import Constituent, Tree

#: What `doc.spans["constituents"].attrs["flags"]` says of each sentence.
OK, REPAIRED, FLAT = "ok", "repaired", "flat"

default_config = """
[model]
@architectures = "spacy_gfl.Seq2Seq.v1"
width = 256
depth = 3
cell = "paper"
attention = true
reverse_input = true
input_feeding = true

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


@dataclass
class SearchSettings:
    """How trees are searched. They may be changed between two parses.

    beam_width: Hypotheses kept for a sentence; 1 is greedy.
    constrained: Only ever write trees. If false, the paper's free search with
        its repair.
    batch_words: Padded words that are worked on at a time.
    max_words: Longer sentences get a flat tree, and the flag "flat".

    Raises ValueError for a number below 1.
    """

    beam_width: int = 1
    constrained: bool = True
    batch_words: int = 4096
    max_words: int = 1000

    def __post_init__(self) -> None:
        for name in ("beam_width", "batch_words", "max_words"):
            if getattr(self, name) < 1:
                raise ValueError(f"search.{name} must be at least 1.")

    @classmethod
    def from_config(cls, config: Dict[str, Any]) -> "SearchSettings":
        """Read a config's [search] block. Raises ValueError for unknown settings."""
        names = [entry.name for entry in fields(cls)]
        unknown = sorted(set(config) - set(names))
        if unknown:
            raise ValueError(
                f"search has no setting {', '.join(unknown)}; it has {', '.join(names)}."
            )
        return cls(**config)


class Parse(NamedTuple):
    """What the component found for one sentence.

    constituents: In pre-order over the sentence's words.
    log_prob: The model's log-probability (nats); 0 where nothing was searched.
    flag: "ok"; "repaired" where free search wrote no tree; "flat" where the
        sentence was too long, or the model's numbers were not finite.
    """

    constituents: List[Constituent]
    log_prob: float
    flag: str


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

        Raises KeyError (spaCy's E109) if the component is not initialised.
        """
        data = self.cfg["vocabulary"]
        if data is None:
            raise KeyError(f"{self.name} is not initialised")
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
                Errors.E187 if not isinstance(label, str) else "empty label"
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

    def predict(self, docs: Iterable[Doc]) -> List[List[Parse]]:
        """Parse the sentences of all Docs at once, without changing the Docs.

        Returns for each Doc a Parse for each sentence.
        Raises ValueError for a Doc without sentence boundaries.
        """
        docs = list(docs)
        linearization = self.linearization
        sents = [[word_indices(sent) for sent in sentences(doc)] for doc in docs]
        parses = [[_flat(words) for words in in_doc] for in_doc in sents]
        batch, places = self._batch(docs, sents)
        batch.options = {
            "beam_width": self.search.beam_width,
            "constrained": self.search.constrained,
            "batch_words": self.search.batch_words,
        }
        if not places:
            return parses
        for found, words, (i, j) in zip(
            self.model.predict(batch), batch.words, places, strict=True
        ):
            if math.isfinite(found.log_prob):
                decoded = linearization.decode(found.symbols, len(words))
                flag = REPAIRED if decoded.malformed else OK
                parses[i][j] = Parse(decoded.constituents, found.log_prob, flag)
        return parses

    def _batch(
        self, docs: List[Doc], sents: List[List[List[int]]]
    ) -> Tuple[ParserInput, List[Tuple[int, int]]]:
        """The sentences that are searched, and where they belong: (Doc, sentence)."""
        rows, places, offset = [], [], 0
        for i, (doc, in_doc) in enumerate(zip(docs, sents, strict=True)):
            for j, words in enumerate(in_doc):
                if 0 < len(words) <= self.search.max_words:
                    rows.append([offset + at for at in words])
                    places.append((i, j))
            offset += len(doc)
        return ParserInput(docs, rows), places

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
        trees = get_trees(doc)
        sents = [word_indices(sent) for sent in sentences(doc)]
        matrices = [numpy.zeros((0, len(words)), dtype="float32") for words in sents]
        known = set(self.labels)
        chosen = [
            i
            for i, tree in enumerate(trees)
            if len(tree) and all(node.label in known for node in tree.constituents)
        ]
        batch = ParserInput(
            [doc],
            [sents[i] for i in chosen],
            [self.linearization.encode(trees[i]) for i in chosen],
            {"with_attention": True},
        )
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
        examples = list(examples)
        validate_examples(examples, "ConstituencyParser.update")
        if not examples:
            return losses
        set_dropout_rate(self.model, drop)
        batch = self._gold_batch(examples)
        loss, backprop = self.model.begin_update(batch)
        backprop(1.0 / max(1, len(batch.words)))
        if sgd is not None:
            self.finish_update(sgd)
        losses[self.name] += float(loss)
        return losses

    def get_loss(self, examples: Iterable[Example], scores: Any) -> Tuple[float, float]:
        """The loss of what `model.begin_update` returned, and its gradient."""
        n_sents = sum(len(self._gold(example)) for example in examples)
        return float(scores), 1.0 / max(1, n_sents)

    def _gold(self, example: Example) -> List[GoldSentence]:
        return list(gold_sentences(example, labels=frozenset(self.labels)))

    def _gold_batch(self, examples: List[Example]) -> ParserInput:
        linearization = self.linearization
        rows, targets, offset = [], [], 0
        for example in examples:
            for words, tree in self._gold(example):
                rows.append([offset + at for at in words])
                targets.append(linearization.encode(tree))
            offset += len(example.predicted)
        return ParserInput([eg.predicted for eg in examples], rows, targets)

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
        Raises ValueError if the data have no trees, or a corpus reader of the
            pipeline's config is set to lose them.
        """
        validate_get_examples(get_examples, "ConstituencyParser.initialize")
        if nlp is not None:
            check_readers(nlp.config)
        if labels is not None:
            self.cfg["vocabulary"] = SymbolLinearization.from_json(labels).to_json()
        elif not self.is_initialized:
            found = SymbolLinearization.from_trees(_gold_trees(get_examples()))
            added = [label for label in self.labels if label not in found.labels]
            self.cfg["vocabulary"] = SymbolLinearization(
                [*found.labels, *added], found.longest_opening_run
            ).to_json()
        sample = list(islice(get_examples(), 10))
        if not self.labels or not any(SPANS_KEY in eg.reference.spans for eg in sample):
            raise ValueError(NO_TREES.format(key=SPANS_KEY))
        for node in self.model.walk():
            if node.name == WORD_TABLE and node.attrs["keys"] is None:
                count_words(node, (example.reference for example in get_examples()))
        docs = [example.reference for example in sample]
        self.model.initialize(X=ParserInput(docs, []), Y=self.linearization)


NO_TREES = (
    'The training data have no constituency trees: no Doc has doc.spans["{key}"] with '
    "constituents. Convert a treebank with `spacy-gfl convert` and read it with "
    '@readers = "spacy_gfl.TreebankCorpus.v1". (spacy.Corpus.v1 loses the trees of '
    "Docs that it splits: gold_preproc = true, or max_length.)"
)


def check_readers(config: Dict[str, Any]) -> None:
    """Raise ValueError if a corpus in this config would lose its trees silently.

    `spacy.Corpus.v1` with gold_preproc or max_length splits Docs into sentences,
    and a sentence made into a Doc has no span groups.
    """
    for name, corpus in (config.get("corpora") or {}).items():
        reader = corpus.get("@readers") if isinstance(corpus, dict) else None
        if reader != "spacy.Corpus.v1":
            continue
        for setting in ("gold_preproc", "max_length"):
            if corpus.get(setting):
                raise ValueError(
                    f"[corpora.{name}] would lose constituency trees: spacy.Corpus.v1 "
                    f"with {setting} = {corpus[setting]} makes new Docs of sentences, "
                    "without their span groups. Use @readers = "
                    '"spacy_gfl.TreebankCorpus.v1", which has max_length too, or set '
                    f"{setting} to {'false' if setting == 'gold_preproc' else 0}."
                )


def _gold_trees(examples: Iterable[Example]) -> Iterator[Tree]:
    for example in examples:
        if SPANS_KEY in example.reference.spans:
            yield from get_trees(example.reference)


def _flat(words: List[int]) -> Parse:
    """The parse of a sentence that is not searched; fine if it has no words."""
    return Parse([], 0.0, FLAT if words else OK)
