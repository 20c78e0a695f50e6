"""A recipe of Prodigy: trees as spans, to be corrected by hand, and back as trees.

    prodigy constituents.manual my_trees texts.jsonl en_gfl_sm -F prodigy_trees.py
    prodigy constituents.train my_trees train.spacy en_gfl_sm -F prodigy_trees.py

Tried without Prodigy, which is not free: what becomes of texts and of answers. Not
tried: that Prodigy takes the recipes, and how it shows spans within spans.
"""

from pathlib import Path
from typing import Any, Dict, Iterable, Iterator, List

import prodigy
import spacy
from prodigy.components.db import connect
from prodigy.components.stream import get_stream
from prodigy.util import set_hashes
from spacy.language import Language
from spacy.tokens import Doc, DocBin, Span

Task = Dict[str, Any]
LABELS = ["NP", "VP", "PP", "S", "SBAR", "ADJP", "ADVP"]


def tasks(nlp: Language, texts: Iterable[str], labels: List[str]) -> Iterator[Task]:
    """A task per sentence: its words, and its constituents of some labels as spans."""
    for doc in nlp.pipe(texts):
        for sent in doc.sents:
            words = [
                {
                    "text": token.text,
                    "start": token.idx - sent.start_char,
                    "end": token.idx - sent.start_char + len(token),
                    "id": token.i - sent.start,
                    "ws": bool(token.whitespace_),
                }
                for token in sent
            ]
            spans = [
                {
                    "start": span.start_char - sent.start_char,
                    "end": span.end_char - sent.start_char,
                    "token_start": span.start - sent.start,
                    "token_end": span.end - sent.start - 1,
                    "label": label,
                }
                for label in labels
                for span in sent._.phrases(label)
            ]
            yield set_hashes({"text": sent.text, "tokens": words, "spans": spans})


def tree_of(nlp: Language, answer: Task) -> Doc:
    """The best tree that has the spans of an answer as constituents."""
    words = [token["text"] for token in answer["tokens"]]
    spaces = [token["ws"] for token in answer["tokens"]]
    starts = [i == 0 for i in range(len(words))]
    doc = Doc(nlp.vocab, words=words, spaces=spaces, sent_starts=starts)
    doc.spans["constituency_required"] = [
        Span(doc, span["token_start"], span["token_end"] + 1, label=span["label"])
        for span in answer.get("spans", [])
    ]
    with nlp.select_pipes(enable="constituency_parser"):
        return nlp(doc)


@prodigy.recipe(
    "constituents.manual",
    dataset=("Where answers go", "positional", None, str),
    source=("Texts: a file of JSON lines", "positional", None, str),
    model=("A pipeline with a parser", "positional", None, str),
    label=("Labels to correct, with commas between", "option", "l", str),
)
def trees_manual(
    dataset: str, source: str, model: str = "en_gfl_sm", label: str = ",".join(LABELS)
) -> Dict[str, Any]:
    """Correct the constituents of sentences."""
    texts = (task["text"] for task in get_stream(source, input_key="text"))
    labels = label.split(",")
    return {
        "dataset": dataset,
        "view_id": "spans_manual",
        "stream": tasks(spacy.load(model), texts, labels),
        "config": {"labels": labels},
    }


@prodigy.recipe(
    "constituents.train",
    dataset=("Where answers are", "positional", None, str),
    out=("The file to write", "positional", None, Path),
    model=("A pipeline with a parser", "positional", None, str),
)
def trees_train(dataset: str, out: Path, model: str = "en_gfl_sm") -> None:
    """Write accepted answers as trees to train on."""
    nlp = spacy.load(model)
    answers = connect().get_dataset_examples(dataset)
    accepted = (one for one in answers if one["answer"] == "accept")
    DocBin(docs=[tree_of(nlp, answer) for answer in accepted]).to_disk(out)
