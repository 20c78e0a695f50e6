"""Give a trained parser features of words beside the word vectors that it has.

    python scripts/add_word_features.py PARSER OUT TREES...

The weights of what is new begin at 0, so that trees stay as they are until the parser
is trained on. A parser on a transformer that reads small letters learns so what
capitals and endings tell, and with `--attr TAG` one learns from gold tags. The words
and characters of the features are chosen from TREES, which are .spacy files.
"""

import argparse
from pathlib import Path
from typing import Any

import spacy
from spacy.language import Language
from spacy.util import load_model_from_config
from torch.nn import functional

from spacy_gfl.data.corpus import TreebankCorpus
from spacy_gfl.parser.model import parser_shim

PARSER, TRANSFORMER = "constituency_parser", "transformer"


def grown(name: str, layer: dict[str, Any], corpus: TreebankCorpus) -> Language:
    """The parser of a pipeline, and its transformer, with a layer beside its own.

    Args:
        name: The pipeline.
        layer: The config of the layer.
        corpus: What the layer chooses its words from.
    """
    old = spacy.load(name)
    config = old.config.copy()
    parser = config["components"][PARSER]
    parser["model"]["tok2vec"] = {
        "@layers": "concatenate.v1",
        "*": {"first": parser["model"]["tok2vec"], "words": layer},
    }
    components: dict[str, Any] = {"sentencizer": {"factory": "sentencizer"}}
    if TRANSFORMER in old.pipe_names:
        components[TRANSFORMER] = {"source": name}
    config["components"] = {**components, PARSER: parser}
    config["nlp"]["pipeline"] = list(config["components"])
    config["initialize"] = {"components": {}}
    nlp = load_model_from_config(config, vocab=old.vocab, auto_fill=True)
    before, after = (pipeline.get_pipe(PARSER) for pipeline in (old, nlp))
    tok2vec = before.model.get_ref("tok2vec")
    *kept, _ = after.model.get_ref("tok2vec").layers
    # If the parser concatenates already, thinc adds the layer to what is concatenated.
    pairs = list(zip(kept, tok2vec.layers if len(kept) > 1 else [tok2vec], strict=True))
    for new, known in pairs:
        new.set_dim("nO", known.get_dim("nO"))
    after.initialize(lambda: list(corpus(nlp)), nlp=nlp, labels=before.label_data)
    for new, known in pairs:
        new.from_bytes(known.to_bytes())
    trained = parser_shim(before.model)._model.state_dict()
    module = parser_shim(after.model)._model
    for key, weights in module.state_dict().items():
        # The new features are the last columns of the encoder's first weights.
        added = weights.shape[-1] - trained[key].shape[-1] if weights.dim() else 0
        weights.copy_(
            functional.pad(trained[key], (0, added)) if added else trained[key]
        )
    return nlp


def main() -> None:
    """Write the pipeline with the parser that has grown."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parser", help="pipeline with a parser")
    parser.add_argument("out", type=Path, help="folder for the pipeline")
    parser.add_argument("trees", type=Path, nargs="+", help=".spacy files")
    parser.add_argument("--attr", default="LOWER", help="what has a trained vector")
    parser.add_argument("--word-width", type=int, default=64)
    parser.add_argument("--char-width", type=int, default=32)
    parser.add_argument("--char-features", type=int, default=64)
    parser.add_argument("--min-frequency", type=int, default=3)
    arguments = parser.parse_args()
    layer = {
        "@architectures": "spacy_gfl.WordFeatures.v1",
        "include_static_vectors": False,
        # The optimizer's rate is the transformer's.
        "learn_rate_factor": 10.0,
    }
    for name in ("attr", "word_width", "char_width", "char_features", "min_frequency"):
        layer[name] = getattr(arguments, name)
    paths = {str(path): path for path in arguments.trees}
    corpus = TreebankCorpus(paths=paths, gold_tags=True)
    grown(arguments.parser, layer, corpus).to_disk(arguments.out)


if __name__ == "__main__":
    main()
