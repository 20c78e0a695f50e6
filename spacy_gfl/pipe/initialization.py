"""The labels and words that the component collects before it builds a network."""

import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.util import logger, registry
from spacy.vocab import Vocab
from thinc.api import ConfigValidationError, Model

from spacy_gfl.annotation.storage import SPANS_KEY, get_trees
from spacy_gfl.decoding.codec import TreeCodec
from spacy_gfl.embedding.word_counts import count_words
from spacy_gfl.model.model import codec_of

#: The reader whose corpora can be read anew for words and labels.
READER = "spacy_gfl.TreebankCorpus.v1"

#: Docs that layers are shown to learn their sizes from.
SAMPLE = 10

NO_TREES = (
    "The training data have no constituency trees: no Doc has "
    f'doc.spans["{SPANS_KEY}"] with constituents. Convert a treebank with '
    f'`spacy-gfl convert`, and read it with @readers = "{READER}". '
    "(spacy.Corpus.v1 loses the trees of Docs that it splits: with gold_preproc "
    "= true, or max_length.)"
)


def read_corpus(
    examples: Iterable[Example],
    model: Model,
    *,
    nlp: Language | None = None,
    labels: Any = None,
    added: Iterable[str] = (),
) -> tuple[TreeCodec, set[str], list[Doc]]:
    """Read the training data once, an Example that comes several times as one.

    Args:
        examples: The training data. Where spaCy streams them, and gives a few only,
            the corpus of the pipeline's config is read instead.
        model: Has the codec of the vocabulary; its word tables get the words of all
            references.
        nlp: The pipeline; None if it has no config to look at.
        labels: Label data as `spacy init labels` writes them; None takes the trees'.
        added: Further labels, after the others.

    Returns:
        The output vocabulary; the labels that label data lack, which was said; and a
        few Docs.

    Raises:
        ValueError: If the data have no trees, or the label data are none of this
            codec.
    """
    sample = [eg.reference for eg in dict.fromkeys(examples) if len(eg.reference)]
    docs = (nlp and _streamed(nlp)) or sample
    count_words(model, docs)
    trees = (tree for doc in docs if SPANS_KEY in doc.spans for tree in get_trees(doc))
    first = next(trees, None)
    if first is None:
        raise ValueError(NO_TREES)
    codec = codec_of(model)
    left_out: Counter[str] = Counter()
    n_constituents = 0
    if labels is None:
        known = codec.from_trees(chain([first], trees))
    else:
        known = codec.from_json(labels)
        for tree in chain([first], trees):
            left_out.update(known.unknown(tree))
            n_constituents += len(tree.constituents)
    known = known.with_labels(added)
    if not known.labels:
        raise ValueError(NO_TREES if labels is None else "The label data are empty.")
    if left_out:
        logger.warning(
            "The label data do not cover the training data. Training leaves out "
            "%d of %d constituents: %s.",
            left_out.total(),
            n_constituents,
            ", ".join(f"{label} ({n})" for label, n in left_out.most_common(10)),
        )
    return known, set(left_out), sample[:SAMPLE]


@dataclass
class _Streamed:
    """The Docs of a corpus that may not fit in memory, read anew by every loop."""

    corpus: Any
    vocab: Vocab

    def __iter__(self) -> Iterator[Doc]:
        return self.corpus.docs(self.vocab)


def _streamed(nlp: Language) -> _Streamed | None:
    """All training Docs where spaCy shows 100 (max_epochs = -1); None elsewhere."""
    config = nlp.config.interpolate()
    training = config.get("training") or {}
    if training.get("max_epochs") != -1:
        return None
    name = (training.get("train_corpus") or "").removeprefix("corpora.")
    block = (config.get("corpora") or {}).get(name)
    if not isinstance(block, dict) or block.get("@readers") != READER:
        return None
    return _Streamed(registry.resolve({"corpus": block})["corpus"], nlp.vocab)


def check_config(nlp: Language, name: str) -> None:
    """Refuse a config with which training would end in an error, or learn nothing.

    Raises:
        ConfigValidationError: If a corpus loses trees, or nothing gives the Docs of
            evaluation sentences.
    """
    config = nlp.config.interpolate()
    corpora = {
        corpus_name: corpus
        for corpus_name, corpus in (config.get("corpora") or {}).items()
        if isinstance(corpus, dict) and corpus.get("@readers") == "spacy.Corpus.v1"
    }
    for corpus_name, corpus in corpora.items():
        for setting, harmless in (("gold_preproc", "false"), ("max_length", "0")):
            if corpus.get(setting):
                raise _config_error(
                    f"[corpora.{corpus_name}] would lose constituency trees: "
                    f"spacy.Corpus.v1 with {setting} = {corpus[setting]} makes "
                    "new Docs of single sentences, without their span groups. "
                    f'Use @readers = "{READER}", which also has max_length, or '
                    f"set {setting} to {harmless}."
                )
    evaluated = (config.get("training") or {}).get("dev_corpus") or ""
    corpus = corpora.get(evaluated.removeprefix("corpora."), {})
    if corpus.get("path") and name in nlp.pipe_names:
        before = nlp.pipe_names[: nlp.pipe_names.index(name)]
        assigned = [nlp.get_pipe_meta(other).assigns for other in before]
        # A component that does not say what it assigns may set sentences.
        if not any(not some or "sent" in " ".join(some) for some in assigned):
            raise _config_error(
                f"{name} needs sentences, and no component before it sets them. "
                f'Add one: pipeline = ["sentencizer", "{name}"] in [nlp], and '
                '[components.sentencizer] with factory = "sentencizer" (`spacy '
                "init config -p sentencizer,constituency_parser`)."
            )


def warn_of_ignored_sentences(nlp: Language) -> None:
    """Warn of components whose sentences a pipeline's constituency parser ignores.

    These are components after the parser, and components that overwrite nothing, after
    another one that sets the beginning of a sentence for every token.
    """
    ignored = []
    is_set = is_parsed = False
    for name, pipe in nlp.pipeline:
        meta = nlp.get_pipe_meta(name)
        is_parsed |= meta.factory == "constituency_parser"
        if "token.is_sent_start" in meta.assigns and meta.factory != "sentence_rules":
            cfg = getattr(pipe, "cfg", {})
            overwrites = getattr(pipe, "overwrite", cfg.get("overwrite", False))
            # A dependency parser obeys what is set.
            obeys = meta.factory in ("parser", "beam_parser")
            if not obeys and (is_parsed or (is_set and not overwrites)):
                ignored.append(name)
            is_set = True
    if ignored:
        warnings.warn(
            f"The trees ignore the sentences of {', '.join(ignored)}, because a "
            "component before it has already set all sentences or parsed them. "
            f"Remove that component, or put {', '.join(ignored)} first.",
            stacklevel=2,
        )


def _config_error(message: str) -> ConfigValidationError:
    """An error that spaCy's commands show without a traceback."""
    return ConfigValidationError(title="", desc=message, show_config=False)
