"""What is wrong with a TGrep2 pattern, and where; and the same for nltk to read.

`nltk.tgrep` reads and evaluates patterns. Its parser says where it stopped, which
is often far from the mistake, and lets some mistakes through to the search. So
patterns are checked here first, token by token.
"""

import re
from bisect import bisect_right
from typing import Dict, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple

#: How deep parentheses and brackets may be nested; nltk's limit.
MAX_NESTING = 50

_NAME = r"[^\]\[ \t\r\n;:.,&|<>()$!@%'^=]+"
_TOKEN = re.compile(
    rf"""
    (?P<space>      [ \t\r\n]+ | \#[^\n]* )
  | (?P<definition> @[ \t\r\n]+{_NAME} )
  | (?P<macro>      @{_NAME} )
  | (?P<label>      =[A-Za-z0-9]+ )
  | (?P<node>       N\(\s*(?:\d+\s*,\s*(?:\d+\s*,?\s*)*)?\)
                  | (?:i@)?"(?:[^"\\\r\n]|\\.)*"
                  | (?:i@)?/(?:[^/\\\r\n]|\\.)*/
                  | \*
                  | (?!i@|["/]){_NAME} )
  | (?P<operator>  [$%,.<>][%,.<>0-9\-':]* )
  | (?P<mark>      [!()\[\]|&;:'] )
    """,
    re.VERBOSE,
)
_OPERATOR = re.compile(
    r"[<>](?:[,':-]|-?[1-9][0-9]*)?|<<[,':1]?|>>[,':]?|[.]{1,2}|,{1,2}"
    r"|[$%](?:[.]{1,2}|,{1,2})?"
)

_NODES = ("node", "macro", "label")
_NODE_BEGINS = frozenset({*_NODES, "(", "'"})
_RELATION_BEGINS = frozenset({"operator", "!", "["})
_STATEMENT_BEGINS = _NODE_BEGINS | {"definition"}
_AFTER_NODE = _RELATION_BEGINS | {")", "]", "|", "&", ";", ":", "end", "binding"}

#: Of each kind of token the kinds that may follow it. White space is no token.
_FOLLOWS: Dict[str, frozenset[str]] = {
    "start": _STATEMENT_BEGINS,
    ";": _STATEMENT_BEGINS | {";", "end"},
    "definition": _NODE_BEGINS,
    **dict.fromkeys(_NODES, _AFTER_NODE),
    **dict.fromkeys(("binding", ")", "]"), _AFTER_NODE - {"binding"}),
    "operator": _NODE_BEGINS,
    "'": frozenset(_NODES),
    "(": _NODE_BEGINS,
    "[": _RELATION_BEGINS,
    "!": frozenset({"operator", "["}),
    "&": _RELATION_BEGINS,
    "|": _RELATION_BEGINS | frozenset(_NODES),
    ":": frozenset({"label"}),
}
_CLOSING = {"(": ")", "[": "]"}


class PatternError(ValueError):
    """Raised for what is no TGrep2 pattern; its text shows where.

    pattern: The pattern.
    offset: The place of the mistake in it, in characters from 0.
    reason: What is wrong there.
    """

    def __init__(self, pattern: str, offset: int, reason: str) -> None:
        self.pattern, self.offset, self.reason = pattern, offset, reason
        line = pattern.count("\n", 0, offset)
        begin = pattern.rfind("\n", 0, offset) + 1
        shown = pattern[begin:].split("\n", 1)[0].replace("\t", " ")
        column = offset - begin
        at = f"column {column + 1}" + (f" of line {line + 1}" if line else "")
        super().__init__(
            f"This is no TGrep2 pattern: {reason} ({at}).\n"
            f"    {shown}\n    {' ' * column}^"
        )

    def __reduce__(self) -> Tuple[type, Tuple[str, int, str]]:
        return type(self), (self.pattern, self.offset, self.reason)


class Token(NamedTuple):
    """A piece of a pattern. A mark (bracket, `|`, ...) is a kind of its own."""

    kind: str
    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)

    @property
    def name(self) -> str:
        """The name that a macro, definition, label or binding is about."""
        return self.text[1:].lstrip()


def tokenize(pattern: str) -> List[Token]:
    """Part a pattern into tokens, without white space and comments.

    Raises PatternError where no token begins, and for anything that stands in
    the wrong place.
    """
    tokens = list(_tokens(pattern))
    if not tokens:
        raise PatternError(pattern, 0, "it is empty")
    _check_operators(pattern, tokens)
    _check_order(pattern, tokens)
    _check_nesting(pattern, tokens)
    _check_names(pattern, tokens)
    return tokens


def _tokens(pattern: str) -> Iterator[Token]:
    position = 0
    previous: Optional[Token] = None
    while position < len(pattern):
        match = _TOKEN.match(pattern, position)
        if match is None:
            raise PatternError(pattern, position, _why_no_token(pattern, position))
        kind, text = str(match.lastgroup), match[0]
        if kind == "mark":
            kind = text
        is_glued = previous is not None and previous.end == position
        if kind == "label" and is_glued and previous and previous.kind in _NODES:
            kind = "binding"
        if kind != "space":
            previous = Token(kind, text, position)
            yield previous
        position = match.end()


def _why_no_token(pattern: str, position: int) -> str:
    rest = pattern[position:]
    for quote, what in (('"', "quoted name"), ("/", "regular expression")):
        if rest.startswith((quote, f"i@{quote}")):
            return f"this {what} has no closing {quote}"
    if rest.startswith("i@"):
        return 'i@ stands before a quoted name or a regular expression: i@"word"'
    if rest[0] in "=@":
        return f"{rest[0]} needs a name right after it"
    return f'{rest[0]} means nothing here; in a name, put the name into "..."'


