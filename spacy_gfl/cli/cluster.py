"""Work on many files by Ray's workers, each with pipelines of its own."""

import json
import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from spacy.util import is_package

from spacy_gfl.formats.files import write_text

#: How often a file is tried again whose worker was lost or could not read or write.
N_TRIES = 3
#: The file in a folder that says what its other files are made of.
_RECORD = ".made-of.json"
#: Does what there is to do with a file of this number, and tells of each part of it.
Work: TypeAlias = Callable[[int, Path], Iterable[int]]


class _Worker:
    """An actor: makes what does the work once, and has it do one file at a time."""

    def __init__(self, make: Callable[[], Work]) -> None:
        self._make = make
        self._work: Work | None = None

    def __call__(self, batch: dict[str, Any]) -> dict[str, list[Any]]:
        (number,), (path,) = batch["number"], batch["path"]
        try:
            self._work = self._work or self._make()
            return {"done": [sum(self._work(int(number), Path(path)))], "error": [""]}
        except ValueError as error:
            # Another try would not help; Ray would say it on pages of its own code.
            return {"done": [0], "error": [str(error)]}


def require_ray() -> None:
    """Import Ray; without it, raise ImportError that says how to install it."""
    try:
        import ray.data  # noqa: F401
    except ImportError:
        raise ImportError('--ray needs Ray: pip install "spacy-gfl[ray]".') from None


def map_files(
    make: Callable[[], Work],
    files: Sequence[Path],
    address: str,
    n_workers: int | None = None,
    on_gpus: bool = False,
) -> Iterator[int]:
    """Do something with each file, several at a time.

    A file whose worker is lost, or that cannot be read or written, is tried again.

    Args:
        make: Called once by each worker; gives what is called for each file. It must
            be such as can be pickled.
        files: The files.
        address: "local", or the address of a cluster.
        n_workers: How many; None for as many as there are CPUs, or GPUs.
        on_gpus: Give each a GPU of its own.

    Yields:
        For each file the sum of what its work gave, in the order in which they end.

    Raises:
        ImportError: Without Ray.
        OSError: If there is no such cluster, or a file cannot be read or written.
        ValueError: Whatever a worker raises.
    """
    require_ray()
    import ray
    import ray.data

    local: dict[str, Any] = {"include_dashboard": False} if address == "local" else {}
    ray.init(address=address, log_to_driver=False, **local)
    try:
        resource = "GPU" if on_gpus else "CPU"
        known = int(ray.cluster_resources().get(resource, 0))
        if not known:
            raise ValueError(f"Ray knows of no {resource} there.")
        each: dict[str, Any] = {f"num_{resource.lower()}s": 1}
        context = ray.data.DataContext.get_current()
        context.raise_original_map_exception = True
        # The message of every OSError has its number.
        context.retried_map_errors, context.max_map_retries = [r"\[Errno"], N_TRIES
        rows = [{"number": i, "path": str(p.resolve())} for i, p in enumerate(files)]
        pool = ray.data.ActorPoolStrategy(size=min(n_workers or known, len(rows)))
        with warnings.catch_warnings():
            # Ray 2.64 drops the one way to have a file that kills its workers given
            # up, and names no other: pyproject.toml asks for an earlier one.
            warnings.simplefilter("ignore", DeprecationWarning)
            done = ray.data.from_items(rows, override_num_blocks=len(rows)).map_batches(
                _Worker,
                fn_constructor_args=[make],
                batch_size=1,
                compute=pool,
                ray_remote_args_fn=lambda: {"max_task_retries": N_TRIES},
                **each,
            )
        for row in done.iter_rows():
            if row["error"]:
                raise ValueError(row["error"])
            yield row["done"]
    except ray.exceptions.RayError as error:
        # Ray's advice is for those who write such code.
        cause = str(getattr(error, "cause", error))
        raise OSError(re.split(r"[\s:']*Failed to apply UDF", cause)[0]) from None
    finally:
        ray.shutdown()


def know_files(folder: Path, made_of: Mapping[str, Any]) -> None:
    """Make a folder, and write down in it what its files are made of.

    `made_of` has for each file's name what the file is made of, as plain data.

    Raises:
        OSError: If the folder cannot be read or written.
        ValueError: If a file is there already that is made of something else.
    """
    folder.mkdir(parents=True, exist_ok=True)
    record = folder / _RECORD
    known = json.loads(record.read_text(encoding="utf-8")) if record.exists() else {}
    for name, made in made_of.items():
        if (folder / name).exists() and known.get(name) != made:
            raise ValueError(
                f"{folder / name} is not known to be made of this input by this model "
                "with these settings: delete it, or name another folder."
            )
    write_text(record, [json.dumps({**known, **made_of}, indent=1)])


def whole_name(model: str) -> str:
    """A pipeline's name wherever it is looked for: a folder's, from the root.

    Where a package has the name of a folder, spaCy loads the package.
    """
    is_folder = Path(model).is_dir() and not is_package(model)
    return str(Path(model).resolve()) if is_folder else model
