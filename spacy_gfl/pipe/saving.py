"""How the component is saved with its settings, and which settings it loads.

Settings stand in the component's `cfg`, which spaCy's base class writes beside the
model and passes to the scorer. `cfg["configured"]` has what the pipeline's config said
when the component was made. Where the config with which it is loaded says something
else, as that of `spacy.load(config=...)` does, the config wins over what is saved;
elsewhere what is saved wins, since it may have been changed by hand.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from spacy_gfl.decoding.codec import LabelDataError
from spacy_gfl.layers.process import lacks_memory
from spacy_gfl.model.model import network_shim, vocabulary_checksum


@contextmanager
def loading(parser: Any, source: str) -> Iterator[None]:
    """Let spaCy load a parser, and settle what was saved and what is configured.

    A component that is initialised already takes all that was saved. `source` names
    what is loaded.

    Raises:
        ValueError: If what is loaded is damaged, or belongs to another config.
    """
    is_new = network_shim(parser.model).network is None
    configured = parser.cfg["configured"]
    parser.cfg |= {"configured": None, "search": parser.search.model_dump()}
    try:
        yield
        # en_gfl_sm 1.8.0 has the config as it was saved.
        then = parser.cfg["configured"] or parser.cfg
        now = configured if is_new else then
        for name in ("spans_key", "predict_tags"):
            if now[name] != then[name]:
                parser.cfg[name] = now[name]
        search, before = now["search"], then["search"]
        changed = {n: v for n, v in search.items() if before.get(n) != v}
        parser.search = {**parser.cfg["search"], **changed}
        _check_vocabulary(parser)
    except LabelDataError:
        raise
    except Exception as error:
        if lacks_memory(error):
            raise
        # msgpack, zip, torch and thinc each have their own way to say so.
        raise ValueError(
            f"{source} does not have a complete {parser.name}: it is damaged, or "
            "the config.cfg of the pipeline belongs to another one. Get another "
            f"copy of the pipeline. ({str(error) or type(error).__name__})"
        ) from error
    finally:
        parser.cfg["configured"] = configured


def _check_vocabulary(parser: Any) -> None:
    """Refuse a network that was saved with other labels or tags."""
    built_for = parser.model.attrs.get("vocabulary")
    is_built = network_shim(parser.model).network is not None
    if is_built and built_for != vocabulary_checksum(parser.codec.to_json()):
        raise ValueError(
            "The labels and tags in cfg do not belong to the network in model: "
            "one of the files comes from another pipeline, or somebody has "
            "edited it."
        )
