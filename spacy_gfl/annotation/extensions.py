"""Trees read off a Doc, its spans and its tokens: `span._.parse_string`.

Names and meanings are those of benepar 0.2, so that its users change one line:

- `Span._.labels, parse_string, constituents, children, parent`, and
  `Token._.labels, parse_string, parent` for the span of one token;
- beyond benepar, `Doc._.parse_strings, phrases(...)`, `Span._.parse_tree, height,
  depth, phrases(...), head, semantic_head` and `Token._.height, depth`.

Every answer is read from `doc.spans["constituents"]` when it is asked for, or
compared with it, so none is ever out of date.

White-space tokens are no words. A span that begins or ends with some counts as
its words; a span of nothing else has no labels, constituents, children, parent or
phrases, and "" for its brackets. Spans that are returned begin and end with words;
only those of `phrases` carry a label, the others none, like benepar's.

Installing never replaces an attribute that another package has set. benepar
itself refuses to load where the names are taken: import it first, or call
`remove_extensions` before.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from spacy.tokens import Doc, Span, Token

from spacy_gfl.annotation.heads import span_head
from spacy_gfl.annotation.nodes import Extent, NonConstituentException, locate
from spacy_gfl.annotation.phrases import doc_phrases, span_phrases
from spacy_gfl.annotation.storage import get_trees
from spacy_gfl.trees.tree import ROOT_LABEL, Tree

if TYPE_CHECKING:
    import nltk

__all__ = [
    "NonConstituentException",
    "remove_extensions",
    "set_extensions",
    "span_tree",
]


def labels(span: Span) -> tuple[str, ...]:
    """`Span._.labels`: the labels at exactly this extent, outermost first.

    Empty for a bare word, for a sentence whose tree is a forest, and for white
    space.

    Raises:
        NonConstituentException: The span is no constituent.
        ValueError: Its Doc has no trees. All attributes here raise both.
    """
    node = locate(span)
    return () if node is None else node.labels()


def parse_string(span: Span) -> str:
    """`Span._.parse_string`: the constituent in brackets, unary labels included.

    Each word stands under its tag, or under XX where it has none. As in
    `Tree.brackets`, a sentence without one outermost constituent is written
    under TOP, and brackets and white space in words are escaped.
    """
    return span_tree(span).brackets()


def parse_tree(span: Span) -> nltk.Tree:
    """`Span._.parse_tree`: what `parse_string` writes, as an `nltk.Tree`.

    Its leaves are the words, unescaped. White space gives TOP without children.
    """
    tree = span_tree(span)
    if len(tree):
        return tree.to_nltk()
    import nltk

    return nltk.Tree(ROOT_LABEL, [])


def constituents(span: Span) -> Iterator[Span]:
    """`Span._.constituents`: all constituents in the span, in pre-order.

    The span itself is the first, and every single word is among them. A unary
    chain is one span.
    """
    node = locate(span)
    extents = [] if node is None else node.extents()
    return (span.doc[start:end] for start, end in extents)


def children(span: Span) -> Iterator[Span]:
    """`Span._.children`: the immediate constituents, left to right.

    Single words are among them. A span of one word has no children.
    """
    node = locate(span)
    extents = [] if node is None else node.extents()[1:]
    found: list[Extent] = []
    for start, end in extents:
        # In pre-order a child comes before whatever lies inside it.
        if not found or start >= found[-1][1]:
            found.append((start, end))
    return (span.doc[start:end] for start, end in found)


def parent(span: Span) -> Span | None:
    """`Span._.parent`: the smallest larger constituent, None for a sentence."""
    node = locate(span)
    return None if node is None else node.parent()


def height(span: Span) -> int:
    """`Span._.height`: the steps from its outermost label down to the deepest tag.

    0 for a bare word and for white space, 1 for `(NP (DT the) (NN dog))`. Every
    label of a unary chain is a step, and so is the TOP that `parse_string` writes
    over a sentence without one outermost constituent; a word is not apart from its
    tag. Two less than `span._.parse_tree.height()`, which counts nodes, and the
    word as one.
    """
    node = locate(span)
    return 0 if node is None else node.height()


def depth(span: Span) -> int:
    """`Span._.depth`: the number of labels over larger extents that hold it.

    That is, the steps from the top of the sentence, as in `height`, down to its
    outermost label: 0 for a sentence and for white space, 1 for the NP in
    `(S (NP (NN tea)) ...)`. It is the number of its parents (`Span._.parent`) if
    none is a unary chain.
    """
    node = locate(span)
    return 0 if node is None else node.depth()


def head(span: Span) -> Token | None:
    """`Span._.head`: the head word by Collins' rules, None for white space.

    Of a sentence of several constituents, the first that is not punctuation has
    it.
    """
    return span_head(span, "collins")


def semantic_head(span: Span) -> Token | None:
    """`Span._.semantic_head`: the head word by the semantic rules; as `head`."""
    return span_head(span, "semantic")


def token_labels(token: Token) -> tuple[str, ...]:
    """`Token._.labels`: the labels over this token alone, outermost first."""
    return labels(_one_token(token))


def token_parse_string(token: Token) -> str:
    """`Token._.parse_string`: the token in brackets, with its unary labels."""
    return parse_string(_one_token(token))


def token_parent(token: Token) -> Span | None:
    """`Token._.parent`: the smallest constituent larger than the token."""
    return parent(_one_token(token))


def token_height(token: Token) -> int:
    """`Token._.height`: the number of labels over this token alone."""
    return height(_one_token(token))


def token_depth(token: Token) -> int:
    """`Token._.depth`: the number of labels over more than this token."""
    return depth(_one_token(token))


def parse_strings(doc: Doc) -> list[str]:
    """`Doc._.parse_strings`: each sentence's tree in brackets.

    "" stands for a sentence of white space.

    Raises:
        ValueError: The Doc has no trees or no sentences.
    """
    return [tree.brackets() for tree in get_trees(doc)]


def span_tree(span: Span) -> Tree:
    """The tree over a constituent's words. Raises as `labels` does."""
    node = locate(span)
    return Tree.flat((), ()) if node is None else node.tree()


