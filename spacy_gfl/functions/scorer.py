"""Scores of function tags, by tag and by group, on the constituents that are right."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from spacy.scorer import PRFScore
from spacy.training import Example

from spacy_gfl.annotation.alignment import gold_sentences
from spacy_gfl.annotation.nodes import Sentence, sentence_nodes
from spacy_gfl.annotation.storage import SPANS_KEY
from spacy_gfl.trees.labels import split_label

#: The groups of tags that are scored together (Blaheta and Charniak 2000, without null
#: elements); all other tags are one group more, `OTHER`.
GROUPS: dict[str, list[str]] = {
    "grammatical": ["DTV", "LGS", "PRD", "PUT", "SBJ", "VOC"],
    "adverbial": ["ADV", "BNF", "DIR", "EXT", "LOC", "MNR", "NOM", "PRP", "TMP"],
}
OTHER = "other"


class GoldFunctions(NamedTuple):
    """Gold's function tags of a predicted tree.

    Attributes:
        sentence: The sentence in the predicted Doc.
        functions: For each constituent of its tree gold's function tags, joined by
            hyphens, "" for none; None if gold has no such constituent.
    """

    sentence: Sentence
    functions: list[str | None]


def find_gold(example: Example) -> list[GoldFunctions]:
    """Find gold's function tags of those predicted constituents that are right.

    A constituent is right if gold has one of the same label and extent.
    """
    if SPANS_KEY not in example.predicted.spans:
        return []
    gold: defaultdict[tuple[str, int, int], list[str]] = defaultdict(list)
    for words, tree in gold_sentences(example):
        # Of a chain of one label, the outermost is taken first.
        for label, start, end in reversed(tree.constituents):
            name, functions = split_label(label)
            tags = [tag for tag in functions.split("-") if tag and not tag.isdigit()]
            gold[name, words[start], words[end - 1]].append("-".join(tags))
    found = []
    for node in sentence_nodes(example.predicted[:]):
        sent, words = node.sentence, node.sentence.words
        known = [
            gold[label, words[start], words[end - 1]]
            for label, start, end in sent.tree.constituents
        ]
        tags_of_right = [same.pop() if same else None for same in known]
        found.append(GoldFunctions(sent, tags_of_right))
    return found


class FunctionScorer:
    """Scores function tags of the constituents that gold has too.

    It is registered as the scorer `spacy_gfl.function_scorer.v1`.

    Args:
        groups: By name, the tags that are scored together.
    """

    def __init__(self, groups: Mapping[str, Sequence[str]] = GROUPS) -> None:
        self._names = (*groups, OTHER)
        self._group = {tag: name for name, tags in groups.items() for tag in tags}

    def __call__(self, examples: Iterable[Example], **kwargs: Any) -> dict[str, Any]:
        """Score Examples whose references have function tags in their labels.

        Returns:
            Shares from 0 to 1: `fun_p`, `fun_r`, `fun_f` of all tags; the same of each
            group (`fun_grammatical_f`); `fun_per_tag`, tag to p, r, f; and
            `fun_right`, how many of the predicted constituents are right and so are
            scored. All are None if no gold constituent has a tag.
        """
        names = ("", *(f"{name}_" for name in self._names))
        by_group = {name: PRFScore() for name in names}
        by_tag: defaultdict[str, PRFScore] = defaultdict(PRFScore)
        n_right = n_all = 0
        for example in examples:
            for sent, gold in find_gold(example):
                n_all += len(gold)
                found = sent.functions(example.predicted)
                for own, right in zip(found, gold, strict=True):
                    if right is None:
                        continue
                    n_right += 1
                    self._count(by_group, by_tag, _tags(own), _tags(right))
        has_gold = by_group[""].tp + by_group[""].fn > 0
        scores: dict[str, Any] = {
            f"fun_{name}{kind[0]}": getattr(score, kind)
            if has_gold and len(score)
            else None
            for name, score in by_group.items()
            for kind in ("precision", "recall", "fscore")
        }
        per_tag = {tag: by_tag[tag].to_dict() for tag in sorted(by_tag)}
        scores["fun_per_tag"] = per_tag if has_gold else None
        scores["fun_right"] = n_right / n_all if has_gold else None
        return scores

    def _count(
        self,
        by_group: Mapping[str, PRFScore],
        by_tag: Mapping[str, PRFScore],
        found: set[str],
        gold: set[str],
    ) -> None:
        for tag in found | gold:
            group = self._group.get(tag, OTHER)
            for score in (by_group[""], by_group[f"{group}_"], by_tag[tag]):
                score.score_set(found & {tag}, gold & {tag})


def _tags(functions: str) -> set[str]:
    return set(functions.split("-")) - {""}
