"""Files that a config names, which are to be there before a training begins."""

from pathlib import Path

from thinc.api import Config

#: What the names of our readers begin with.
OURS = "spacy_gfl."
#: The file of labels in the recipes, which is not there.
NO_LABELS = "none.json"


def check_paths(config: Config) -> None:
    """Refuse a config whose treebanks or labels are not there.

    Args:
        config: All settings of a training, with variables or without.

    Raises:
        ValueError: A corpus has no path.
        FileNotFoundError: There is nothing at a path that is read. spaCy would pass
            over labels.
    """
    config = config.interpolate()
    for settings in config["initialize"].get("components", {}).values():
        labels = settings.get("labels")
        path = labels.get("path") if isinstance(labels, dict) else None
        if path and path != NO_LABELS and not Path(path).exists():
            raise FileNotFoundError(f"There is no file of labels at {path}.")
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
            raise ValueError(f"[{name}] has no path of a treebank.")
        for key, path in paths.items():
            if path and weights.get(key, 1) and not Path(path).exists():
                message = f"There is no treebank at {path} for [{name}]."
                raise FileNotFoundError(message)
