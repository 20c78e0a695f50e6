"""`constituent_functions`: the component that gives constituents function tags."""

import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy
from spacy.language import Language
from spacy.pipeline import TrainablePipe
from spacy.tokens import Doc
from spacy.training import Example, validate_examples, validate_get_examples
from spacy.util import minibatch
from spacy.vocab import Vocab
from thinc.api import Model, Optimizer, set_dropout_rate
from thinc.types import Floats2d

from spacy_gfl.annotation.nodes import Sentence, kept_trees
from spacy_gfl.annotation.storage import SPANS_KEY
from spacy_gfl.functions.attributes import set_functions
from spacy_gfl.functions.features import Features, make_features
from spacy_gfl.functions.scorer import find_gold
from spacy_gfl.languages.heads import all_heads

#: Sentences that are tagged at a time.
BATCH_SIZE = 128
#: The rules of head words, those of `span._.head`.
RULES = "collins"
#: A label's constituents are looked at if this share of them has function tags.
LEAST_SHARE = 0.005
NO_TAGS = (
    "No constituent of the training data has a function tag (NP-SBJ). Convert the "
    "treebank with `spacy-gfl convert --keep-functions`, and read it with @readers = "
    '"spacy_gfl.FunctionCorpus.v1", which gives gold trees to predicted Docs; or, if '
    "the pipeline has a parser, name it in [training] annotating_components."
)