def _check_operators(pattern: str, tokens: Sequence[Token]) -> None:
    for token in tokens:
        if token.kind == "operator" and not _OPERATOR.fullmatch(token.text):
            raise PatternError(
                pattern, token.start, f"there is no operator {token.text}"
            )


def _check_order(pattern: str, tokens: Sequence[Token]) -> None:
    """Raise PatternError for the first token that may not follow the one before."""
    end = Token("end", "", len(pattern.rstrip()))
    before = Token("start", "", 0)
    for i, token in enumerate([*tokens, end]):
        if token.kind not in _FOLLOWS[before.kind]:
            reason = _why_not_after(before, token)
            if i > 1 and _is_inside_name(tokens[i - 2], before):
                name = tokens[i - 2].text + before.text
                reason += f'; a name with {before.text} in it is quoted: "{name}"'
            raise PatternError(pattern, token.start, reason)
        before = token


def _why_not_after(before: Token, token: Token) -> str:
    here = "the pattern ends" if token.kind == "end" else f"{token.text} stands here"
    allowed = _FOLLOWS[before.kind]
    if before.kind == ":":
        return f"after : a bound node (=name) is expected, but {here}"
    if "end" in allowed:
        return f"a relation (such as <) is expected, but {here}"
    wanted = "a node" if "node" in allowed else "a relation"
    if before.kind in ("start", "definition"):
        return f"{wanted} is expected, but {here}"
    return f"after {before.text} {wanted} is expected, but {here}"


def _is_inside_name(node: Token, operator: Token) -> bool:
    """Whether an operator stands so close that it may be meant as part of a name."""
    is_pair = node.kind == "node" and operator.kind == "operator"
    return is_pair and node.end == operator.start


def _check_nesting(pattern: str, tokens: Sequence[Token]) -> None:
    opened: List[Token] = []
    for token in tokens:
        if token.kind in _CLOSING:
            opened.append(token)
            if len(opened) > MAX_NESTING:
                reason = f"brackets are nested more than {MAX_NESTING} deep"
                raise PatternError(pattern, token.start, reason)
        elif token.kind in _CLOSING.values() and (
            not opened or _CLOSING[opened.pop().kind] != token.kind
        ):
            reason = f"{token.text} closes nothing"
            raise PatternError(pattern, token.start, reason)
    if opened:
        reason = f"{opened[-1].text} is not closed"
        raise PatternError(pattern, opened[-1].start, reason)


def _check_names(pattern: str, tokens: Sequence[Token]) -> None:
    """Raise PatternError unless macros and labels are used after they are made.

    So no macro can contain itself, at which the search would never end.
    """
    macros: Set[str] = set()
    labels: Set[str] = set()
    unfinished = ""
    for token in tokens:
        if token.kind == ";" and unfinished:
            macros.add(unfinished)
            unfinished = ""
        elif token.kind == "definition":
            if token.name in macros:
                reason = f"the macro {token.name} is defined twice"
                raise PatternError(pattern, token.start, reason)
            unfinished = token.name
        elif token.kind == "macro" and token.name not in macros:
            reason = f"the macro {token.name} is not defined before this"
            raise PatternError(pattern, token.start, reason)
        elif token.kind == "binding":
            labels.add(token.name)
        elif token.kind == "label" and token.name not in labels:
            reason = f"no node before this is bound to {token.text}"
            raise PatternError(pattern, token.start, reason)
    if unfinished:
        reason = "a macro finds nothing by itself: write ; and a pattern"
        raise PatternError(pattern, tokens[-1].end, reason)


class Rewritten(NamedTuple):
    """A pattern as nltk reads it rightly.

    text: The pattern.
    places: Of each token its place here and in the pattern that it is from.
    """

    text: str
    places: List[Tuple[int, int]]

    def original(self, offset: int) -> int:
        """The offset in the original pattern."""
        index = bisect_right(self.places, (offset, offset)) - 1
        return self.places[max(index, 0)][1]


def rewrite(tokens: Sequence[Token]) -> Rewritten:
    r"""Write a pattern so that nltk.tgrep takes it for what it means.

    - nltk binds labels to macros alone (nltk issue 1276), so every bound node
      becomes one: `NP|NX=n` is written `@ bound0 NP|NX; @bound0=n`.
    - nltk lowers the letters of `i@/\W/` itself, which then means `\w`: it is
      written `/(?i:\W)/`.
    """
    used = {token.name for token in tokens if token.kind == "definition"}
    definitions: List[str] = []
    parts: List[Token] = []
    for token in tokens:
        if token.kind == "binding" and parts[-1].kind == "node":
            start = len(parts) - 1
            while start > 1 and parts[start - 1].kind == "|":
                if parts[start - 2].kind not in _NODES:
                    break
                start -= 2
            body = "".join(part.text for part in parts[start:])
            name = f"bound{len(definitions)}"
            while name in used:
                name += "x"
            definitions.append(f"@ {name} {body};")
            parts[start:] = [Token("macro", f"@{name}", parts[start].start)]
        parts.append(token._replace(text=_text(token)))
    text = " ".join(definitions)
    places: List[Tuple[int, int]] = []
    for part in parts:
        text += "" if part.kind == "binding" else " "
        places.append((len(text), part.start))
        text += part.text
    return Rewritten(text, places)


def _text(token: Token) -> str:
    if token.kind == "definition":
        return f"@ {token.name}"
    if token.text.startswith("i@/"):
        return f"/(?i:{token.text[3:-1]})/"
    return token.text
