"""Commands, as they are typed."""

import re
from typing import Any

from click.testing import Result
from typer.testing import CliRunner

from spacy_gfl.tools.cli.app import app


def run(*words: Any, stdin: Any = None, columns: int = 80, **settings: Any) -> Result:
    """Run a command; an error is in the result."""
    runner = CliRunner(env={"COLUMNS": str(columns)})
    return runner.invoke(app, list(map(str, words)), input=stdin, **settings)


def done(*words: Any, **settings: Any) -> Result:
    """Run a command that is to succeed."""
    result = run(*words, **settings)
    assert result.exit_code == 0, result.output
    return result


def refusal(result: Result, status: int = 1) -> str:
    """The one sentence with which a command failed."""
    assert result.exit_code == status, result.output
    assert isinstance(result.exception, SystemExit), repr(result.exception)
    assert "Traceback" not in result.stderr
    *others, last = result.stderr.splitlines()
    assert last.startswith("Error: ")
    assert not any(line.startswith("Error: ") for line in others)
    return last


def rows(output: str) -> dict[str, list[str]]:
    """The rows of all printed tables by their first cell."""
    split = [re.split(r"\s{2,}", line) for line in output.splitlines()]
    return {first: cells for first, *cells in split}
