"""Checkpoints of `spacy train` of which the best is whole whenever it is killed."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from spacy import registry
from spacy.language import Language
from spacy.training import loop
from spacy.training.loggers import console_logger


class _WholeFolders:
    """What spaCy's training loop uses of shutil to save model-best.

    It removes the old folder before it copies the new one, and cannot be told not to.
    """

    def rmtree(self, path: Path) -> None:
        """Leave the old folder until the new one is there."""

    def copytree(self, source: Path, target: Path) -> None:
        """Copy a folder beside its place, and exchange the two."""
        new = target.with_name(f".{target.name}.new")
        old = target.with_name(f".{target.name}.old")
        for left_behind in (new, old):
            shutil.rmtree(left_behind, ignore_errors=True)
        shutil.copytree(source, new)
        if target.exists():
            target.rename(old)
        new.rename(target)
        shutil.rmtree(old, ignore_errors=True)


@registry.loggers("spacy_gfl.WholeCheckpoints.v1")
def keep_checkpoints_whole(
    logger: Callable[..., Any] | None = None,
) -> Callable[..., tuple[Callable, Callable]]:
    """For `[training] logger`: leave a whole model-best whenever training is killed.

    Args:
        logger: Another logger, which does the logging; without it the console's.

    Returns:
        A logger that, while it logs, has the training loop exchange folders.
    """
    start = logger or console_logger()
    # What stands in for a module there is none by its type.
    module: Any = loop

    def start_whole(nlp: Language, *streams: Any) -> tuple[Callable, Callable]:
        log_step, finalize = start(nlp, *streams)
        before = module.shutil
        module.shutil = _WholeFolders()

        def finalize_whole() -> None:
            module.shutil = before
            finalize()

        return log_step, finalize_whole

    return start_whole
