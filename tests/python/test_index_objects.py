"""Objects with __index__ work as sizes and indices wherever they do in torch. Expected: real torch."""

import numpy as np
import pytest
from outcomes import outcome


class Three:
    """An object with __index__ that is not an int."""

    def __index__(self):
        return 3


OBJECTS = {
    "an object": lambda t: Three(),
    "an array without dimensions": lambda t: np.array(3),
    "a NumPy integer": lambda t: np.int64(3),
    "a tensor without dimensions": lambda t: t.tensor(3),
    "a tensor of one element": lambda t: t.tensor([3]),
    "an array of one element": lambda t: np.array([3]),
    "a float": lambda t: 3.0,
    "True": lambda t: True,
}

CALLS = {
    "zeros of a tuple": lambda t, k: t.zeros((2, k)),
    "zeros of numbers": lambda t, k: t.zeros(2, k),
    "ones, first": lambda t, k: t.ones(k, 4),
    "rand alone": lambda t, k: t.rand(k).shape,
    "rand of a tuple": lambda t, k: t.rand((k,)).shape,
    "empty": lambda t, k: t.empty(k).shape,
    "full": lambda t, k: t.full((k,), 1),
    "Tensor": lambda t, k: t.Tensor(k).shape,
    "Size": lambda t, k: t.Size([k]),
    "eye": lambda t, k: t.eye(k),
    "randperm": lambda t, k: t.randperm(k).shape,
    "randint": lambda t, k: t.randint(k, (2,)).shape,
    "reshape of a tuple": lambda t, k: t.arange(6.0).reshape((2, k)),
    "reshape of numbers": lambda t, k: t.arange(6.0).reshape(2, k),
    "view": lambda t, k: t.arange(6.0).view(2, k),
    "expand": lambda t, k: t.ones(3).expand(2, k),
    "repeat": lambda t, k: t.ones(2).repeat(k),
    "tile": lambda t, k: t.ones(2).tile((k,)),
    "resize_": lambda t, k: t.ones(5).resize_(k),
    "new_zeros": lambda t, k: t.ones(2).new_zeros(k),
    "permute": lambda t, k: t.ones(1, 1, 1, 1).permute(k, 0, 1, 2),
    "sum over a tuple": lambda t, k: t.ones(1, 1, 1, 2).sum((k,)),
    "topk": lambda t, k: t.arange(6).topk(k)[0],
    "narrow": lambda t, k: t.ones(9).narrow(0, k, k),
    "split": lambda t, k: [part.shape for part in t.ones(9).split(k)],
    "tensor_split": lambda t, k: [part.shape for part in t.ones(9).tensor_split(k)],
    "tril": lambda t, k: t.tril(t.ones(2, 2), k),
    "as_strided": lambda t, k: t.as_strided(t.ones(9), (k,), (k,)),
    "unflatten": lambda t, k: t.ones(6).unflatten(0, (k, -1)),
    "bincount": lambda t, k: t.bincount(t.tensor([1]), minlength=k),
    "multinomial": lambda t, k: t.multinomial(t.ones(4), k).shape,
    "fft": lambda t, k: t.fft.fft(t.ones(4), n=k).shape,
    "repeat_interleave": lambda t, k: t.repeat_interleave(t.ones(2), k),
    "pad": lambda t, k: t.nn.functional.pad(t.ones(2), (k, k)),
    "interpolate": lambda t, k: t.nn.functional.interpolate(t.ones(1, 1, 2), size=k),
    "Linear": lambda t, k: t.nn.Linear(k, 2).weight.shape,
    "Embedding": lambda t, k: t.nn.Embedding(k, k).weight.shape,
    "an element": lambda t, k: t.arange(6)[k],
    "two indices": lambda t, k: t.arange(36).view(6, 6)[k, k],
    "the end of a slice": lambda t, k: t.ones(6)[:k],
    # calls whose argument is a dimension, which must be an int
    "cumsum along": lambda t, k: t.ones(1, 1, 1, 3).cumsum(k),
    "select along": lambda t, k: t.ones(1, 1, 1, 3).select(k, 0),
    "one_hot": lambda t, k: t.nn.functional.one_hot(t.tensor([1]), k),
}


@pytest.mark.parametrize("kind", OBJECTS)
@pytest.mark.parametrize("name", CALLS)
def test_objects_with_index_are_sizes(name, kind, mt, oracle):
    def pass_objects_as_sizes(torch):
        torch.manual_seed(0)
        return CALLS[name](torch, OBJECTS[kind](torch))

    assert outcome(pass_objects_as_sizes, mt)[0] == outcome(pass_objects_as_sizes, oracle)[0]


def test_an_element_is_assigned_through_an_index_object(mt, oracle):
    for torch in (mt, oracle):
        x = torch.zeros(4)
        x[Three()] = 5
        x[np.array(1)] = 7
        assert x.tolist() == [0, 7, 0, 5]
