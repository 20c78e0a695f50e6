"""Scores of function tags, by tag and by group, on the constituents that are right."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from spacy.scorer import PRFScore
from spacy.training import Example

from spacy_gfl.annotation.alignment import gold_sentences
from spacy_gfl.annotation.nodes import Sentence, sentence_nodes
from spacy_gfl.annotation.storage import SPANS_KEY
from spacy_gfl.functions.attributes import tags_of
from spacy_gfl.trees.labels import split_label

#: The groups of tags that are scored together (Blaheta and Charniak 2000, without null
#: elements). All other tags are one more group, "other".
GROUPS: dict[str, list[str]] = {
    "grammatical": ["DTV", "LGS", "PRD", "PUT", "SBJ", "VOC"],
    "adverbial": ["ADV", "BNF", "DIR", "EXT", "LOC", "MNR", "NOM", "PRP", "TMP"],
}
OTHER = "other"


def find_gold(example: Example) -> list[tuple[Sentence, list[str | None]]]:
    """Find gold's function tags of those predicted constituents that are right.

    A constituent is right if gold has one of the same label and extent.

    Returns:
        For each sentence of the predicted Doc the function tags of its constituents,
        joined by hyphens, "" for none; None for a constituent that is not right.
    """
    if SPANS_KEY not in example.predicted.spans:
        return []
    gold: defaultdict[tuple[str, int, int], list[str]] = defaultdict(list)
    for words, tree in gold_sentences(example):
        # Of a chain of one label, the outermost is taken first.
        for label, start, end in reversed(tree.constituents):
            extent = split_label(label)[0], words[start], words[end - 1]
            gold[extent].append("-".join(tags_of(label)))
    gold_tags: list[tuple[Sentence, list[str | None]]] = []
    for node in sentence_nodes(example.predicted[:]):
        sent, words = node.sentence, node.sentence.words
        known = [
            gold[label, words[start], words[end - 1]]
            for label, start, end in sent.tree.constituents
        ]
        gold_tags.append((sent, [same.pop() if same else None for same in known]))
    return gold_tags


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
            scored. They are None where no constituent has a tag.
        """
        groups = {f"{name}_": PRFScore() for name in self._names}
        total, by_tag = PRFScore(), defaultdict[str, PRFScore](PRFScore)
        rights: list[bool] = []
        for example in examples:
            for sent, gold in find_gold(example):
                for own, right in zip(
                    sent.functions(example.predicted), gold, strict=True
                ):
                    rights.append(right is not None)
                    if right is None:
                        continue
                    predicted, wanted = set(own.split("-")), set(right.split("-"))
                    for tag in (predicted | wanted) - {""}:
                        group = groups[f"{self._group.get(tag, OTHER)}_"]
                        for score in (total, group, by_tag[tag]):
                            score.score_set(predicted & {tag}, wanted & {tag})
        has_gold = total.tp + total.fn > 0
        return {
            **{
                f"fun_{name}{kind[0]}": getattr(score, kind)
                if has_gold and len(score)
                else None
                for name, score in {"": total, **groups}.items()
                for kind in ("precision", "recall", "fscore")
            },
            "fun_per_tag": {tag: by_tag[tag].to_dict() for tag in sorted(by_tag)}
            if has_gold
            else None,
            "fun_right": sum(rights) / len(rights) if has_gold else None,
        }
