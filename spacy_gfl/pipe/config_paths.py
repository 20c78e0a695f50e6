"""Treebanks that a config names, which are to be there before a training begins."""

from pathlib import Path

from thinc.api import Config, ConfigValidationError

#: The reader of treebanks in a config, and what the names of our readers begin with.
READER, OURS = "spacy_gfl.TreebankCorpus.v1", "spacy_gfl."


def config_error(message: str) -> ConfigValidationError:
    """An error that spaCy's commands show without a traceback."""
    return ConfigValidationError(title="", desc=message, show_config=False)


def check_paths(config: Config) -> None:
    """Refuse a config whose treebanks for training or evaluation are not there.

    Raises:
        ConfigValidationError: Naming the first that is missing.
    """
    config = config.interpolate()
    training, corpora = config.get("training") or {}, config.get("corpora") or {}
    for role in ("train_corpus", "dev_corpus"):
        name = training.get(role) or ""
        corpus = corpora.get(name.removeprefix("corpora."))
        if not isinstance(corpus, dict) or "@readers" not in corpus:
            continue
        if not corpus["@readers"].startswith(OURS):
            continue
        weights = corpus.get("weights") or {}
        paths = {"path": corpus.get("path"), **(corpus.get("paths") or {})}
        if not any(paths.values()):
            raise config_error(f"[{name}] has no path of a treebank.")
        for key, path in paths.items():
            if path and weights.get(key, 1) and not Path(path).exists():
                raise config_error(f"There is no treebank at {path} for [{name}].")
