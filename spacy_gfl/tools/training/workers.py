"""Training by several processes, each on batches of its own, with shared gradients.

Each process initialises the same pipeline. In every update each learns from another
batch, all step with the mean of their gradients, and so their weights stay equal.
"""

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from datetime import timedelta
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

import torch
from spacy.language import Language
from thinc.api import Model, PyTorchShim
from thinc.types import FloatsXd
from thinc.util import torch2xp, xp2torch
from torch import Tensor, distributed

from spacy_gfl.tools.training.checkpoint import named_nodes

#: A parameter's shape, its gradient or None, and what gives it another gradient.
_Gradient = tuple[torch.Size, Tensor | None, Callable[[Tensor], None]]
FAILED = "A process of the training failed. Its error stands above."


class Workers:
    """One of several processes that train a pipeline together.

    Args:
        place: This process's number; that of process 0 evaluates and writes.
        count: How many processes there are.
    """

    def __init__(self, place: int = 0, count: int = 1) -> None:
        self.place = place
        self.count = count

    @property
    def writes(self) -> bool:
        """Whether this process evaluates the pipeline, prints and writes files."""
        return self.place == 0

    def share_gradients(self, nlp: Language) -> None:
        """Let each `nlp.update` leave the mean of all processes' gradients.

        Raises:
            TypeError: A layer keeps gradients where this cannot find them, such as
                `spacy_gfl.WordTable.v1`.
        """
        if self.count == 1:
            return
        update = nlp.update

        def shared(*args: Any, **kwargs: Any) -> Any:
            losses = update(*args, **kwargs)
            self._average([*_gradients(nlp)])
            return losses

        [*_gradients(nlp)]  # raises
        setattr(nlp, "update", shared)  # noqa: B010

    def share_scores(
        self, evaluate: Callable[[], tuple[float, dict[str, Any]]]
    ) -> Callable[[], tuple[float, dict[str, Any]]]:
        """An evaluation that process 0 makes, and of which the others get the score."""
        if self.count == 1:
            return evaluate

        def shared() -> tuple[float, dict[str, Any]]:
            score, others = evaluate() if self.writes else (0.0, {})
            sent = torch.tensor([score], dtype=torch.float64)
            distributed.broadcast(sent, src=0)
            return sent.item(), others

        return shared

    def _average(self, gradients: list[_Gradient]) -> None:
        # One array of all gradients, and of which there are any: a batch may have
        # none for a parameter.
        parts = [
            torch.zeros(shape.numel()) if value is None else value.reshape(-1)
            for shape, value, _ in gradients
        ]
        there = torch.tensor([float(value is not None) for _, value, _ in gradients])
        sums = torch.cat([*parts, there])
        distributed.all_reduce(sums)
        sums[: len(sums) - len(there)] /= self.count
        *means, there = sums.split([*map(len, parts), len(there)])
        for mean, is_there, (shape, _, give) in zip(
            means, there.tolist(), gradients, strict=True
        ):
            if is_there:
                give(mean.view(shape))


def run(count: int, function: Callable[..., None], *args: Any) -> None:
    """Call a function in several processes at once, with a `Workers` as first argument.

    The processes share the processor's cores. The first is this one; it ends the others
    if it fails, and fails if another one does.

    Args:
        count: How many processes.
        function: A function of a module.
        args: What follows the `Workers`; it is pickled.

    Raises:
        RuntimeError: Another process failed.
    """
    if count == 1:
        function(Workers(), *args)
        return
    context = multiprocessing.get_context("spawn")
    all_threads = torch.get_num_threads()
    threads = max(1, all_threads // count)
    with TemporaryDirectory() as folder:
        store = Path(folder) / "processes"
        pipes = [context.Pipe(duplex=False) for _ in range(1, count)]
        others = [
            context.Process(
                target=_run_other,
                args=(started, place, count, threads, store, function, args),
                daemon=True,
            )
            for place, (_, started) in enumerate(pipes, 1)
        ]
        try:
            for process, (_, started) in zip(others, pipes, strict=True):
                process.start()
                started.close()
            # Who waited for one that could not start would wait for long.
            if not all(_has_started(reader) for reader, _ in pipes):
                raise RuntimeError(FAILED)
            _run_one(0, count, threads, store, function, args)
            for process in others:
                process.join()
        finally:
            torch.set_num_threads(all_threads)
            for process in others:
                if process.pid is not None:
                    process.terminate()
                    process.join()
    if any(process.exitcode for process in others):
        raise RuntimeError(FAILED)


def _has_started(reader: Connection) -> bool:
    """Wait until a process says that it has started, or has ended without."""
    try:
        return bool(reader.recv())
    except EOFError:
        return False


def _run_other(started: Connection, *args: Any) -> None:
    # The first process, which is interrupted too, ends this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    started.send(True)
    _run_one(*args)


def _run_one(
    place: int,
    count: int,
    n_threads: int,
    store: Path,
    function: Callable[..., None],
    args: tuple[Any, ...],
) -> None:
    torch.set_num_threads(n_threads)
    distributed.init_process_group(
        "gloo",
        init_method=store.as_uri(),
        rank=place,
        world_size=count,
        # Others wait while the first evaluates. Of one that ends, they know at once.
        timeout=timedelta(hours=3),
    )
    # Nobody may fail while another still connects, which would wait for it.
    distributed.barrier()
    try:
        with _silent() if place else nullcontext():
            function(Workers(place, count), *args)
    finally:
        distributed.destroy_process_group()


def _gradients(nlp: Language) -> Iterator[_Gradient]:
    """The gradients of every layer of a pipeline, in the same order in each process."""
    for _, node in named_nodes(nlp):
        yield from _gradients_of_node(node)


def _gradients_of_node(node: Model) -> Iterator[_Gradient]:
    for name in node.param_names:
        if not node.has_param(name):
            continue
        shape = torch.Size(node.get_param(name).shape)
        value = xp2torch(node.get_grad(name)) if node.has_grad(name) else None

        def give(mean: Tensor, name: str = name) -> None:
            array = torch2xp(mean.clone())
            node.set_grad(name, node.ops.asarray_f(cast(FloatsXd, array)))

        yield shape, value, give
    for shim in node.shims:
        if not isinstance(shim, PyTorchShim):
            raise TypeError(
                f"The layer {node.name!r} cannot be trained by several processes. "
                "Leave out --workers."
            )
        module = shim._model
        for parameter in () if module is None else module.parameters():

            def set_gradient(mean: Tensor, parameter: Tensor = parameter) -> None:
                parameter.grad = mean.clone()

            yield parameter.shape, parameter.grad, set_gradient


@contextmanager
def _silent() -> Iterator[None]:
    """Discard what is printed, but for errors."""
    printed = sys.stdout
    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        sys.stdout = nowhere
        try:
            yield
        finally:
            sys.stdout = printed
