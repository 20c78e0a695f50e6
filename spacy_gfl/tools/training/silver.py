"""Silver trees: of parsed sentences those whose trees are likely to be right."""

import math
import random
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import quantiles

from spacy.tokens import Doc

from spacy_gfl import Tree, get_trees, parse_tree, set_trees
from spacy_gfl.annotation.sentence_words import sentence_doc
from spacy_gfl.tools.evalb import score_pair

#: As fine as lengths are matched: in so many classes of equally many gold sentences.
N_LENGTHS = 10
_TREES = "constituents"


@dataclass
class Selection:
    """Chooses sentences, and counts what becomes of all of them.

    Attributes:
        others: The trees of each other parser, as `trees_by_words` gives them.
        agreement: What their trees must have in common with a sentence's: the least
            labelled F1 (0 to 1, by EVALB's rules with COLLINS); None for all
            constituents.
        min_probability: The least `tree_probability`.
        min_length: Words of a sentence at least.
        max_length: Words of a sentence at most.
        excluded: Sentences that are left out, as `sentence_key` writes them.
        fates: The words of each sentence so far, by what became of it: "kept" or why
            it was not.
    """

    others: Sequence[Mapping[str, str]] = ()
    agreement: float | None = None
    min_probability: float = 0.0
    min_length: int = 1
    max_length: float = math.inf
    excluded: frozenset[str] = frozenset()
    fates: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))

    def kept(self, docs: Iterable[Doc]) -> Iterator[Doc]:
        """Each chosen sentence of parsed Docs, as a Doc of its own.

        Raises:
            ValueError: If a Doc has no trees, or a tree no probability though there is
                to be a least one.
        """
        for doc in docs:
            for sentence in sentence_docs(doc):
                fate = self._fate(sentence)
                self.fates[fate].append(len(sentence))
                if fate == "kept":
                    yield sentence

    def _fate(self, doc: Doc) -> str:
        if len(doc) < self.min_length:
            return "too short"
        if len(doc) > self.max_length:
            return "too long"
        if sentence_key(doc.text) in self.excluded:
            return "excluded"
        if doc.spans[_TREES].attrs.get("flags") == ["flat"]:
            return "not searched"
        if self.min_probability and tree_probability(doc) < self.min_probability:
            return "doubtful"
        [tree] = get_trees(doc)
        words = " ".join(tree.words)
        if not all(words in other for other in self.others):
            return "not in all files"
        if not all(self._agree(tree, other[words]) for other in self.others):
            return "disagreed on"
        return "kept"

    def _agree(self, tree: Tree, brackets: str) -> bool:
        other = parse_tree(brackets)
        if self.agreement is None:
            return tree.constituents == other.constituents
        return sentence_f1(tree, other) >= self.agreement


def sentence_docs(doc: Doc) -> Iterator[Doc]:
    """Each sentence of a parsed Doc with its tree as a Doc, of its words alone.

    Raises:
        ValueError: If the Doc has no trees.
    """
    trees = get_trees(doc)
    attrs = doc.spans[_TREES].attrs
    for i, (sent, tree) in enumerate(zip(doc.sents, trees, strict=True)):
        if len(tree):
            copy = sentence_doc(sent, doc.vocab)
            of_sentence = {
                name: [attrs[name][i]]
                for name in ("flags", "log_probs")
                if len(attrs.get(name) or ()) == len(trees)
            }
            set_trees(copy, [tree], attrs=of_sentence)
            yield copy


def trees_by_words(docs: Iterable[Doc]) -> dict[str, str]:
    """The trees of parsed Docs in brackets, by the words of their sentences.

    Raises:
        ValueError: If a Doc has no trees.
    """
    trees = (tree for doc in docs for tree in get_trees(doc))
    return {" ".join(tree.words): tree.brackets() for tree in trees}


def sentence_key(text: str) -> str:
    """The letters and digits of a sentence, in lower case.

    Sentences with equal keys may differ in tokens, case, quotation marks and hyphens.
    """
    return "".join(filter(str.isalnum, text)).casefold()


def sentence_f1(tree: Tree, other: Tree) -> float:
    """The labelled F1 (0 to 1) of two trees over the same words.

    The tags of the first decide which words are punctuation. It is 1 where neither
    has a bracket.
    """
    retagged = Tree(tree.words, tree.tags, other.constituents)
    score = score_pair(tree.brackets(), retagged.brackets())
    total = score.gold + score.predicted
    return 2 * score.matched / total if total else 1.0


def tree_probability(doc: Doc) -> float:
    """The probability of a sentence's tree, as the geometric mean over its words.

    It is 0 where the parser knows of none.

    Raises:
        ValueError: If nothing is known of the tree's probability.
    """
    if not (known := doc.spans[_TREES].attrs.get("log_probs")):
        raise ValueError(
            "A tree has no probability. Parse to .spacy or .jsonl, which have "
            "probabilities, or leave out --min-probability."
        )
    return 0.0 if math.isnan(known[0]) else math.exp(known[0] / len(doc))


def match_lengths(lengths: Sequence[int], gold: Sequence[int]) -> list[bool]:
    """Whether each sentence is chosen: at random, as many as have gold's lengths.

    Section 3.2 of Vinyals et al. (2015): parsers agree on short sentences most.
    Lengths are as in gold to within a fifth of its sentences.

    Raises:
        ValueError: If there is no gold, or none of the sentences is as long as some of
            it.
    """
    if not gold:
        raise ValueError(
            "The treebank has no sentences whose lengths could be matched."
        )
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
            "No selected sentence is as long as some of the gold sentences. Keep "
            "more of them."
        )
    chance, chosen = random.Random(0), [False] * len(lengths)
    for number, members in classes.items():
        for i in chance.sample(members, round(rate * wanted[number])):
            chosen[i] = True
    return chosen
