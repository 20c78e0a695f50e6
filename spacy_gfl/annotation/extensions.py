"""The attributes on Doc, Span and Token, each by the dotted path of its function.

Registering an attribute imports nothing: its function is imported when the attribute
is first read. So the package can register what all of its rooms offer.

Installing never replaces an attribute that another package has set. benepar itself
refuses to load where the names are taken: import it first, or call `remove_extensions`
before.
"""

import warnings
from dataclasses import dataclass
from functools import cache
from pkgutil import resolve_name
from typing import Any

from spacy.tokens import Doc, Span, Token

_resolve = cache(resolve_name)


@dataclass(frozen=True)
class LazyFunction:
    """A function that is imported when it is first called. A closure does not pickle.

    Attributes:
        path: The function, as `pkgutil.resolve_name` reads it: `package.module:name`.
        of_token: The function takes a Span, and is called with the Span of one Token.
    """

    path: str
    of_token: bool = False

    def __call__(self, obj: Any, *args: Any, **kwargs: Any) -> Any:
        """Call the function with an object and further arguments."""
        if self.of_token:
            obj = obj.doc[obj.i : obj.i + 1]
        return _resolve(self.path)(obj, *args, **kwargs)


def _getters(owner: type, module: str, names: str) -> list[tuple[Any, str, Any]]:
    """Attributes whose functions have their names, in a module of the package."""
    getters = {
        name: LazyFunction(f"spacy_gfl.{module}:{name}", owner is Token)
        for name in names.split()
    }
    return [(owner, name, {"getter": getter}) for name, getter in getters.items()]


def _methods(module: str, name: str) -> list[tuple[Any, str, Any]]:
    """A method of Docs and of Spans."""
    method = LazyFunction(f"spacy_gfl.{module}:{name}")
    return [(owner, name, {"method": method}) for owner in (Doc, Span)]


_OF_SPANS = """
    labels parse_string parse_tree constituents children parent is_constituent covering
    height depth head semantic_head
"""
#: Owner, name and value of each attribute.
ATTRIBUTES: list[tuple[Any, str, dict[str, Any]]] = [
    *_getters(Doc, "annotation.attributes", "parse_strings"),
    *_getters(Span, "annotation.attributes", _OF_SPANS),
    *_getters(
        Token, "annotation.attributes", "labels parse_string parent height depth"
    ),
    *_getters(Span, "annotation.probabilities", "probability probabilities log_prob"),
    *_getters(Span, "functions.attributes", "function functions"),
    *_methods("annotation.phrases", "phrases"),
    *_methods("tools.syntax.chunks", "chunks"),
    *(
        attribute
        for owner in (Doc, Span)
        for module, names in (
            ("tools.syntax.clauses", "clauses statements"),
            ("tools.syntax.complexity", "complexity"),
            ("tools.syntax.word_syntax", "word_syntax surprisal"),
        )
        for attribute in _getters(owner, module, names)
    ),
]
# Warnings already given: each is given once.
_warned: set[str] = set()


def set_extensions(force: bool = False) -> None:
    """Install the attributes on Doc, Span and Token. Calling it again is harmless.

    Args:
        force: Replace attributes of the same names that another package has set.
            Without it they stay, and a UserWarning names them, once.
    """
    taken: dict[str, list[str]] = {}
    for owner, name, value in ATTRIBUTES:
        package = _package_of(owner.get_extension(name))
        if force or not package or _is_ours(package):
            owner.set_extension(name, force=True, **value)
        else:
            taken.setdefault(package, []).append(f"{owner.__name__}._.{name}")
    for package, names in taken.items():
        message = (
            f"{package} has already set {', '.join(names)}, and spacy_gfl leaves "
            "them as they are. To read spacy_gfl's trees through them, call "
            "spacy_gfl.set_extensions(force=True)."
        )
        if message not in _warned:
            _warned.add(message)
            warnings.warn(message, UserWarning, stacklevel=2)


def remove_extensions() -> None:
    """Remove the attributes that set_extensions has installed, and no others."""
    for owner, name, _ in ATTRIBUTES:
        if _is_ours(_package_of(owner.get_extension(name))):
            owner.remove_extension(name)


def _package_of(extension: tuple[Any, ...] | None) -> str:
    """The module that an attribute's functions come from, "" without an attribute."""
    if extension is None:
        return ""
    _, method, getter, setter = extension
    function = getter or method or setter
    return getattr(function, "__module__", None) or "other code"


def _is_ours(module: str) -> bool:
    return module.split(".")[0] == __name__.split(".")[0]