class ConstituentFunctions(TrainablePipe):
    """Gives each constituent of a Doc's trees its function tags: SBJ, TMP, LOC-PRD.

    The trees are those of `doc.spans["constituents"]`, whatever made them. Function
    tags stand in the `kb_id_` of these spans; `span._.function` reads them.

    Args:
        vocab: The shared vocabulary.
        model: A model from `Features` to log-probabilities of function tags.
        name: The component's name.
        min_count: How often a combination of function tags (LOC-PRD) must occur in
            training to be learnt. A rarer one counts as its first tag.
        none_weight: Multiplies the probability of having no function tag. Below 1, the
            component finds more tags, and more wrong ones.
        scorer: A scoring function, or None for no scores.
    """

    def __init__(
        self,
        vocab: Vocab,
        model: Model[Features, Floats2d],
        name: str = "constituent_functions",
        *,
        min_count: int = 5,
        none_weight: float = 0.5,
        scorer: Callable | None = None,
    ) -> None:
        self.vocab = vocab
        self.model = model
        self.name = name
        self.scorer = scorer
        self.cfg: dict[str, Any] = {
            "labels": [],
            "constituents": [],
            "min_count": min_count,
            "none_weight": none_weight,
        }

    @property
    def labels(self) -> tuple[str, ...]:
        """The function tags and their combinations, the most frequent first."""
        return tuple(self.cfg["labels"])

    @property
    def label_data(self) -> dict[str, list[str]]:
        """What `spacy init labels` writes: function tags, and labels that have some."""
        return {name: list(self.cfg[name]) for name in ("labels", "constituents")}

    def predict(self, docs: Iterable[Doc]) -> list[dict[int, str]]:
        """Find the function tags of all constituents.

        Returns:
            For each Doc the function tags, joined by hyphens, by the indices of spans.
        """
        self._require_labels()
        docs = list(docs)
        tags: list[dict[int, str]] = [{} for _ in docs]
        sents = [(i, sent) for i, doc in enumerate(docs) for sent in _sentences(doc)]
        wanted = self.cfg["constituents"]
        for batch in minibatch(sents, BATCH_SIZE):
            places = [
                (i, sent.first + at)
                for i, sent in batch
                for at, node in enumerate(sent.tree.constituents)
                if node.label in wanted
            ]
            scores = self.model.predict(self._features([sent for _, sent in batch]))
            scores = numpy.exp(self.model.ops.to_numpy(scores))
            scores[:, 0] *= self.cfg["none_weight"]
            best = scores.argmax(axis=1).tolist()
            for (i, place), number in zip(places, best, strict=True):
                if number:
                    tags[i][place] = self.cfg["labels"][number - 1]
        return tags

    def set_annotations(
        self, docs: Iterable[Doc], functions: Sequence[Mapping[int, str]]
    ) -> None:
        """Write function tags into the spans of the trees, in the place of others."""
        for doc, tags in zip(docs, functions, strict=True):
            set_functions(doc, tags)

    def update(
        self,
        examples: Iterable[Example],
        *,
        drop: float = 0.0,
        sgd: Optimizer | None = None,
        losses: dict[str, float] | None = None,
    ) -> dict[str, float]:
        """Learn from the constituents of predicted trees that gold has too.

        Args:
            examples: Predicted Docs have trees, references have tags in their labels.
            drop: The dropout rate, after the slots and after the hidden layer.
            sgd: The optimizer; None to collect gradients.
            losses: Summed cross-entropy by component, updated and returned.
        """
        losses = {} if losses is None else losses
        losses.setdefault(self.name, 0.0)
        examples = list(examples)
        validate_examples(examples, "ConstituentFunctions.update")
        self._require_labels()
        number = {name: i for i, name in enumerate(("", *self.labels))}
        gold = [one for eg in examples for one in find_gold(eg)]
        targets = [
            _target(tags, number)
            for sent, functions in gold
            for node, tags in zip(sent.tree.constituents, functions, strict=True)
            if node.label in self.cfg["constituents"]
        ]
        wanted = numpy.asarray(targets, dtype="int32")
        if not (wanted >= 0).any():
            return losses
        set_dropout_rate(self.model, drop)
        features = self._features([sent for sent, _ in gold])
        scores, backprop = self.model.begin_update(features)
        xp = self.model.ops.xp
        rows = xp.asarray(numpy.flatnonzero(wanted >= 0))
        columns = xp.asarray(wanted)[rows]
        losses[self.name] -= float(scores[rows, columns].sum())
        gradient = xp.zeros_like(scores)
        gradient[rows, columns] = -1 / len(rows)
        backprop(gradient)
        if sgd is not None:
            self.finish_update(sgd)
        return losses

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Language | None = None,
        labels: dict[str, list[str]] | None = None,
    ) -> None:
        """Collect the function tags of the training data, and build the network.

        Args:
            get_examples: Gives Examples like those of `update`.
            nlp: The pipeline; without effect.
            labels: What `spacy init labels` has written; None takes the trees'.

        Raises:
            ValueError: No constituent has a function tag.
        """
        validate_get_examples(get_examples, "ConstituentFunctions.initialize")
        if labels is None:
            least = self.cfg["min_count"]
            pairs = [
                (node.label, tags)
                for example in get_examples()
                for sent, gold in find_gold(example)
                for node, tags in zip(sent.tree.constituents, gold, strict=True)
            ]
            seen = Counter(label for label, _ in pairs)
            tagged = Counter(label for label, tags in pairs if tags)
            counts = Counter(tags for _, tags in pairs if tags)
            labels = {
                "labels": [tags for tags, n in counts.most_common() if n >= least],
                "constituents": [
                    label
                    for label, n in tagged.most_common()
                    if n >= max(least, LEAST_SHARE * seen[label])
                ],
            }
        if not labels["labels"]:
            raise ValueError(NO_TAGS)
        self.cfg.update(labels)
        self.model.set_dim("nO", len(self.labels) + 1)
        self.model.initialize(X=self.vocab.vectors)

    def _features(self, sents: Sequence[Sentence]) -> Features:
        lang = self.vocab.lang or "xx"
        for sent in sents:
            if RULES not in sent.heads:
                sent.heads[RULES] = all_heads(sent.tree, RULES, lang)
        trees, heads = (
            [sent.tree for sent in sents],
            [sent.heads[RULES] for sent in sents],
        )
        return make_features(trees, heads, self.cfg["constituents"])


def _sentences(doc: Doc) -> Iterable[Sentence]:
    """The sentences of a Doc; none if it was not parsed, or its trees are broken."""
    if SPANS_KEY not in doc.spans:
        return ()
    try:
        return kept_trees(doc).sentences.values()
    except ValueError as error:
        warnings.warn(f"A Doc gets no function tags: {error}", stacklevel=2)
        return ()


def _target(tags: str | None, number: Mapping[str, int]) -> int:
    """The number of function tags, -1 where gold has no such constituent."""
    if tags is None:
        return -1
    return next((number[tag] for tag in (tags, *tags.split("-")) if tag in number), 0)
