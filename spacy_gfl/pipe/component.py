"""The pipeline component: sentences in, trees on the Doc out."""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy
from spacy.errors import Errors
from spacy.language import Language
from spacy.pipeline import TrainablePipe
from spacy.tokens import Doc
from spacy.training import Example, validate_examples, validate_get_examples
from thinc.api import Model, Optimizer, set_dropout_rate
from typing_extensions import Self

from spacy_gfl.annotation.sentence_words import (
    naming_lost_words,
    require_doc,
    sentence_words,
)
from spacy_gfl.annotation.storage import (
    SPANS_KEY,
    get_trees,
    put_constituents,
)
from spacy_gfl.decoding.batches import doc_batches
from spacy_gfl.decoding.codec import TreeCodec, is_name
from spacy_gfl.decoding.network import Hypothesis
from spacy_gfl.decoding.tasks import AttentionTask, LossTask, ReadingTask, SearchTask
from spacy_gfl.embedding.static_vectors import keep_static_vectors
from spacy_gfl.model.model import (
    ModelInput,
    codec_of,
    network_shim,
    require_network,
    warn_of_unheard,
)
from spacy_gfl.pipe.gold import LeftOut, encode_ahead, gold_of, lost_message
from spacy_gfl.pipe.initialization import (
    check_config,
    read_corpus,
    warn_of_ignored_sentences,
)
from spacy_gfl.pipe.known_constituents import known_constraints
from spacy_gfl.pipe.observers import Observer, switched_on
from spacy_gfl.pipe.parses import (
    Parse,
    RankedTree,
    choose_parse,
    flat_parse,
    group_attrs,
    parse_of,
    rank_trees,
    write_tags,
)
from spacy_gfl.pipe.saving import loading
from spacy_gfl.pipe.search_settings import SearchSettings, check_number

#: Tokens of the Docs that `pipe` parses at a time, which take 5 to 15 kB each: as many
#: words as a GPU works on at a time.
MOST_TOKENS = 65_536


