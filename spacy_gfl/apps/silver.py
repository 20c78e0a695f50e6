"""Silver trees: a parser's own, where others agree or it is sure of them."""

import math
import random
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, compress
from operator import not_
from pathlib import Path
from statistics import quantiles
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.vocab import Vocab

from spacy_gfl.annotation.building import sentence_doc
from spacy_gfl.annotation.dependencies import REQUIRED_KEY, dependency_extents
from spacy_gfl.annotation.storage import SPANS_KEY, get_trees, is_word, sentences
from spacy_gfl.data.inputs import read_treebank, treebank_files
from spacy_gfl.data.shards import ShardFolder
from spacy_gfl.evaluation.scorer import score_doc

#: Trees that agree exactly have the same constituents, whatever counts in scores.
EXACT = "exact"
#: What components are there for, where sentences are sought and where trees are.
FOR_SENTENCES = frozenset({"token.is_sent_start", "doc.sents"})
FOR_TREES = frozenset({"token.tag", "doc.spans"})
BATCH_SIZE = 128
#: As fine as lengths are matched: in so many classes of equally many gold sentences.
N_LENGTHS = 10


@dataclass
class SilverMaker:
    """Parses text and keeps the trees that are worth learning from.

    Attributes:
        models: Pipelines that write trees to `doc.spans["constituents"]`. The first
            one's trees are kept.
        splitter: The pipeline that finds sentences where Docs have none.
        agreement: What the others' trees must have in common with it: "exact" for
            all constituents, or the least labelled F1 of the sentence (0 to 1, by
            EVALB's rules with COLLINS).
        min_probability: The least `tree_probability`.
        min_length: Words of a sentence at least.
        max_length: Words of a sentence at most; None for any number.
        excluded: Sentences that are left out, as `sentence_key` writes them.
        dependencies: Let trees agree with the dependencies of the Docs, by
            `spans_from_dependencies`, and keep the tags of the Docs.
    """

    models: Sequence[Language]
    splitter: Language
    agreement: str | float = EXACT
    min_probability: float = 0.0
    min_length: int = 1
    max_length: int | None = None
    excluded: frozenset[str] = frozenset()
    dependencies: bool = False

    def __call__(
        self, docs: Iterable[Doc], progress: Callable[[int], Any] = lambda number: None
    ) -> tuple[list[Doc], dict[str, list[int]]]:
        """Parse Docs, all at once, in the order of their sentences' lengths.

        Args:
            docs: With or without sentence boundaries.
            progress: Told how many sentences more are done with.

        Returns:
            A Doc for each sentence whose tree was kept, in the order of the text, and
            what became of all of them: the words of each sentence, by its fate.
        """
        fates: defaultdict[str, list[int]] = defaultdict(list)

        def keep(fate: str, docs: list[Doc], fit: Iterable[bool]) -> list[Doc]:
            fit = list(fit)
            fates[fate].extend(map(len, compress(docs, map(not_, fit))))
            return list(compress(docs, fit))

        longest = self.max_length or math.inf
        docs = self._sentences(docs)
        n_read = len(docs)
        docs = keep("too short", docs, (len(doc) >= self.min_length for doc in docs))
        docs = keep("too long", docs, (len(doc) <= longest for doc in docs))
        keys = map(sentence_key, docs)
        docs = keep("excluded", docs, (key not in self.excluded for key in keys))
        progress(n_read - len(docs))
        first, *others = self.models
        docs = _parse(first, docs, progress)
        attrs = [doc.spans[SPANS_KEY].attrs for doc in docs]
        docs = keep("not searched", docs, (a["flags"] != ["flat"] for a in attrs))
        least = self.min_probability
        # Of some trees the probability is not known (NaN).
        sure = (not least or tree_probability(doc) >= least for doc in docs)
        docs = keep("doubtful", docs, sure)
        for nlp in others:
            found = _parse(nlp, [_copy(doc, nlp.vocab) for doc in docs])
            docs = keep("disagreed on", docs, map(self._agree, docs, found))
        for doc in docs:
            # Who parses the Doc again asks for what a parser finds by itself.
            doc.spans.pop(REQUIRED_KEY, None)
        fates["kept"] = list(map(len, docs))
        return docs, dict(fates)

    def _sentences(self, docs: Iterable[Doc]) -> list[Doc]:
        """Each sentence as a Doc of its words alone.

        Raises:
            ValueError: If dependencies are to be obeyed and a Doc has none.
        """
        docs = list(docs)
        if self.dependencies and not all(doc.has_annotation("DEP") for doc in docs):
            raise ValueError("There is a Doc without dependencies to agree with.")
        # Asked before any is split: a pipeline writes to the Docs of a batch at once.
        whole = [i for i, d in enumerate(docs) if not d.has_annotation("SENT_START")]
        with self.splitter.select_pipes(enable=_needed(self.splitter, FOR_SENTENCES)):
            split = self.splitter.pipe((docs[i] for i in whole), batch_size=BATCH_SIZE)
            for i, doc in zip(whole, split, strict=True):
                docs[i] = doc
        copies = []
        for sent in chain.from_iterable(map(sentences, docs)):
            copy = sentence_doc(sent, self.models[0].vocab)
            if self.dependencies:
                extents = dependency_extents(list(filter(is_word, sent)))
                copy.spans[REQUIRED_KEY] = [copy[start:end] for start, end in extents]
            copies.append(copy)
        return [doc for doc in copies if len(doc)]

    def _agree(self, doc: Doc, other: Doc) -> bool:
        if isinstance(self.agreement, str):
            (tree,), (second,) = get_trees(doc), get_trees(other)
            return tree.constituents == second.constituents
        return sentence_f1(doc, other) >= self.agreement


