"""TGrep2 patterns, compiled by `nltk.tgrep` and searched for in trees."""

import re
from typing import Any, Callable, Dict, List, NamedTuple, Tuple

from spacy_gfl.query.nodes import TreeNode, tree_nodes
from spacy_gfl.query.syntax import PatternError, Token, rewrite, tokenize
from spacy_gfl.trees.tree import Constituent, Tree

__all__ = ["Hit", "PatternError", "TreePattern", "hit_tree"]


class Hit(NamedTuple):
    """A node that a pattern matches.

    label: Its label; of a word, the word's tag.
    start, end: Its words, counted from 0.
    first: The index in `Tree.constituents` of the first one inside it, itself
        included, if there is any.
    """

    label: str
    start: int
    end: int
    first: int


class TreePattern:
    """A TGrep2 pattern, ready to be searched for.

    text: The pattern.
    Raises PatternError, a ValueError that shows where the pattern is wrong, and
        ImportError where pyparsing, which nltk.tgrep needs, is not installed.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._matches = _compile(text)

    def __reduce__(self) -> Tuple[type, Tuple[str]]:
        return type(self), (self.text,)

    def __repr__(self) -> str:
        return f"TreePattern({self.text!r})"

    def search(self, tree: Tree) -> List[Hit]:
        """Find the nodes that are the pattern's head.

        The tree is searched as it is printed: with words and tags, and with TOP
        where `Tree.brackets` writes it.

        Returns one hit an extent, that of the outermost node, in pre-order.
        Raises ValueError where a match comes to a label (`=name`) that it has not
            bound, TimeoutError where a regular expression takes seconds.
        """
        return self.search_nodes(tree_nodes(tree))

    def search_nodes(self, nodes: List[TreeNode]) -> List[Hit]:
        """As `search`, in the nodes that `tree_nodes` gives."""
        from nltk.tgrep import TgrepException

        found: Dict[Tuple[int, int], Hit] = {}
        try:
            for node in nodes:
                extent = (node.start, node.end)
                if extent not in found and self._matches(node):
                    shown = (node.parent() or node) if node.is_word() else node
                    found[extent] = Hit(shown.label(), *extent, node.first)
        except TgrepException as error:
            raise ValueError(
                f"The pattern {self.text} comes to a label that is not bound in "
                f"every match: {error}."
            ) from None
        return list(found.values())


def hit_tree(tree: Tree, hit: Hit) -> Tree:
    """The tree under a hit, from its node downwards."""
    nodes: List[Constituent] = []
    for label, start, end in tree.constituents[hit.first :]:
        if start >= hit.end:
            break
        nodes.append(Constituent(label, start - hit.start, end - hit.start))
    words = slice(hit.start, hit.end)
    return Tree(tree.words[words], tree.tags[words], tuple(nodes))


def _compile(text: str) -> Callable[[TreeNode], Any]:
    try:
        import pyparsing
    except ImportError as error:
        raise ImportError(
            "TGrep2 patterns need pyparsing: pip install 'nltk[tgrep]'"
        ) from error
    # Without pyparsing this import succeeds, prints a warning, and fails later.
    from nltk.tgrep import TgrepException, tgrep_compile

    tokens = tokenize(text)
    pattern = rewrite(tokens)
    try:
        compiled: Callable[[TreeNode], Any] = tgrep_compile(pattern.text)
    except pyparsing.ParseBaseException as error:
        reason = "the pattern cannot be read from here on"
        raise PatternError(text, pattern.original(error.loc), reason) from None
    except (TgrepException, re.error, ValueError) as error:
        raise _locate(text, tokens, error) from None
    except RecursionError:
        raise PatternError(text, 0, "it is too long") from None
    return compiled


def _locate(text: str, tokens: List[Token], error: Exception) -> PatternError:
    """Find the regular expression that nltk refuses; it does not say which."""
    from nltk.tgrep import tgrep_compile

    for token in tokens:
        if token.kind == "node" and token.text.endswith("/"):
            try:
                tgrep_compile(rewrite([token]).text)
            except Exception as fault:
                reason = f"this regular expression is refused ({fault})"
                return PatternError(text, token.start, reason)
    return PatternError(text, 0, str(error))
