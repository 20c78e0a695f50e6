"""What may be drawn, as the trees and matrices that are drawn."""

from typing import Any, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Tuple

import nltk
import numpy
from spacy.tokens import Doc, Span

from spacy_gfl.annotation.extensions import span_tree
from spacy_gfl.annotation.storage import get_trees, sentences, word_indices
from spacy_gfl.pictures.options import AttentionOptions
from spacy_gfl.trees.tree import Tree


class TreeInput(NamedTuple):
    """A tree, and whether its language is written from right to left."""

    tree: Tree
    rtl: bool = False


class AttentionInput(NamedTuple):
    """A matrix `(symbols, words)`, and what its rows and columns stand for."""

    words: List[str]
    symbols: List[str]
    weights: numpy.ndarray


def as_list(docs: Any) -> List[Any]:
    """One thing to draw, or several, as a list.

    Raises TypeError for a string, which is no tree.
    """
    if isinstance(docs, (str, bytes)):
        raise TypeError(
            "A string is not drawn: parse text with a pipeline, or brackets with "
            "spacy_gfl.trees.brackets.parse_tree, and render what comes out."
        )
    # An nltk.Tree is a list itself, and a Doc can be iterated over.
    if isinstance(docs, (Doc, Span, Tree, nltk.Tree, Mapping)):
        return [docs]
    if isinstance(docs, Iterable):
        return list(docs)
    return [docs]


def tree_inputs(item: Any) -> Iterator[TreeInput]:
    """The trees of a Doc, a span or a tree; none for what has no words.

    Raises ValueError where there is no tree, TypeError for anything else.
    """
    if isinstance(item, Doc):
        trees = get_trees(item)
    elif isinstance(item, Span):
        trees = [span_tree(item)]
    elif isinstance(item, nltk.Tree):
        trees = [Tree.from_nltk(item)]
    elif isinstance(item, Tree):
        trees = [item]
    else:
        raise TypeError(
            "Docs, spans, spacy_gfl.Tree and nltk.Tree can be drawn, not "
            f"{type(item).__name__}."
        )
    rtl = isinstance(item, (Doc, Span)) and _is_rtl(item)
    return (TreeInput(tree, rtl) for tree in trees if len(tree))


def _is_rtl(item: Any) -> bool:
    return bool(item.vocab.writing_system.get("direction") == "rtl")


def attention_inputs(
    items: Iterable[Any], options: AttentionOptions
) -> Iterator[AttentionInput]:
    """The matrices of Docs, of sentences, or as they are given.

    Raises ValueError where there is no parser to ask or no sentence, TypeError
        for what has no attention.
    """
    asked: Dict[int, Tuple[Doc, List[numpy.ndarray]]] = {}
    for item in items:
        if isinstance(item, Mapping):
            yield _given(item)
        elif isinstance(item, (Doc, Span)):
            doc = item if isinstance(item, Doc) else item.doc
            if id(doc) not in asked:
                asked[id(doc)] = (doc, _parser(options).attention(doc))
            yield from _asked(item, asked[id(doc)][1], options)
        else:
            raise TypeError(
                "Docs, sentences and dictionaries of words, symbols and weights have "
                f"attention to draw, not {type(item).__name__}."
            )


def _given(item: Mapping[str, Any]) -> AttentionInput:
    if missing := [name for name in AttentionInput._fields if name not in item]:
        raise ValueError(f"The attention given has no {' and no '.join(missing)}.")
    return AttentionInput(*(item[name] for name in AttentionInput._fields))


def _parser(options: AttentionOptions) -> Any:
    if options.parser is None:
        raise ValueError(
            "Which attention? Name the component that parsed the Doc: "
            'options={"parser": nlp.get_pipe("constituency_parser")}.'
        )
    if not hasattr(options.parser, "attention"):
        raise ValueError(
            f"options['parser'] is a {type(options.parser).__name__}, which has no "
            "attention; it takes nlp.get_pipe(...) of a constituency_parser."
        )
    return options.parser


def _asked(
    item: Any, matrices: List[numpy.ndarray], options: AttentionOptions
) -> Iterator[AttentionInput]:
    doc = item if isinstance(item, Doc) else item.doc
    found = False
    for sent, tree, weights in zip(
        sentences(doc), get_trees(doc), matrices, strict=True
    ):
        if isinstance(item, Span) and (sent.start, sent.end) != (item.start, item.end):
            continue
        found = True
        if not word_indices(sent):
            continue
        if not len(weights):
            raise ValueError(
                f'The tree of "{sent.text}" has labels that the parser does not know, '
                "so there is no attention to them."
            )
        linearization = options.parser.linearization
        symbols = [linearization.symbols[i] for i in linearization.encode(tree)]
        yield AttentionInput(list(tree.words), symbols, weights)
    if not found and isinstance(item, Span):
        raise ValueError(f'Attention is that of a sentence, and "{item.text}" is none.')
