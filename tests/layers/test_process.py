"""PyTorch among the settings of others: where tensors are made."""

import numpy
import torch

from spacy_gfl.decoding.sampling import SEED, _points
from spacy_gfl.layers.process import on_device, running

CPU = torch.device("cpu")


def test_arrays_are_taken_from_the_cpu_whatever_the_default_device_is():
    # As thinc does for a GPU. Memory can be pinned on the CPU alone.
    with torch.device("meta"):
        [numbers, kept] = on_device(CPU, numpy.arange(3), torch.ones(2, device=CPU))
    assert numbers.tolist() == [0, 1, 2]
    assert kept.tolist() == [1.0, 1.0]


def test_no_call_of_a_module_at_work_goes_through_a_default_device():
    with torch.device("meta"):
        with running():
            assert torch.ones(1).device == CPU
        assert torch.ones(1).device.type == "meta"


def test_trees_are_drawn_by_numbers_of_the_cpu():
    def draw():
        return _points(8, torch.Generator("cpu").manual_seed(SEED)).tolist()

    with torch.device("meta"):
        found = draw()
    assert found == draw()
