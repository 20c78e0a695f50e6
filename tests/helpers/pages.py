"""The code blocks of a Markdown page, and running those in Python from top to bottom.

    python tests/helpers/pages.py PAGE.md

runs every ```python block of a page in one namespace, and exits with an error where
one raises or prints something else than the page says it does. A page says so by

- a ```text block right after a ```python block: all that the block prints;
- comments right under an expression: what it prints or else gives.

`...` stands for anything, as in doctest. `<!-- skip: reason -->` on the line before a
block leaves it out.
"""

import ast
import io
import re
import sys
from contextlib import redirect_stdout
from doctest import ELLIPSIS, OutputChecker
from itertools import zip_longest
from pathlib import Path
from typing import Any, Dict, Iterator, List, NamedTuple, Optional, Tuple

_BLOCK = re.compile(
    r"^(?:<!-- skip: (?P<reason>[^\n]+) -->\n)?"
    r"```(?P<language>[^\n`]*)\n(?P<code>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)


class Block(NamedTuple):
    """A code block: its language, its text, and the line where the text begins.

    output: The ```text block that follows it with nothing between.
    reason: Why it is not to be run.
    """

    language: str
    code: str
    line: int
    output: Optional[str]
    reason: Optional[str]


class PageError(Exception):
    """Raised where a page does not do what it says."""


def read_blocks(page: Path) -> List[Block]:
    text = page.read_text(encoding="utf-8")
    matches = list(_BLOCK.finditer(text))
    blocks = []
    for match, after in zip_longest(matches, matches[1:]):
        output = None
        if after is not None and after["language"] == "text":
            adjacent = not text[match.end() : after.start()].strip()
            output = after["code"] if adjacent else None
        line = text.count("\n", 0, match.start("code")) + 1
        found = match["language"], match["code"], line, output, match["reason"]
        blocks.append(Block(*found))
    return blocks


def run_page(page: Path) -> None:
    """Run a page's Python. Raises PageError, or what the page raises."""
    namespace: Dict[str, Any] = {"__name__": "__main__"}
    for block in read_blocks(page):
        if block.language == "python" and block.reason is None:
            printed = "".join(_run_block(block, page, namespace))
            if block.output is not None:
                _compare(block.output, printed, page=page, line=block.line)


def _run_block(block: Block, page: Path, namespace: Dict[str, Any]) -> Iterator[str]:
    """Run a block's statements one by one; gives what each prints."""
    lines = block.code.splitlines()
    for statement, promise in _statements(block.code, lines):
        is_expression = isinstance(statement, ast.Expr)
        ast.increment_lineno(statement, block.line - 1)
        body: Any = (
            ast.Expression(statement.value)
            if isinstance(statement, ast.Expr)
            else ast.Module([statement], [])
        )
        code = compile(body, str(page), "eval" if is_expression else "exec")
        with redirect_stdout(io.StringIO()) as stream:
            value = eval(code, namespace)
        printed = stream.getvalue()
        if promise is not None and is_expression:
            shown = {printed} if printed else {f"{value}\n", f"{value!r}\n"}
            _compare(promise, *shown, page=page, line=statement.lineno)
        yield printed


def _statements(
    code: str, lines: List[str]
) -> Iterator[Tuple[ast.stmt, Optional[str]]]:
    """Each statement, with the text of the comments right under it."""
    for statement in ast.parse(code).body:
        comments: List[str] = []
        for line in lines[statement.end_lineno :]:
            if not line.startswith("#"):
                break
            comments.append(line.removeprefix("#").removeprefix(" ") + "\n")
        yield statement, "".join(comments) or None


def _compare(wanted: str, *found: str, page: Path, line: int) -> None:
    checker = OutputChecker()
    if not any(checker.check_output(wanted, text, ELLIPSIS) for text in found):
        raise PageError(
            f"{page}:{line}: the page says\n{wanted}\nbut it is\n{found[0]}"
        )


if __name__ == "__main__":
    for name in sys.argv[1:]:
        run_page(Path(name))
