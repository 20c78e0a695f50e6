"""`spacy-gfl correct`: trees corrected by hand, in a browser."""

import webbrowser
from contextlib import closing
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from spacy_gfl.data.docbins import DOCBIN
from spacy_gfl.pipe.pipelines import DEFAULT_MODEL
from spacy_gfl.tools.cli.app import GroupedCommand, app
from spacy_gfl.tools.cli.input_files import check_inputs, check_output, errors_said
from spacy_gfl.tools.cli.options import (
    Model,
    format_option,
    load_parser,
    option,
    output_option,
    reads_files,
)
from spacy_gfl.tools.correction.progress_files import read_sentences
from spacy_gfl.tools.correction.server import CorrectionServer
from spacy_gfl.tools.correction.session import Session
from spacy_gfl.tools.treebanks.formats import BRACKET_ENDINGS
from spacy_gfl.tools.treebanks.formats.reading import Reading

_Inputs: TypeAlias = Annotated[
    list[Path],
    typer.Argument(
        metavar="INPUT...",
        help="Files of text to parse, or of trees to show as they are.",
    ),
]
_Output: TypeAlias = Annotated[
    Path,
    output_option(
        "The file of accepted trees: .spacy, or brackets in .ptb, .mrg, .txt. "
        "Trees that it already has stay, and you do not see their sentences "
        "again."
    ),
]
_Format: TypeAlias = Annotated[
    str,
    format_option(
        "One of the formats of `parse`. auto chooses by the ending; .txt is text "
        "unless it begins with a bracket."
    ),
]


@app.command("correct", cls=GroupedCommand, no_args_is_help=True)
@errors_said()
@reads_files(_Format)
def correct_command(
    inputs: _Inputs,
    output: _Output,
    model: Model = DEFAULT_MODEL,
    *,
    reading: Reading,
    least_sure_first: Annotated[
        bool,
        option(
            "Begin with the sentences whose trees are least probable for their "
            "length. The parser parses all sentences before the page opens.",
            "--least-sure-first",
        ),
    ] = False,
    port: Annotated[
        int, option("The port of the page; 0 takes any free port.", min=0, max=65535)
    ] = 0,
    browser: Annotated[bool, option("Open the page in the browser.")] = True,
) -> None:
    """Correct trees by hand, on a page that only this machine can open.

    Click the first and the last word of a constituent to add it, or a label to change
    or remove it. The parser then parses the rest of the sentence again. Each tree is
    saved when you accept it, in the order of the input. End with Ctrl+C, and continue
    with the same command.
    """
    check_inputs(inputs)
    endings = (DOCBIN, *BRACKET_ENDINGS)
    check_output(output, inputs=inputs, endings=endings)
    nlp = load_parser(model)
    sentences = [
        sentence for path in inputs for sentence in read_sentences(nlp, path, reading)
    ]
    session = Session(nlp, sentences, output, least_sure_first=least_sure_first)
    with closing(session), _serve(session, port) as server:
        n = len(sentences)
        typer.echo(f"{n} sentence{'' if n == 1 else 's'}: {server.address}")
        typer.echo("End with Ctrl+C. Accepted trees are saved.")
        try:
            if browser:
                webbrowser.open(server.address)
            server.serve_forever()
        except KeyboardInterrupt:
            # What is being saved is saved.
            server.finish()


def _serve(session: Session, port: int) -> CorrectionServer:
    try:
        return CorrectionServer(session, port)
    except OSError as error:
        raise ValueError(
            f"Port {port} cannot be used: {error.strerror}. Name another with --port."
        ) from None
