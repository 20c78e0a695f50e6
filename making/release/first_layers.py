"""Make a pipeline on the first layers of another's transformer, to train on.

The transformer keeps the word pieces that the given files use four times; a word of
others is parted into more and shorter pieces. The rest of the parser stays as it is.

    python first_layers.py training/teacher/model-best training/six-layers \
        corpus/sentences/train-*.spacy corpus/text.spacy --layers 6
"""

from collections import Counter
from pathlib import Path
from typing import Annotated

import spacy
import typer

from spacy_gfl import get_parser
from spacy_gfl.model.weights import build_filled
from spacy_gfl.tools.treebanks.formats import docbin
from spacy_gfl.transformer.pretrained_encoder import TransformerEncoder


def main(
    source: Annotated[Path, typer.Argument(help="A pipeline on a transformer.")],
    target: Annotated[Path, typer.Argument(help="Where the pipeline is written.")],
    files: Annotated[list[Path], typer.Argument(help=".spacy files of its language.")],
    layers: Annotated[int, typer.Option(help="Layers that stay.", min=1)],
    least: Annotated[int, typer.Option(help="Uses of a word piece that stays.")] = 4,
) -> None:
    """Write the pipeline."""
    nlp = spacy.load(source)
    [node] = [n for n in get_parser(nlp).model.walk() if n.name == "transformer"]
    # Windows never cross sentences, of which a longer one has several.
    uses: Counter[int] = Counter()
    shim = node.shims[0]
    for file in files:
        for doc in docbin.read(file, nlp.vocab, need_trees=False):
            for window in shim.network.read([doc], len(doc) + 1, 0).windows:
                uses.update(window)
    encoder = with_first_layers(shim.network, layers)
    shim.network = encoder.trimmed({piece for piece, n in uses.items() if n >= least})
    nlp.to_disk(target)
    n_pieces = shim.network.settings["config"]["vocab_size"]
    print(f"{target}: {layers} layers, {n_pieces:,} word pieces")


def with_first_layers(encoder: TransformerEncoder, n_layers: int) -> TransformerEncoder:
    """An encoder like another, without the layers after the first so many."""
    state = {
        name: weight
        for name, weight in encoder.state_dict().items()
        if not name.startswith("encoder.layers.") or int(name.split(".")[2]) < n_layers
    }
    settings = {**encoder.settings, "n_layers": n_layers}
    made = build_filled(TransformerEncoder, settings, state)
    assert isinstance(made, TransformerEncoder)
    return made


if __name__ == "__main__":
    typer.run(main)
