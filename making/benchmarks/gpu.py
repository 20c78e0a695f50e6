"""What a GPU is worth: the same trees, how fast it parses and learns, its memory.

    python making/benchmarks/gpu.py MODEL... --treebank FILE [--gpu-id 0] [--output F]

Runs the tests that need a GPU, compares the trees that it and the CPU find in single
precision, and times whole components from ready-made Docs to trees on them, by
precision and padded words of a batch, and updates by their words, beside one core. Says
where an update waits for the GPU (PyTorch knows of its own waits, not of CuPy's).
Takes some minutes. With `--gpu-id -1` the CPU stands for the GPU, to try the program.
"""

import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import Annotated, Any

import spacy
import srsly
import torch
import typer
from ready_made import doc_of, seconds_of
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.training.batchers import minibatch_by_words
from thinc.api import require_cpu
from throughput import components, sentences
from wasabi import msg, table

from spacy_gfl import get_parser
from spacy_gfl.data.corpus import TreebankCorpus


def load(model: str, gpu_id: int) -> Language:
    """A pipeline on a GPU, or on the CPU if the number is negative."""
    if gpu_id < 0:
        require_cpu()
    else:
        spacy.require_gpu(gpu_id)
    return spacy.load(model)


def made(nlp: Language, words: Iterable[Sequence[str]]) -> list[Doc]:
    """Docs of one sentence each."""
    return [doc_of(nlp.vocab, some) for some in words]


def parsed(nlp: Language, docs: Iterable[Doc]) -> list[Doc]:
    """The Docs, with trees."""
    for component in components(nlp):
        docs = nlp.get_pipe(component).pipe(docs, batch_size=8000)
    return list(docs)


def trees(nlp: Language, words: Iterable[Sequence[str]]) -> list[str]:
    """The sentences' trees, in single precision."""
    get_parser(nlp).search.precision = "fp32"
    docs = parsed(nlp, made(nlp, words))
    return [s._.parse_string for doc in docs for s in doc.sents]


def parsing_rate(nlp: Language, texts: Iterator[list[str]], number: int) -> float:
    """Sentences per second, of sentences that follow each other in the treebank."""
    parsed(nlp, made(nlp, islice(texts, number // 4)))
    docs = made(nlp, islice(texts, number))
    seconds = seconds_of(lambda: parsed(nlp, docs), clock=time.perf_counter)
    return number / seconds


def updates_rate(
    nlp: Language, examples: Iterator[Example], number: int, size: int
) -> tuple[float, list[str]]:
    """Updates per second, of `size` words each, and where one waits for a GPU."""
    optimizer = nlp.resume_training()
    chosen = list(islice(minibatch_by_words(examples, size), number + 2))

    def learn(batches: Iterable[list[Example]]) -> None:
        for batch in batches:
            nlp.update(batch, sgd=optimizer, drop=0.2)

    with nlp.select_pipes(enable=components(nlp)):
        learn(chosen[:2])
        seconds = seconds_of(lambda: learn(chosen[2:]), clock=time.perf_counter)
        waits = waits_of(lambda: learn(chosen[:1]))
    return number / seconds, waits


def waits_of(work: Callable[[], None]) -> list[str]:
    """Files and lines in which PyTorch waits for a GPU."""
    if not torch.cuda.is_available():
        return []
    torch.cuda.set_sync_debug_mode("warn")
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        work()
    torch.cuda.set_sync_debug_mode("default")
    waits = [one for one in found if "synchroniz" in str(one.message)]
    return [f"{Path(one.filename).name}:{one.lineno}" for one in waits]


def peak() -> int:
    """The most memory that tensors on the GPU took since the last call, in MB."""
    if not torch.cuda.is_available():
        return 0
    most = torch.cuda.max_memory_allocated() // 2**20
    torch.cuda.reset_peak_memory_stats()
    return most


def main(
    models: Annotated[list[str], typer.Argument(help="Pipelines.")],
    treebank: Annotated[Path, typer.Option(help=".spacy file or brackets.")],
    gpu_id: Annotated[int, typer.Option(help="GPU; -1: the CPU stands for it.")] = 0,
    compared: Annotated[int, typer.Option(help="Sentences whose trees are.")] = 500,
    number: Annotated[int, typer.Option(help="Sentences timed, on the GPU.")] = 8000,
    of_core: Annotated[int, typer.Option(help="Sentences timed on one core.")] = 320,
    updates: Annotated[int, typer.Option(help="Updates timed.")] = 20,
    words: Annotated[str, typer.Option(help="Of an update.")] = "900,4000,12000",
    batches: Annotated[str, typer.Option(help="Padded words.")] = "4096,65536,262144",
    precisions: Annotated[str, typer.Option(help="Of the search.")] = "fp32,bf16",
    tests: Annotated[bool, typer.Option(help="Run the tests marked gpu.")] = True,
    output: Annotated[Path | None, typer.Option(help="A JSON file.")] = None,
) -> None:
    """Compare a GPU with one core."""
    if gpu_id >= 0 and not torch.cuda.is_available():
        raise typer.BadParameter("PyTorch finds no GPU; -1 tries this on the CPU")
    device = "CPU" if gpu_id < 0 else torch.cuda.get_device_name(gpu_id)
    torch.set_num_threads(1)
    found: dict[str, Any] = {"device": device, "torch": torch.__version__, "rows": []}
    if tests:
        command = [sys.executable, "-m", "pytest", "-q", "-m", "gpu", "tests"]
        found["tests"] = subprocess.run(command, check=False).returncode
    for model in models:
        rates, learning, answers = {}, {}, []
        for name, number_of in ((device, gpu_id), ("one core", -1)):
            nlp = load(model, number_of)
            search, texts = get_parser(nlp).search, sentences(treebank, 0)
            answers.append(trees(nlp, islice(texts, compared)))
            on_core = name == "one core"
            for bits in precisions.split(","):
                for size in [4096] if on_core else map(int, batches.split(",")):
                    search.precision, search.batch_words = bits, size
                    rate = parsing_rate(nlp, texts, of_core if on_core else number)
                    rates[name, bits, size] = rate, peak()
            search.precision = "auto"
            gold = cycle(islice(TreebankCorpus(treebank)(nlp), 2000))
            for size in [900] if on_core else map(int, words.split(",")):
                rate, waits = updates_rate(nlp, gold, 5 if on_core else updates, size)
                learning[name, size] = rate, waits
                found["rows"] += [
                    {"model": model, "on": name, "updates/s": rate, "words": size}
                    | {"MB": peak(), "waits": waits}
                ]
        differ = sum(a != b for a, b in zip(*answers, strict=True))
        msg.info(f"{model}: {differ} of {compared} trees differ in single precision")
        found["rows"] += [
            {"model": model, "on": on, "precision": bits, "words": size}
            | {"sentences/s": rate, "MB": most}
            for (on, bits, size), (rate, most) in rates.items()
        ] + [{"model": model, "differ": differ, "of": compared}]
        print(
            table(
                [(*map(str, key), f"{r:.0f}", str(m)) for key, (r, m) in rates.items()],
                header=("on", "precision", "batch words", "sentences/s", "peak MB"),
                divider=True,
            )
        )
        for (name, size), (rate, waits) in learning.items():
            print(f"{name}: {rate:.2f} updates/s of {size} words; waits: {waits}")
    if output is not None:
        srsly.write_json(output, found)


if __name__ == "__main__":
    typer.run(main)