class ConstituencyParser(TrainablePipe):
    """Gives every sentence of a Doc its phrase-structure tree.

    Trees are written to `doc.spans[spans_key]`: one span a constituent, in pre-order.
    Its `attrs` hold one value a sentence, "log_probs" and "flags", and what observers
    say, such as "probabilities", one per constituent. `pipe.known_constituents` says
    what is read from other span groups.

    Settings are saved with the component. Settings in the `config` of `spacy.load` win
    over saved settings (`pipe.saving`).

    Args:
        vocab: The pipeline's vocabulary.
        model: A model such as `spacy_gfl.AttachJuxtapose.v1`.
        name: The component's name in the pipeline.
        search: How to search for trees.
        spans_key: The span group to write trees to. Attributes, commands and gold trees
            use "constituents".
        predict_tags: Write `token.tag_` of tokens that have none, if the model has a
            tagger.
        scorer: A scoring function, or None for no scores.

    Attributes:
        observers: Functions whose attributes join those of the span group
            (`pipe.observers.Observer`). They are not saved with the component.
    """

    def __init__(
        self,
        vocab: Any,
        model: Model,
        name: str = "constituency_parser",
        *,
        search: Mapping[str, Any] = MappingProxyType({}),
        spans_key: str = SPANS_KEY,
        predict_tags: bool = True,
        scorer: Callable | None = None,
    ) -> None:
        self.vocab = vocab
        self.model = model
        self.name = name
        self.scorer = scorer
        configured: dict[str, Any] = {
            "spans_key": spans_key,
            "predict_tags": predict_tags,
            "search": dict(search),
        }
        # `vocabulary` is what the model's codec makes JSON of.
        self.cfg: dict[str, Any] = {"vocabulary": None, "configured": configured}
        self.spans_key, self.predict_tags = spans_key, predict_tags
        self.search = SearchSettings(**configured["search"])
        self.observers: list[Observer] = []
        self._codec: tuple[Any, TreeCodec] | None = None
        self._left_out = LeftOut()

    @property
    def spans_key(self) -> str:
        """The name of the span group that trees are written to."""
        return self.cfg["spans_key"]

    @spans_key.setter
    def spans_key(self, key: str) -> None:
        self.cfg["spans_key"] = key

    @property
    def predict_tags(self) -> bool:
        """Whether tokens without a tag get the model's."""
        return self.cfg["predict_tags"]

    @predict_tags.setter
    def predict_tags(self, are_predicted: bool) -> None:
        self.cfg["predict_tags"] = are_predicted

    @property
    def search(self) -> SearchSettings:
        """How trees are searched; settings in a dictionary can be assigned too.

        Raises:
            TypeError: If what is assigned is no settings.
            ValueError: If a setting does not exist, or cannot have its value.
        """
        return self._search

    @search.setter
    def search(self, settings: SearchSettings | dict[str, Any]) -> None:
        if isinstance(settings, dict):
            settings = SearchSettings(**settings)
        if not isinstance(settings, SearchSettings):
            message = f"search takes SearchSettings or a dict, not {settings!r:.50}."
            raise TypeError(message)
        self._search = settings

    @property
    def codec(self) -> TreeCodec:
        """The output vocabulary, as cfg holds it.

        Raises:
            ValueError: If the component is not initialised (spaCy's E109).
        """
        data = self.cfg["vocabulary"]
        if data is None:
            raise ValueError(Errors.E109.format(name=self.name))
        if self._codec is None or self._codec[0] is not data:
            codec = codec_of(self.model).from_json(data)
            # A memory zone that ends would take those met in it from older Docs.
            for name in (*codec.labels, *codec.tags):
                self.vocab.strings.add(name, allow_transient=False)
            self._codec = (data, codec)
        return self._codec[1]

    @property
    def labels(self) -> tuple[str, ...]:
        """The constituent labels, the most frequent in training first."""
        data = self.cfg["vocabulary"]
        return tuple(data["labels"]) if data else ()

    @property
    def label_data(self) -> dict[str, Any]:
        """The output vocabulary, in the form that `initialize` takes as `labels`."""
        return self.cfg["vocabulary"] or codec_of(self.model).from_trees([]).to_json()

    def add_label(self, label: str) -> int:
        """Add a label before initialisation.

        Returns:
            1 if it is new, else 0.

        Raises:
            ValueError: For anything but a non-empty string that UTF-8 can encode,
                and after initialisation: the network's output cannot grow.
        """
        if not is_name(label):
            raise ValueError(
                "A label must not be empty." if label == "" else Errors.E187
            )
        if label in self.labels:
            return 0
        if self.is_initialized:
            raise ValueError(
                f"The label {label!r} cannot be added: {self.name} is "
                "initialised, and the output of its network has a fixed size. "
                "Make a new component, and initialise it with trees or label "
                "data that have this label."
            )
        codec = codec_of(self.model).from_json(self.label_data)
        self.cfg["vocabulary"] = codec.with_labels([label]).to_json()
        return 1

    @property
    def is_initialized(self) -> bool:
        """Whether the network has been built."""
        return network_shim(self.model).network is not None

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 128) -> Iterator[Doc]:
        """Parse a stream of Docs; Docs that cannot be parsed go to the error handler.

        Args:
            stream: Docs with sentence boundaries.
            batch_size: How many are parsed at a time, fewer if they are long.

        Yields:
            The parsed Docs in their order.
        """
        handle_error = self.get_error_handler()
        for batch in doc_batches(stream, batch_size, MOST_TOKENS):
            try:
                self.set_annotations(batch, self.predict(batch))
            except Exception as error:
                if len(batch) == 1:
                    handle_error(self.name, self, batch, error)
                else:
                    # One by one, so that the others are parsed.
                    yield from self.pipe(batch, batch_size=1)
            else:
                yield from batch

    def predict(self, docs: Iterable[Doc]) -> list[list[Parse]]:
        """Parse the sentences of all Docs at once, without changing the Docs.

        Returns:
            For each Doc a Parse for each sentence.

        Raises:
            ValueError: For a Doc without sentence boundaries, and if the component
                is not initialised (spaCy's E109).
        """
        require_network(self.model, self.name)
        docs = list(docs)
        sents = list(map(sentence_words, docs))
        parses = [list(map(flat_parse, in_doc)) for in_doc in sents]
        codec, objective = self.codec, self.search.objective
        with naming_lost_words():
            for (i, j), hypotheses in self._searched(docs, sents):
                parses[i][j] = choose_parse(hypotheses, codec, sents[i][j], objective)
        return parses

    def _searched(
        self,
        docs: list[Doc],
        sents: Sequence[Sequence[Sequence[int]]],
        n_best: int | None = None,
    ) -> Iterable[tuple[tuple[int, int], Sequence[Hypothesis]]]:
        """Search the sentences that are neither empty nor too long.

        `sents` are each Doc's sentences, as the indices of their words. Without
        `n_best` the settings say how many trees are searched and drawn. The numbers
        of a Doc and of a sentence in it stand before the sentence's hypotheses.
        """
        places = [
            (i, j)
            for i, in_doc in enumerate(sents)
            for j, words in enumerate(in_doc)
            if 0 < len(words) <= self.search.max_words
        ]
        search, n_samples = self.search, 0
        network = require_network(self.model, self.name)
        # Warns of constraints that are left out, also if no sentence is searched.
        constraints = known_constraints(
            docs, sents, places, self.codec, network, search
        )
        if n_best is None:
            n_best = 1 if search.objective == "max_probability" else 0
            n_samples = search.n_drawn
        task = SearchTask(
            beam_width=max(search.beam_width, n_best),
            n_best=n_best,
            n_samples=n_samples,
            temperature=search.temperature,
            constrained=search.constrained,
            precision=search.exact_precision if search.per_word else None,
            constraints=constraints,
            notes_growth=search.per_word,
        )
        chosen = [(i, sents[i][j]) for i, j in places]
        return zip(places, self.run(docs, task, chosen), strict=True)

    def run(
        self,
        docs: Sequence[Doc],
        task: ReadingTask,
        sents: Sequence[tuple[int, Sequence[int]]] | None = None,
    ) -> list[Any]:
        """Give the network a task for some sentences.

        The search for trees, n-best lists, attention and columns of words are such
        tasks. A task of your own is a subclass of `decoding.tasks.ReadingTask`.

        Args:
            docs: Docs with sentence boundaries, which are not changed.
            task: The task. Its values per sentence are in the order of `sents`.
            sents: For each sentence the place of its Doc in `docs`, and the indices of
                its words in the Doc. Without them, all sentences that have words and
                are not too long (`search.max_words`).

        Returns:
            One result per sentence.

        Raises:
            ValueError: For a Doc without sentence boundaries, and if the component is
                not initialised (spaCy's E109).
        """
        require_network(self.model, self.name)
        docs = list(docs)
        if sents is None:
            every = [
                (i, ws) for i, doc in enumerate(docs) for ws in sentence_words(doc)
            ]
            sents = [(i, ws) for i, ws in every if 0 < len(ws) <= self.search.max_words]
        if not sents:
            return []
        warn_of_unheard(self.model, docs, self.name)
        words = task.words
        if words is None and task.reads_words and self.codec.predicts_words:
            texts = ([docs[i][at].text for at in of_one] for i, of_one in sents)
            words = list(map(self.codec.word_ids, texts))
        task = replace(
            task,
            batch_words=task.batch_words or self.search.batch_words,
            precision=task.precision or self.search.precision,
            words=words,
        )
        return list(self.model.predict(ModelInput(docs, sents, task)))

    def n_best(self, doc: Doc, k: int) -> list[list[RankedTree]]:
        """The k most probable trees of each sentence, without changing the Doc.

        A beam at least k wide (`search.beam_width`) finds the trees. Tags are the
        Doc's; where a token has none, the model's if `predict_tags` is set, or else XX.

        Args:
            doc: A Doc with sentence boundaries.
            k: How many trees.

        Returns:
            For each sentence its trees, the best first, all different, and fewer
            than k if the beam finds no more. A sentence that could not be searched
            has one, flat, and of probability NaN.

        Raises:
            TypeError: If `doc` is no Doc.
            ValueError: If k is no whole number from 1 to 1,000, for a Doc without
                sentence boundaries, and if the component is not initialised (spaCy's
                E109).
        """
        require_doc(doc, "n_best")
        check_number(k, "n_best")
        require_network(self.model, self.name)
        sents = sentence_words(doc)
        parses = [[flat_parse(words)] for words in sents]
        for (_, j), hypotheses in self._searched([doc], [sents], k):
            parses[j] = [parse_of(one, self.codec, sents[j]) for one in hypotheses]
        return [
            rank_trees(some, doc, predict_tags=self.predict_tags) for some in parses
        ]

    def set_annotations(self, docs: Iterable[Doc], parses: list[list[Parse]]) -> None:
        """Write what `predict` returned to `doc.spans[spans_key]`."""
        docs = list(docs)
        attrs = list(map(group_attrs, parses))
        with naming_lost_words():
            for observe in (*switched_on(self.search), *self.observers):
                for of_doc, more in zip(
                    attrs, observe(self, docs, parses), strict=True
                ):
                    of_doc.update(more)
            for doc, in_doc, of_doc in zip(docs, parses, attrs, strict=True):
                sents = [(parse.words, parse.constituents) for parse in in_doc]
                put_constituents(doc, sents, key=self.spans_key, attrs=of_doc)
                if self.predict_tags and len(doc):
                    write_tags(doc, in_doc)

    def attention(self, doc: Doc) -> list[numpy.ndarray]:
        """The decoder's attention to the words as it writes a Doc's trees.

        Figure 4 of Vinyals et al. (2015) shows such a matrix.

        Returns:
            For each sentence an array `(steps, words)`; a step writes a symbol of
            `codec.encode(tree)`, or a word's action. A sentence without words, or
            with labels that the model does not know, has an array without rows.

        Raises:
            ValueError: If the Doc has no trees or the model no attention.
        """
        require_network(self.model, self.name)
        trees, codec = get_trees(doc, key=self.spans_key), self.codec
        matrices = [numpy.zeros((0, len(tree)), dtype="float32") for tree in trees]
        chosen = [
            i for i, tree in enumerate(trees) if len(tree) and not codec.unknown(tree)
        ]
        if chosen:
            sents = sentence_words(doc)
            task = AttentionTask([codec.encode(trees[i]) for i in chosen])
            weights = self.run([doc], task, [(0, sents[i]) for i in chosen])
            for i, matrix in zip(chosen, weights, strict=True):
                matrices[i] = matrix.cpu().numpy()
        return matrices

    def encode_ahead(self, example: Example) -> None:
        """Encode an Example's gold trees before the updates that learn them.

        `spacy_gfl.TreebankCorpus.v1` asks for it as it reads. Does nothing before
        initialisation.
        """
        if self.is_initialized:
            encode_ahead(example, self.codec)

    def update(
        self,
        examples: Iterable[Example],
        *,
        drop: float = 0.0,
        sgd: Optimizer | None = None,
        losses: dict[str, float] | None = None,
    ) -> dict[str, float]:
        """Learn from gold trees. Sentences are the reference's.

        Constituents whose labels are not among `labels` are left out, with a warning.

        The loss is the summed cross-entropy of what the decoder writes, in nats; its
        gradient is taken of the mean over the batch's sentences.

        Raises:
            ValueError: If the loss is NaN or infinite, as it is once weights are.
        """
        losses = {} if losses is None else losses
        losses.setdefault(self.name, 0.0)
        require_network(self.model, self.name)
        examples = list(examples)
        validate_examples(examples, "ConstituencyParser.update")
        if not any(len(example.predicted) for example in examples):
            # No component of spaCy gives its layers an empty batch.
            return losses
        set_dropout_rate(self.model, drop)
        golds = [gold_of(example, self.codec) for example in examples]
        docs = [example.predicted for example in examples]
        sents = [(i, words) for i, gold in enumerate(golds) for words in gold.words]
        targets = [target for gold in golds for target in gold.targets]
        task = LossTask(targets, precision=self.search.precision)
        batch = ModelInput(docs, sents, task)
        self._left_out.warn(self.name, golds)
        loss, backprop = self.model.begin_update(batch)
        backprop(1.0 / max(1, len(sents)))
        # Not before: a GPU would have nothing to do meanwhile.
        total = float(loss)
        if not math.isfinite(total):
            n_steps = network_shim(self.model).n_steps
            raise ValueError(lost_message(self.name, total, n_steps, examples))
        if sgd is not None:
            self.finish_update(sgd)
        losses[self.name] += total
        return losses

    def finish_update(self, sgd: Optimizer) -> None:
        """Take the optimizer's step; none if no batch since the last taught anything.

        An optimizer with momentum would move word layers even without gradients.
        """
        module = network_shim(self.model).network
        if module and any(p.grad is not None for p in module.parameters()):
            self.model.finish_update(sgd)

    def initialize(
        self,
        get_examples: Callable[[], Iterable[Example]],
        *,
        nlp: Language | None = None,
        labels: dict[str, Any] | None = None,
    ) -> None:
        """Collect labels and words from the training data and build the network.

        Does nothing to a network that is built already.

        Args:
            get_examples: Gives the training data; called once.
            nlp: The pipeline.
            labels: The output vocabulary, as `spacy init labels` writes it. Without
                it, it is collected from the trees.

        Raises:
            ValueError: If the data have no trees, the pipeline's config loses them
                or finds no sentences, the label data are of another kind, or the
                network was built for other labels.
        """
        examples: list[Example] = []
        if callable(get_examples):
            examples = list(get_examples() or ())
            get_examples = examples.copy
        validate_get_examples(get_examples, "ConstituencyParser.initialize")
        if nlp is not None:
            check_config(nlp, self.name)
            warn_of_ignored_sentences(nlp)
        if self.is_initialized:
            # What other components learn from may have no trees.
            known = codec_of(self.model).from_json(labels or self.label_data)
            if known.labels != self.labels:
                raise ValueError(
                    f"{self.name} is initialised with other labels, and the "
                    "output of its network has a fixed size. Make a new "
                    "component for these labels."
                )
            return
        codec, self._left_out.labels, sample = read_corpus(
            examples, self.model, nlp=nlp, labels=labels, added=self.labels
        )
        self.cfg["vocabulary"] = codec.to_json()
        self.model.initialize(X=ModelInput(sample, []), Y=self.codec)

    def keep_static_vectors(self) -> None:
        """Let each layer of word features keep a copy of the vocabulary's vectors.

        The parser can then join pipelines that have other vectors or none, and its own
        pipeline may drop them (`nlp.vocab.vectors = Vectors()`). A layer that keeps
        some stays as it is.

        Raises:
            ValueError: If no layer of the parser reads static vectors
                (`WordFeatures.v1`), if the vocabulary's have another width than those
                of training, or are of subwords (floret), which have no table of words;
                and if the component is not initialised (spaCy's E109).
        """
        require_network(self.model, self.name)
        if not keep_static_vectors(self.model, self.vocab.vectors):
            raise ValueError(
                f"{self.name} has no static vectors to keep: it has no layer of "
                "word features (WordFeatures.v1) that reads them."
            )

    def to_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> None:
        """Save labels, settings and network in a folder."""
        self.cfg["search"] = self.search.model_dump()
        super().to_disk(path, exclude=exclude)

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Labels, settings and network as bytes."""
        self.cfg["search"] = self.search.model_dump()
        return super().to_bytes(exclude=exclude)

    def from_disk(self, path: str | Path, *, exclude: Iterable[str] = ()) -> Self:
        """Load what `to_disk` saved.

        Raises:
            ValueError: If the files are damaged, belong to another config, or were
                written by a later spacy_gfl.
        """
        with loading(self, str(path)):
            super().from_disk(path, exclude=exclude)
        return self

    def from_bytes(self, bytes_data: bytes, *, exclude: Iterable[str] = ()) -> Self:
        """Load what `to_bytes` gave.

        Raises:
            ValueError: If the data are damaged, belong to another config, or were
                made by a later spacy_gfl.
        """
        with loading(self, "What is loaded"):
            super().from_bytes(bytes_data, exclude=exclude)
        return self
