"""What fine-tuning a transformer takes beside its listener (spacy-transformers)."""

from collections.abc import Callable, Iterable
from typing import Any, cast

import torch
from spacy.language import Language
from spacy.pipeline import TrainablePipe
from spacy.tokens import Doc, Span
from thinc.api import PyTorchShim


def sentence_windows(
    window: int = 256, overlap: int = 64
) -> Callable[[Iterable[Doc]], list[list[Span]]]:
    """Make the registered span getter `spacy_gfl.sentence_windows.v1`.

    A transformer that reads one sentence at a time gives the same tree whatever
    stands beside the sentence. Its input is bounded, so it reads longer sentences
    in windows, and words in two of them get the mean of both.

    Args:
        window: Tokens of a window at most. A transformer of 512 word pieces reads
            256 tokens of most texts.
        overlap: Tokens that a window shares with the one before it.

    Returns:
        A function that gives each Doc's windows; a Doc without sentence boundaries
        counts as one sentence, as in training.

    Raises:
        ValueError: If a window would not reach beyond the one before.
    """
    if not 0 <= overlap < window:
        raise ValueError(
            f"overlap ({overlap}) must be at least 0 and below window ({window})."
        )
    stride = window - overlap

    def get_windows(docs: Iterable[Doc]) -> list[list[Span]]:
        return [
            [
                sent[start : start + window]
                for sent in (
                    doc.sents if doc.has_annotation("SENT_START") else [doc[:]]
                )
                for start in range(0, max(1, len(sent) - overlap), stride)
            ]
            for doc in docs
        ]

    return get_windows


def compute_in_bfloat16(
    component: str = "transformer",
) -> Callable[[Language], Language]:
    """Make the registered callback `spacy_gfl.bfloat16_on_cpu.v1`.

    For `[initialize] after_init`: while this process trains, the named component's
    PyTorch modules compute their matrix products in bfloat16. Where a CPU has
    instructions for that (AVX512-BF16, AMX) a step takes half the time; elsewhere it
    takes longer. Weights stay in float32, and the saved pipeline computes in it.

    Args:
        component: Name of the pipe.

    Returns:
        A callback that takes the pipeline once it is initialised.
    """

    def wrap(nlp: Language) -> Language:
        model = cast(TrainablePipe, nlp.get_pipe(component)).model
        for node in model.walk():
            for shim in node.shims:
                if isinstance(shim, PyTorchShim) and shim._model is not None:
                    shim._model.forward = _in_bfloat16(shim._model.forward)
        return nlp

    return wrap


def _in_bfloat16(forward: Callable[..., Any]) -> Callable[..., Any]:
    """A module's forward with autocast; what comes out is in float32 (NumPy's)."""

    def run(*args: Any, **kwargs: Any) -> Any:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            output = forward(*args, **kwargs)
        for name, value in output.items():
            if isinstance(value, torch.Tensor):
                output[name] = value.float()
        return output

    return run
