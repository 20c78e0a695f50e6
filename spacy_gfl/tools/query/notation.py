"""TGrep2 patterns read from text; errors show the place.

The grammar, in which names, macros, labels and operators are tokens::

    statements = ["@ NAME"] statement {";" [["@ NAME"] statement]}
    statement  = ["'"] described
    described  = node [relations]
    node       = "(" described ")" | name ["=name"] {"|" name ["=name"]}
    relations  = relation {["&"] relation} {"|" relation {["&"] relation}}
    relation   = ["!"] (operator node | "[" relations "]")
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import regex

from spacy_gfl.tools.query.pattern_nodes import parse_operator

#: How long a pattern may be, in characters.
MAX_LENGTH = 10_000
#: How deep parentheses and brackets may be nested, and the expressions that a pattern
#: is made of; searching is recursive.
MAX_NESTING = 50
MAX_DEPTH = 200
#: The product of the numbers of repetitions in a regular expression, which `regex`
#: writes out.
MAX_REPEATS = 10_000

#: What Tregex has and these patterns have not, and what to write instead.
_TREGEX = {
    r"N\(": "write the path from the root, as in * >2 (* >1 (* !> *))",
    r"~": 'write the label of the other node again; quote a word: "~"',
    r"_ROOT_(?!\w)": "the root is * !> *",
    r"(?<=[/\w*])\#\d+%": "write both labels, joined by |",
    r"[<>.,]\+(?=\()": "write the chain, as in [< B | < (C < B)]",
    r"[<>]\.\.\.": "write each child with its own relation: A < B < C",
    r"[<>]{3}": "write << and the word, or <<, and <<' for the first and the last",
    r"==": "write the conditions of a node after its label, or A|B",
    r"[<>]=": "write both cases, as in [< B | << B]",
    r"[<>]{1,2}`": "write ' for the last",
}
#: The same of what is no mistake by itself, but where it stands.
_MISPLACED = {
    "!": "for any label but NP, write /^(?!NP$)/",
    "?": "leave an optional relation out, since it changes nothing",
    ":": "write further conditions of a node in parentheses after its label",
    "=": "a name only captures a node: write its conditions at the node itself",
}
_NAME = r"[^\]\[\s;:.,&|<>()$!@%'^=]+"
_TOKEN = re.compile(
    rf"""
    (?P<foreign>    {"|".join(_TREGEX)} )
  | (?P<space>      \s+ | \#[^\n]* )
  | (?P<definition> @\s+{_NAME} )
  | (?P<macro>      @{_NAME} )
  | (?P<label>      =\w+ )
  | (?P<quoted>     (?:i@)?"(?:[^"\\\r\n]|\\.)*" )
  | (?P<regex>      (?:i@)?/(?:[^/\\\r\n]|\\.)*/ )
  | (?P<name>       (?!i@|["/]){_NAME} )
  | (?P<operator>   [$%](?:\+\+?|--?) | [<>]{{1,2}}\# | [$%,.<>][%,.<>0-9\-':]* )
  | (?P<mark>       [!()\[\]|&;:'] )
    """,
    re.VERBOSE,
)
_NODES = ("macro", "quoted", "regex", "name")
_RELATIONS = ("operator", "!", "[")
_RELATION = "a relation (such as <)"
#: No tree has so many nodes, and Python reads no number of thousands of digits.
_LONG_NUMBER = re.compile(r"\d{10}")
_Kind: TypeAlias = Literal["named", "all", "any", "not", "related", "capture"]


class PatternError(ValueError):
    """Raised for what is no TGrep2 pattern; its text shows where.

    Attributes:
        pattern: The pattern.
        offset: The place of the mistake in it, in characters from 0.
        reason: What is wrong there.
    """

    def __init__(self, pattern: str, offset: int, reason: str) -> None:
        super().__init__(pattern, offset, reason)
        self.pattern, self.offset, self.reason = pattern, offset, reason

    def __str__(self) -> str:
        *before, start = self.pattern[: self.offset].split("\n")
        rest = self.pattern[self.offset :].partition("\n")[0]
        shown = (start + rest).replace("\t", " ")
        line = f" of line {len(before) + 1}" if before else ""
        return (
            f"This is not a TGrep2 pattern: {self.reason} (column "
            f"{len(start) + 1}{line}).\n    {shown}\n    {' ' * len(start)}^"
        )


class Expression:
    """A part of a pattern, which holds of some nodes of a tree.

    Attributes:
        kind: Which nodes the expression holds of. `named`: nodes whose label equals
            the value (a string) or contains a match of it (a regular expression).
            `all`, `any`, `not`: nodes that all, any or none of the parts hold of.
            `related`: nodes that stand in the Relation `value` to a node that the part
            holds of.
        parts: The expressions inside.
        value: A label, pattern, Relation or name, as the kind says.
        depth: How many expressions are nested, this one included.
        captures: Whether it or a part of it names a node.
    """

    def __init__(
        self, kind: _Kind, parts: Sequence["Expression"] = (), value: Any = None
    ) -> None:
        self.kind, self.parts, self.value = kind, parts, value
        self.depth: int = 1 + max((part.depth for part in parts), default=0)
        self.captures: bool = kind == "capture" or any(p.captures for p in parts)

    def names(self) -> Iterator[str]:
        """The labels, tags and words that it and its parts name."""
        if self.kind == "named" and isinstance(self.value, str):
            yield self.value
        for part in self.parts:
            yield from part.names()


def parse_macros(text: str) -> dict[str, Expression]:
    """Read macros alone: their names and what they stand for.

    Raises:
        PatternError: The text is no macros, or has a pattern beside them.
    """
    parser = _Parser(text)
    parser.statements(macros_only=True)
    return parser.macros


def parse_pattern(
    text: str, macros: Mapping[str, Expression] | None = None
) -> Expression:
    """Read a pattern, which may name macros that are given.

    Raises:
        PatternError: The text is no pattern.
    """
    if len(text) > MAX_LENGTH:
        reason = f"it has {len(text):,} characters, more than {MAX_LENGTH:,}"
        raise PatternError(text[:50], 0, reason)
    parser = _Parser(text, macros)
    statements = parser.statements()
    if parser.at == 0:
        raise PatternError(text, 0, "it is empty")
    if not statements:
        reason = "a macro alone finds nothing: add ; and a pattern"
        raise parser.error(reason, parser.next)
    pattern = _join("any", statements)
    if pattern.depth > MAX_DEPTH:
        reason = f"its parts are nested more than {MAX_DEPTH} deep"
        raise PatternError(text, 0, reason)
    return pattern


class _Token(NamedTuple):
    """A piece of a pattern. A mark (bracket, `|`, ...) is a kind of its own."""

    kind: str
    text: str
    start: int

    @property
    def name(self) -> str:
        """The name that a macro, definition or label is about."""
        return self.text[1:].lstrip()

    def touches(self, following: "_Token") -> bool:
        """Whether it is a node's and the next token follows without a space."""
        return self.kind in _NODES and self.start + len(self.text) == following.start


def _tokens(pattern: str) -> Iterator[_Token]:
    """The tokens without white space and comments, and an empty one at the end."""
    position = 0
    while position < len(pattern):
        match = _TOKEN.match(pattern, position)
        if match is None:
            raise PatternError(pattern, position, _why_no_token(pattern[position:]))
        kind, position = str(match.lastgroup), match.end()
        token = _Token(match[0] if kind == "mark" else kind, match[0], match.start())
        if kind == "operator" and _LONG_NUMBER.search(match[0]):
            raise PatternError(pattern, match.start(), "a number has 10 digits or more")
        if kind == "foreign":
            at = match.start()
            known = (one for one in _TREGEX if re.compile(one).match(pattern, at))
            reason = f"there is no {match[0]}: {_TREGEX[next(known)]}"
            raise PatternError(pattern, at, reason)
        if kind != "space":
            yield token
    yield _Token("end", "", len(pattern.rstrip()))


def _why_no_token(rest: str) -> str:
    for quote, what in (('"', "quoted name"), ("/", "regular expression")):
        if rest.startswith((quote, f"i@{quote}")):
            return f"this {what} has no closing {quote}"
    if rest.startswith("i@"):
        return 'i@ needs a quoted name or a regular expression after it: i@"word"'
    if rest[0] in "=@":
        return f"{rest[0]} needs a name right after it"
    return f'{rest[0]} means nothing here; to use it in a name, put the name into "..."'


class _Parser:
    """Reads a pattern, a method for each line of its grammar."""

    def __init__(
        self, text: str, macros: Mapping[str, Expression] | None = None
    ) -> None:
        self.text = text
        self.tokens = list(_tokens(text))
        self.at = 0
        self.depth = 0
        self.macros = dict(macros or {})

    @property
    def next(self) -> _Token:
        return self.tokens[self.at]

    def take(self, *kinds: str) -> _Token | None:
        """Go past the next token if it is of one of these kinds."""
        if self.next.kind not in kinds:
            return None
        self.at += 1
        return self.tokens[self.at - 1]

    def error(self, reason: str, token: _Token) -> PatternError:
        return PatternError(self.text, token.start, reason)

    def unexpected(self, wanted: str) -> PatternError:
        """The error that something else is wanted where the next token stands."""
        token = self.next
        if token.kind in (")", "]"):
            return self.error(f"{token.text} closes nothing", token)
        here = f"{token.text} stands here" if token.text else "the pattern ends"
        reason = f"{wanted} is expected, but {here}"
        if self.at:
            before = self.tokens[self.at - 1]
            reason = f"after {before.text} {reason}"
            node = self.tokens[max(self.at - 2, 0)]
            if before.kind == "operator" and node.touches(before):
                name = node.text.removesuffix("\\") + before.text
                reason += f'; quote a name that has {before.text} in it: "{name}"'
        if advice := _MISPLACED.get(token.text[:1]):
            reason += f"; {advice}"
        return self.error(reason, token)

    def statements(self, *, macros_only: bool = False) -> list[Expression]:
        """Read all macros and patterns, if these may be there; the patterns."""
        patterns = []
        while self.next.kind != "end":
            macro = self.take("definition")
            if macros_only and not macro:
                raise self.error("a macro needs @, a name and a pattern", self.next)
            if macro and macro.name in self.macros:
                raise self.error(f"the macro {macro.name} is defined twice", macro)
            statement = self.statement()
            if macro:
                self.macros[macro.name] = statement
            else:
                patterns.append(statement)
            if self.next.kind not in (";", "end"):
                raise self.unexpected(_RELATION)
            while self.take(";"):
                pass
        return patterns

    def statement(self) -> Expression:
        # In tgrep it marks the node to find, which here is always the first.
        self.take("'")
        return self.described(self.node())

    def described(self, node: Expression) -> Expression:
        """A node, and the relations after it if there are any."""
        if self.next.kind not in _RELATIONS:
            return node
        return Expression("all", [node, self.relations()])

    def node(self) -> Expression:
        if bracket := self.take("("):
            return self.inside(bracket, ")", lambda: self.described(self.node()))
        options, n_named = [self.name()], 0
        while True:
            if label := self.take("label"):
                named = _join("any", options[n_named:])
                options[n_named:] = [Expression("capture", [named], label.name)]
                n_named = len(options)
            if self.next.kind != "|" or self.tokens[self.at + 1].kind in _RELATIONS:
                return _join("any", options)
            self.at += 1
            options.append(self.name())

    def relations(self) -> Expression:
        options = [[self.relation()]]
        while True:
            if self.take("|"):
                options.append([self.relation()])
            elif self.take("&") or self.next.kind in _RELATIONS:
                options[-1].append(self.relation())
            else:
                return _join("any", [_join("all", option) for option in options])

    def relation(self) -> Expression:
        is_denied = self.take("!")
        if bracket := self.take("["):
            expression = self.inside(bracket, "]", self.relations)
        elif operator := self.take("operator"):
            relation = parse_operator(operator.text)
            if relation is None:
                raise self.error(f"there is no operator {operator.text}", operator)
            expression = Expression("related", [self.node()], relation)
        else:
            raise self.unexpected("a relation")
        return Expression("not", [expression]) if is_denied else expression

    def inside(
        self, bracket: _Token, closing: str, read: Callable[[], Expression]
    ) -> Expression:
        self.depth += 1
        if self.depth > MAX_NESTING:
            reason = f"brackets are nested more than {MAX_NESTING} deep"
            raise self.error(reason, bracket)
        inside = read()
        if self.next.kind == "end":
            raise self.error(f"{bracket.text} is not closed", bracket)
        if not self.take(closing):
            raise self.unexpected(_RELATION)
        self.depth -= 1
        return inside

    def name(self) -> Expression:
        token = self.take(*_NODES)
        if token is None:
            raise self.unexpected("a node")
        if token.kind == "macro":
            if token.name not in self.macros:
                reason = f"the macro {token.name} is not defined before this"
                reason += f"; to find labels that begin so, write /^{token.name}\\b/"
                raise self.error(reason, token)
            return self.macros[token.name]
        if token.text in ("*", "__"):
            return Expression("all")
        flags = regex.I if token.text.startswith("i@") else 0
        text = token.text.removeprefix("i@")
        if token.kind == "regex":
            try:
                return Expression("named", value=_compile(text[1:-1], flags))
            except (regex.error, RecursionError, ValueError, OverflowError) as error:
                reason = f"this regular expression is not allowed ({error})"
                raise self.error(reason, token) from None
        if token.kind == "quoted":
            text = re.sub(r"\\(\W)", r"\1", text[1:-1])
        if not flags:
            return Expression("named", value=text)
        folded = regex.compile(rf"\A{regex.escape(text)}\Z", flags)
        return Expression("named", value=folded)


def _compile(expression: str, flags: int) -> Any:
    """Compile a regular expression, unless it could take all memory."""
    if re.search(r"\(\?(?:R|&|P>|[+-]?\d)", expression):
        raise ValueError("it must not call itself or its groups")
    counts = map(int, re.findall(r"\{\s*(\d{1,9})", expression))
    if math.prod(max(count, 1) for count in counts) > MAX_REPEATS:
        raise ValueError(f"it must not repeat a part {MAX_REPEATS:,} times")
    return regex.compile(expression, flags)


def _join(kind: Literal["all", "any"], parts: list[Expression]) -> Expression:
    return parts[0] if len(parts) == 1 else Expression(kind, parts)
