"""The directive `{spacy-gfl} COMMAND`: a command's reference, from its own help."""

from typing import Dict, Iterator, List

import typer
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from spacy_gfl.cli import app as cli


def describe(name: str) -> Iterator[str]:
    """The lines of Markdown that describe a command.

    Raises KeyError if there is no such command.
    """
    command = typer.main.get_command(cli.app).commands[name]
    context = command.make_context(name, [], resilient_parsing=True)
    usage = " ".join(command.collect_usage_pieces(context))
    yield from ("```text", f"spacy-gfl {name} {usage}", "```", "")
    yield from (line.strip() for line in (command.help or "").splitlines())
    yield ""
    for parameter in command.params:
        record = parameter.get_help_record(context)
        if record is not None:
            yield from (f"`{record[0].strip()}`", f": {record[1]}", "")


class CommandDirective(SphinxDirective):
    """`{spacy-gfl} COMMAND`."""

    required_arguments = 1

    def run(self) -> List[nodes.Node]:
        """Make the nodes of the description."""
        try:
            lines = list(describe(self.arguments[0]))
        except KeyError:
            raise self.error(f"spacy-gfl has no command {self.arguments[0]}") from None
        container = nodes.container()
        # Parsed in the language of the page, which is Markdown.
        self.state.nested_parse(StringList(lines, "help"), 0, container)
        return container.children


def setup(app: Sphinx) -> Dict[str, bool]:
    """Register with Sphinx."""
    app.add_directive("spacy-gfl", CommandDirective)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
