"""Commands, as they are typed."""

import re
from typing import Any

from click.testing import Result
from typer.testing import CliRunner

from spacy_gfl.cli.app import app


def run(*words: Any, stdin: Any = None, columns: int = 80, **settings: Any) -> Result:
    """Run a command; an error is in the result."""
    runner = CliRunner(env={"COLUMNS": str(columns)})
    return runner.invoke(app, list(map(str, words)), input=stdin, **settings)


def done(*words: Any, **settings: Any) -> Result:
    """Run a command that is to succeed."""
    result = run(*words, **settings)
    assert result.exit_code == 0, result.output
    return result


def rows(output: str) -> dict[str, list[str]]:
    """The rows of all printed tables by their first cell."""
    split = [re.split(r"\s{2,}", line) for line in output.splitlines()]
    return {first: cells for first, *cells in split}
