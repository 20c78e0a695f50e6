"""Pipelines that have a constituency parser: how they are loaded, and the parser."""

from difflib import get_close_matches
from pathlib import Path
from typing import Any, cast

import spacy
from spacy.language import Language
from spacy.pipeline import AttributeRuler
from spacy.util import get_installed_models

from spacy_gfl.languages import find_language
from spacy_gfl.languages.base import UNIVERSAL
from spacy_gfl.layers.process import lacks_memory
from spacy_gfl.pipe.component import ConstituencyParser
from spacy_gfl.pipe.initialization import warn_of_ignored_sentences

#: The pipeline that commands take if they are given no other.
DEFAULT_MODEL = "en_gfl_sm"
#: spaCy's component that sets tags, and what it is called in a pipeline of a language.
RULER, UNIVERSAL_TAGS = "attribute_ruler", "universal_tags"
#: What `load_language` takes if it is given no other.
MULTILINGUAL_MODEL = "xx_gfl_trf"


def get_parsers(nlp: Language) -> dict[str, ConstituencyParser]:
    """Find the constituency parsers among a pipeline's active components, by name."""
    return {
        name: pipe
        for name, pipe in nlp.pipeline
        if isinstance(pipe, ConstituencyParser)
    }


def get_parser(nlp: Language, name: str | None = None) -> ConstituencyParser:
    """Get a pipeline's constituency parser.

    Args:
        nlp: The pipeline.
        name: The component's name. Without one, the last constituency parser.

    Raises:
        TypeError: What is given is no pipeline.
        ValueError: The pipeline has no such constituency parser.
    """
    if not isinstance(nlp, Language):
        raise TypeError(f"get_parser takes a pipeline, not a {type(nlp).__name__}.")
    parsers = [pipe for one, pipe in get_parsers(nlp).items() if name in (one, None)]
    if not parsers:
        called = "" if name is None else f" called {name}"
        raise ValueError(
            f"This pipeline has no constituency parser{called}; its components are: "
            f"{', '.join(nlp.pipe_names) or 'none'}."
        )
    return parsers[-1]


def doc_cleaners(nlp: Language) -> list[str]:
    """The names of the components that remove what a parser may listen to from Docs."""
    return [
        name
        for name in nlp.pipe_names
        if nlp.get_pipe_meta(name).factory == "doc_cleaner"
    ]


def load_language(lang: str, model: str = MULTILINGUAL_MODEL) -> Language:
    """Make a pipeline for one language from a pipeline for many.

    It has spaCy's tokenizer of the language, with the settings that the language's file
    has (`languages.base.Language.tokenizer`), and the components of the other pipeline.
    If the tokenizer sets tags of its own, as that of Japanese does, the component
    `universal_tags` replaces them by universal ones, which trees have.
    It is a pipeline as any other, which can be saved, and its Docs are of the language.

    Args:
        lang: spaCy's code, such as "de"; "xx" for spaCy's rules for all languages.
        model: The name of an installed package, or a pipeline's folder.

    Raises:
        ValueError: spaCy has no such language, its tokenizer needs a package that is
            not installed, or there is no such pipeline.
    """
    try:
        language = spacy.util.get_lang_class(lang)
    except ImportError:
        raise ValueError(
            f'spaCy has no language "{lang}". Use "xx", which has the rules for '
            "words that most languages share."
        ) from None
    words = {
        **language.default_config["nlp"]["tokenizer"],
        **find_language(lang).tokenizer,
    }
    try:
        language.from_config({"nlp": {"tokenizer": words}})
    except ImportError as error:
        raise ValueError(" ".join(str(error).split())) from None
    config = {"nlp.lang": lang, "nlp.tokenizer": words}
    nlp = load_pipeline(model, config=config, exclude=["tokenizer"])
    if any(token.tag_ for token in nlp.make_doc("1")):
        # Parsers keep the tags that are there.
        ruler = cast(AttributeRuler, nlp.add_pipe(RULER, UNIVERSAL_TAGS, first=True))
        for tag in sorted(UNIVERSAL):
            ruler.add([[{"POS": tag}]], {"TAG": tag})
    return nlp


def load_pipeline(model: str, *, need_parser: bool = True, **settings: Any) -> Language:
    """Load a pipeline.

    Args:
        model: The name of an installed package, or a pipeline's folder.
        need_parser: Refuse a pipeline without a constituency parser.
        settings: What `spacy.load` takes too.

    Raises:
        MemoryError: There is too little memory. PyTorch raises RuntimeError.
        ValueError: There is no pipeline by that name, it cannot be loaded, or it has
            no constituency parser and needs one.
    """
    try:
        nlp = spacy.load(model, **settings)
    except OSError as error:
        if Path(model).is_dir():
            inner = sorted(
                meta.parent for meta in Path(model).glob("model-*/meta.json")
            )
            trained = f". Name {inner[0]}, which is one." if inner else ""
            raise ValueError(
                f"{model} is not the folder of a pipeline: {error}{trained}"
            ) from None
        near = get_close_matches(model, get_installed_models(), cutoff=0.8)
        meant = f" Did you mean {' or '.join(near)}?" if near else ""
        raise ValueError(
            f"There is no pipeline {model}. Install a package with this name, or "
            f"name another package or the folder of a pipeline.{meant}"
        ) from None
    except Exception as error:
        if lacks_memory(error):
            raise
        # Damaged files make spaCy raise errors of all kinds, some of many lines.
        said = " ".join(f"{type(error).__name__}: {error}".split())
        raise ValueError(
            f"The pipeline {model} cannot be loaded: it is damaged, or made for "
            f"other versions. Install or copy it again. ({said:.400})"
        ) from error
    if need_parser and not get_parsers(nlp):
        raise ValueError(
            f"The pipeline {model} has no constituency_parser; its components are: "
            f"{', '.join(nlp.pipe_names) or 'none'}."
        )
    warn_of_ignored_sentences(nlp)
    return nlp


def use_device(gpu_id: int) -> None:
    """Compute on a GPU, or on the CPU if the number is negative.

    Raises:
        ValueError: The GPU cannot be used.
    """
    if gpu_id < 0:
        return
    try:
        spacy.require_gpu(gpu_id)
    except Exception as error:
        # thinc, cupy and torch each have their own kind for a missing GPU.
        raise ValueError(f"GPU {gpu_id} cannot be used: {error}") from error
