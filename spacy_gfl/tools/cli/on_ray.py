"""`spacy-gfl parse --ray`: lines of files, parsed by Ray's workers on many machines.

The pipeline is one of Ray Data, which splits the work, shows how far it is, and does
again what a lost worker has not done.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

from spacy.language import Language
from spacy.tokens import Doc
from spacy.util import is_package

from spacy_gfl.annotation.sentence_words import sentences
from spacy_gfl.annotation.storage import get_trees
from spacy_gfl.pipe.pipelines import use_device
from spacy_gfl.tools.cli.input_files import shown_name
from spacy_gfl.tools.treebanks.formats.json_lines import doc_to_json
from spacy_gfl.tools.treebanks.formats.names import document_label, document_name
from spacy_gfl.tools.treebanks.formats.reading import Reading
from spacy_gfl.tools.treebanks.inputs import docs_from_lines

#: What reading and writing take of a CPU, so that workers may take all.
IN_PASSING = 0.01
#: The formats of which each line is a Doc.
BY_LINE = ("lines", "sentences", "tokens", "json")
#: The columns of tables, with the types that pyarrow gives them.
_TYPES = {
    "file": "str",
    "document": "str",
    "sentence": "int64",
    "text": "str",
    "tree": "str",
    "log_prob": "float64",
}


class RayJob(NamedTuple):
    """Files to parse, and by whom.

    Attributes:
        files: Files whose lines are Docs.
        output: The folder to write: Parquet if its name ends so, with a row per
            sentence (`file`, `document`, `sentence`, `text`, `tree`, `log_prob`), else
            JSON lines with one per Doc.
        address: "local" for this machine, or the address of a cluster.
        input_format: One of BY_LINE.
        batch_size: Lines that a worker parses at a time.
        n_workers: At most so many; None for as many as Ray finds room for.
        gpu_id: Negative for the CPU; else each worker has a GPU.
    """

    files: Sequence[Path]
    output: Path
    address: str
    input_format: str
    batch_size: int
    n_workers: int | None
    gpu_id: int

    @property
    def is_table(self) -> bool:
        return self.output.suffix.lower() == ".parquet"


class Worker:
    """Loads a pipeline once, and parses tables of lines."""

    def __init__(self, load: Callable[[], Language], job: RayJob) -> None:
        # A worker sees no GPU but its own.
        use_device(min(job.gpu_id, 0))
        self._nlp, self._job = load(), job

    def __call__(self, lines: Any) -> Any:
        """Parse the lines `text` of the files `path`, in a `pyarrow.Table`.

        Returns:
            A table of JSON records or of trees.
        """
        import pyarrow

        docs = self._nlp.pipe(
            self._docs(lines["path"].to_pylist(), lines["text"].to_pylist()),
            as_tuples=True,
            batch_size=self._job.batch_size,
        )
        if not self._job.is_table:
            records = [doc_to_json(doc) for doc, _ in docs]
            # `from_pylist` has the names of the first alone, which may lack `id`.
            names = dict.fromkeys(chain.from_iterable(records))
            columns = {name: [one.get(name) for one in records] for name in names}
            return pyarrow.Table.from_pydict(columns)
        rows = [row for doc, file in docs for row in _rows(doc, file)]
        return pyarrow.Table.from_pylist(rows, schema=pyarrow.schema(_TYPES.items()))

    def _docs(
        self, paths: Iterable[str], lines: Iterable[str]
    ) -> Iterator[tuple[Doc, str]]:
        """The Docs of lines, each with the name of the file that its line is from."""
        reading = Reading(format=self._job.input_format)
        pairs = zip(paths, lines, strict=True)
        for path, of_file in groupby(pairs, itemgetter(0)):
            texts = (f"{line}\n" for _, line in of_file)
            file = shown_name(Path(path))
            for doc in docs_from_lines(self._nlp, texts, reading, file):
                yield doc, file


def _rows(doc: Doc, file: str) -> Iterator[dict[str, Any]]:
    """Each sentence of a Doc with its tree, and a log-probability if it is known.

    A worker does not know how many lines came before, so a Doc without an id has none.
    A Doc without words has a row, too.
    """
    is_named = document_name(doc)[0] is not None
    place = {"file": file, "document": document_label(doc, 0) if is_named else None}
    if not len(doc):
        yield place | {"sentence": 1, "text": "", "tree": "", "log_prob": None}
    sents_trees = zip(sentences(doc), get_trees(doc), strict=True)
    for number, (sent, tree) in enumerate(sents_trees, start=1):
        log_prob = sent._.log_prob
        yield place | {
            "sentence": number,
            "text": sent.text,
            "tree": tree.brackets(),
            "log_prob": None if math.isnan(log_prob) else log_prob,
        }


def parse_on_ray(load: Callable[[], Language], job: RayJob) -> None:
    """Parse files on Ray with a pipeline that each worker loads.

    Raises:
        ImportError: Without Ray.
        OSError: If a file cannot be read or written.
        ValueError: If the folder exists, or a file has other than a Doc per line.
    """
    if job.output.exists():
        raise ValueError(f"{job.output} exists; name a new folder.")
    try:
        import ray
        import ray.data
    except ImportError:
        raise ImportError('--ray needs Ray: pip install "spacy-gfl[ray]".') from None
    own: dict[str, Any] = {"include_dashboard": False} if job.address == "local" else {}
    ray.init(address=job.address, log_to_driver=False, **own)
    try:
        context = ray.data.DataContext.get_current()
        context.execution_options.preserve_order = True
        context.raise_original_map_exception = True
        paths = [str(path.resolve()) for path in job.files]
        lines = ray.data.read_text(
            paths, drop_empty_lines=False, include_paths=True, num_cpus=IN_PASSING
        )
        parsed = lines.map_batches(
            Worker,
            fn_constructor_args=(load, job),
            batch_format="pyarrow",
            batch_size=job.batch_size,
            compute=ray.data.ActorPoolStrategy(min_size=1, max_size=job.n_workers),
            **({"num_cpus": 1} if job.gpu_id < 0 else {"num_gpus": 1}),
        )
        output = str(job.output.resolve())
        if job.is_table:
            parsed.write_parquet(output, ray_remote_args={"num_cpus": IN_PASSING})
        else:
            parsed.write_json(
                output,
                ray_remote_args={"num_cpus": IN_PASSING},
                double_precision=15,
            )
    except ray.exceptions.RayTaskError as error:
        # The text of Ray's own error is the worker's traceback.
        raise error.cause from None
    finally:
        ray.shutdown()


def whole_name(model: str) -> str:
    """A pipeline's name wherever it is looked for: a folder's, from the root.

    Where a package has the name of a folder, spaCy loads the package.
    """
    is_folder = Path(model).is_dir() and not is_package(model)
    return str(Path(model).resolve()) if is_folder else model
