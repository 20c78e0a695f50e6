"""Which precision "auto" is: the processor tells, and no clock."""

import hashlib
import os
import subprocess
import sys

import pytest
import torch
from helpers.pipelines import ATTACH_JUXTAPOSE, get_parser, trained

from spacy_gfl.layers.precision import PROCESSORS, in_force, multiplying_in, resolve

CPU = torch.device("cpu")


@pytest.mark.parametrize(
    ("setting", "processor", "learns", "expected"),
    [
        ("bf16", "AVX2", False, "fp32"),
        ("int8", "AVX2", False, "fp32"),
        ("int8", "AVX512_CORE", False, "fp32"),
        ("int8", "AVX512_CORE_VNNI", False, "int8"),
        # Gradients are never in int8.
        ("int8", "AVX512_CORE_VNNI", True, "fp32"),
        ("bf16", "AVX512_CORE_VNNI", True, "bf16"),
        ("int8", "CUDA", False, "fp32"),
        ("bf16", "CUDA", True, "bf16"),
        # A processor that is none of these, such as MPS.
        ("auto", "", False, "fp32"),
        ("bf16", "", False, "fp32"),
    ],
)
def test_what_a_processor_has_not_is_single_precision(
    setting, processor, learns, expected
):
    assert resolve(setting, processor, learns=learns) == expected


def test_auto_is_never_what_a_processor_has_not(monkeypatch):
    monkeypatch.undo()
    for name, row in PROCESSORS.items():
        assert resolve("auto", name, learns=False) == row.parsing
        assert resolve("auto", name, learns=True) == row.training != "int8"


def test_a_bound_of_instructions_counts():
    code = "from spacy_gfl.layers.precision import processor; print(processor())"
    bound = {**os.environ, "ONEDNN_MAX_CPU_ISA": "avx2"}
    run = [sys.executable, "-c", code]
    found = subprocess.run(run, env=bound, capture_output=True, text=True, check=True)
    assert found.stdout.strip() in ("AVX2", "ARM", "")


#: Prints a checksum of the trees, and of the numbers that belong to them.
PARSES = """
import hashlib, sys, spacy
from spacy.tokens import DocBin
nlp = spacy.load(sys.argv[1])
docs = [nlp.make_doc("The dog saw a man with a hat . " * n) for n in range(1, 9)]
for doc in docs:
    doc[0].is_sent_start = True
    for token in doc[1:]:
        token.is_sent_start = False
found = [doc.spans["constituents"].to_bytes() for doc in nlp.pipe(docs)]
print(hashlib.sha256(b"".join(found)).hexdigest())
"""


def test_processes_that_share_a_processor_give_the_same_bytes(tmp_path):
    nlp = trained(ATTACH_JUXTAPOSE)
    get_parser(nlp).search.precision = "auto"
    nlp.to_disk(tmp_path)
    run = [sys.executable, "-c", PARSES, str(tmp_path)]
    one_thread = {**os.environ, "OMP_NUM_THREADS": "1"}
    # At once, so that each waits for the others at some time or other.
    processes = [
        subprocess.Popen(run, env=one_thread, stdout=subprocess.PIPE)
        for _ in range(2 * (os.cpu_count() or 1))
    ]
    printed = {process.communicate()[0] for process in processes}
    assert not any(process.returncode for process in processes)
    [checksum] = printed
    assert len(checksum.strip()) == 2 * hashlib.sha256().digest_size


def test_a_setting_is_in_force_for_a_while():
    with torch.no_grad():
        with multiplying_in("bf16", CPU), multiplying_in("fp32", CPU):
            assert in_force() == "fp32"
        assert in_force() == "fp32"