def _one_token(token: Token) -> Span:
    return token.doc[token.i : token.i + 1]


class _Attribute(NamedTuple):
    """An attribute of spaCy's objects: a value (a getter's) or a method.

    Its function is at module level, so that it pickles.
    """

    owner: Any
    name: str
    function: Callable[..., Any]
    is_method: bool = False


_ATTRIBUTES: tuple[_Attribute, ...] = (
    _Attribute(Doc, "parse_strings", parse_strings),
    _Attribute(Doc, "phrases", doc_phrases, is_method=True),
    _Attribute(Span, "labels", labels),
    _Attribute(Span, "parse_string", parse_string),
    _Attribute(Span, "parse_tree", parse_tree),
    _Attribute(Span, "constituents", constituents),
    _Attribute(Span, "children", children),
    _Attribute(Span, "parent", parent),
    _Attribute(Span, "height", height),
    _Attribute(Span, "depth", depth),
    _Attribute(Span, "phrases", span_phrases, is_method=True),
    _Attribute(Span, "head", head),
    _Attribute(Span, "semantic_head", semantic_head),
    _Attribute(Token, "labels", token_labels),
    _Attribute(Token, "parse_string", token_parse_string),
    _Attribute(Token, "parent", token_parent),
    _Attribute(Token, "height", token_height),
    _Attribute(Token, "depth", token_depth),
)
# Warnings already given: each is given once.
_warned: set[str] = set()


def set_extensions(force: bool = False) -> None:
    """Install the attributes on Doc, Span and Token; again does no harm.

    Args:
        force: Replace attributes of the same names that another package has set.
            Without it they stay, and a UserWarning names them, once.
    """
    taken: dict[str, list[str]] = {}
    for owner, name, function, is_method in _ATTRIBUTES:
        package = _package_of(owner.get_extension(name))
        if package is None or _is_ours(package) or force:
            kind = "method" if is_method else "getter"
            owner.set_extension(name, force=True, **{kind: function})
        else:
            taken.setdefault(str(package), []).append(f"{owner.__name__}._.{name}")
    for package, names in taken.items():
        message = (
            f"{', '.join(names)} were set by {package} and are left to it. To read "
            "spacy_gfl's trees through them, call spacy_gfl.set_extensions(force=True)."
        )
        if message not in _warned:
            _warned.add(message)
            warnings.warn(message, UserWarning, stacklevel=2)


def remove_extensions() -> None:
    """Remove the attributes that set_extensions has installed, and no others."""
    for attribute in _ATTRIBUTES:
        package = _package_of(attribute.owner.get_extension(attribute.name))
        if package is not None and _is_ours(package):
            attribute.owner.remove_extension(attribute.name)


def _package_of(extension: tuple[Any, ...] | None) -> str | None:
    """The module that an attribute's functions come from, None without one."""
    if extension is None:
        return None
    _, method, getter, setter = extension
    function = getter or method or setter
    return str(getattr(function, "__module__", None) or "other code")


def _is_ours(module: str) -> bool:
    return module.split(".")[0] == __name__.split(".")[0]