def _copy(doc: Doc, vocab: Vocab) -> Doc:
    """A Doc of one sentence for another model, without a tree."""
    copy = sentence_doc(doc, vocab)
    if REQUIRED_KEY in doc.spans:
        spans = [copy[span.start : span.end] for span in doc.spans[REQUIRED_KEY]]
        copy.spans[REQUIRED_KEY] = spans
    return copy


def sentence_key(sent: Doc | Span) -> str:
    """The letters and digits of a sentence, in lower case.

    Sentences with equal keys may differ in tokens, case, quotation marks and hyphens.
    """
    text = "".join(token.text for token in sent)
    return "".join(filter(str.isalnum, text)).casefold()


def sentence_f1(doc: Doc, other: Doc) -> float:
    """The labelled F1 (0 to 1) of two trees of a sentence, a Doc each.

    The tags of the first decide which words are punctuation. It is 1 where neither
    has a bracket.
    """
    (score,) = score_doc(doc, other)
    total = score.gold + score.predicted
    return 2 * score.matched / total if total else 1.0


def tree_probability(doc: Doc) -> float:
    """The probability of a sentence's tree, as the geometric mean over its words."""
    return math.exp(doc.spans[SPANS_KEY].attrs["log_probs"][0] / len(doc))


def gold_sentences(path: str | Path) -> Iterator[Span]:
    """The sentences of a treebank: a file, or a folder of files.

    Raises:
        OSError: If there is no such treebank, or a file cannot be read.
        ValueError: If a file or folder is no treebank.
    """
    vocab = Vocab()
    for file in treebank_files(Path(path), docbins=True):
        for doc in read_treebank(file, vocab, need_trees=False):
            yield from sentences(doc)


def gold_lengths(path: Path, shortest: int, longest: int | None) -> list[int]:
    """The numbers of words of a treebank's sentences, from `shortest` to `longest`.

    A `longest` of None is any number.

    Raises:
        ValueError: If there is no such sentence, or no treebank at the path.
    """
    lengths = (sum(map(is_word, sent)) for sent in gold_sentences(path))
    found = [n for n in lengths if shortest <= n <= (longest or math.inf)]
    if not found:
        raise ValueError("There are no gold sentences whose lengths could be matched.")
    return found


def join_kept(
    folder: ShardFolder,
    output: Path,
    limit: int | None = None,
    gold: Sequence[int] | None = None,
) -> dict[str, list[int]]:
    """Write the sentences of shards, and delete the shards.

    Args:
        folder: The shards.
        output: A file whose ending is one of WRITERS, or else a folder, which must not
            exist.
        limit: Sentences at most, the first ones.
        gold: The lengths of gold sentences, to have these lengths.

    Returns:
        The words of each sentence by its fate, "kept" among them.
    """
    fates = folder.fates()
    lengths = fates.pop("kept", [])
    fates["beyond --limit"] = lengths[limit:] if limit else []
    within = lengths[:limit]
    chosen = [True] * len(within) if gold is None else _match_lengths(within, gold)
    fates["of no matching length"] = list(compress(within, map(not_, chosen)))
    fates["kept"] = list(compress(within, chosen))
    folder.join(output, chosen)
    return fates


def _match_lengths(lengths: Sequence[int], gold: Sequence[int]) -> list[bool]:
    """Whether each sentence is chosen: at random, as many as have gold's lengths.

    Section 3.2 of Vinyals et al. (2015): parsers agree on short sentences most.
    Lengths are as in gold to within a fifth of its sentences; gold is not empty.

    Raises:
        ValueError: If none of the sentences is as long as some of gold.
    """
    cuts = Counter(quantiles(gold, n=N_LENGTHS) if len(gold) > 1 else gold)
    # A length that most of a class would have is a class of its own.
    frequent = {length - 1 for length, times in cuts.items() if times > 1}
    bounds = sorted({*cuts, *frequent})
    wanted = Counter(bisect_left(bounds, length) for length in gold)
    classes: dict[int, list[int]] = {number: [] for number in sorted(wanted)}
    for i, length in enumerate(lengths):
        classes.get(bisect_left(bounds, length), []).append(i)
    rate = min(len(classes[number]) / wanted[number] for number in wanted)
    if not rate:
        raise ValueError(
            "No sentence that was kept is as long as some of the gold sentences; "
            "keep more of them."
        )
    chance, chosen = random.Random(0), [False] * len(lengths)
    for number, members in classes.items():
        for i in chance.sample(members, round(rate * wanted[number])):
            chosen[i] = True
    return chosen


def has_learnt_sentences(nlp: Language) -> bool:
    """Whether a pipeline finds sentences, and not by rule."""
    metas = (nlp.get_pipe_meta(name) for name in nlp.pipe_names)
    return any(
        meta.factory != "sentencizer" and not FOR_SENTENCES.isdisjoint(meta.assigns)
        for meta in metas
    )


def _needed(nlp: Language, wanted: frozenset[str]) -> list[str]:
    """The components that assign something wanted, and what these listen to.

    A component that does not say what it assigns may be needed.
    """
    assigned = {name: nlp.get_pipe_meta(name).assigns for name in nlp.pipe_names}
    names = [
        n for n, what in assigned.items() if not (what and wanted.isdisjoint(what))
    ]
    heard = [
        name
        for name, pipe in nlp.pipeline
        if not {*getattr(pipe, "listening_components", ())}.isdisjoint(names)
    ]
    return [*names, *heard]


def _parse(
    nlp: Language,
    docs: Sequence[Doc],
    progress: Callable[[int], Any] = lambda number: None,
) -> list[Doc]:
    """Docs with trees in the order given, parsed in the order of their lengths."""
    order = sorted(range(len(docs)), key=lambda i: len(docs[i]))
    found = list(docs)
    with nlp.select_pipes(enable=_needed(nlp, FOR_TREES)):
        parsed = nlp.pipe((docs[i] for i in order), batch_size=BATCH_SIZE)
        for i, doc in zip(order, parsed, strict=True):
            # A transformer leaves its states there, far larger than the words.
            doc.user_data.clear()
            found[i] = doc
            progress(1)
    return found
