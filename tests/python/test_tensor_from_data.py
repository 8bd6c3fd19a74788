"""torch.tensor and similar functions with storages, arrays, buffers and unusual sequences. Expected: real torch."""

import array

import numpy as np
import pytest
from outcomes import outcome


class Column:
    """A sequence whose items are NumPy scalars by index but Python numbers in iteration, like a column of a data
    frame."""

    def __init__(self, values):
        self.values = values

    def __len__(self):
        return len(self.values)

    def __getitem__(self, index):
        return self.values[index]

    def __iter__(self):
        return iter(self.values.tolist())


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "uint8", "int16", "int64", "bool", "complex128"])
@pytest.mark.parametrize("make", ["tensor", "as_tensor", "FloatTensor"])
def test_sequence_dtype_is_read_through_getitem(make, dtype, mt, oracle):
    def make_from_column(torch):
        return getattr(torch, make)(Column(np.array([1, 0], dtype=dtype)))

    assert outcome(make_from_column, mt)[0] == outcome(make_from_column, oracle)[0]


STORAGES = {
    "untyped, with a dtype": lambda t, x: t.tensor(x.untyped_storage(), dtype=t.float32),
    "untyped, as bytes": lambda t, x: t.tensor(x.untyped_storage(), dtype=t.uint8),
    "untyped, alone": lambda t, x: t.tensor(x.untyped_storage()),
    "typed": lambda t, x: t.tensor(x.storage()),
    "typed, of another dtype": lambda t, x: t.tensor(x.storage(), dtype=t.float64),
    "the same memory": lambda t, x: t.tensor(x.untyped_storage(), dtype=t.float32).data_ptr() == x.data_ptr(),
    "as_tensor": lambda t, x: t.as_tensor(x.untyped_storage(), dtype=t.float32),
    "asarray": lambda t, x: t.asarray(x.untyped_storage()),
    "new_tensor": lambda t, x: t.ones(1).new_tensor(x.untyped_storage()),
    "IntTensor of a float storage": lambda t, x: t.IntTensor(x.storage()),
    "Tensor of a double storage": lambda t, x: t.Tensor(x.double().storage()),
    "new of a double storage": lambda t, x: t.ones(1).new(x.double().storage()),
    "set_ of a double storage": lambda t, x: t.empty(0).set_(x.double().storage()),
    "set_ of a part of one": lambda t, x: t.empty(0).set_(x.double().storage(), 0, (2,)),
    "set_ by name": lambda t, x: t.empty(0).set_(source=x.double().storage()),
    "set_ of an untyped one": lambda t, x: t.empty(0).set_(x.untyped_storage()),
}


@pytest.mark.parametrize("name", STORAGES)
def test_a_storage_keeps_its_dtype(name, mt, oracle):
    def read_storage(torch):
        return STORAGES[name](torch, torch.arange(4.0))

    assert outcome(read_storage, mt)[0] == outcome(read_storage, oracle)[0]


BUFFERS = {
    "bytes of two dimensions": lambda t: t.tensor(memoryview(bytes(6)).cast("B", (2, 3))),
    "a buffer without dimensions": lambda t: t.tensor(memoryview(np.array(3))),
    "complex numbers": lambda t: t.tensor(memoryview(np.array([1j]))),
    "texts": lambda t: t.tensor(memoryview(np.array(["a"]))),
    "numbers": lambda t: t.tensor(memoryview(np.ones(2, dtype=np.float32))),
    "an array": lambda t: t.tensor(array.array("f", [1, 2])),
    "frombuffer of every second": lambda t: t.frombuffer(memoryview(np.ones(4))[::2], dtype=t.float64),
    "frombuffer of columns": lambda t: t.frombuffer(np.ones((2, 2)).T, dtype=t.float64),
    "frombuffer of a text": lambda t: t.frombuffer("abc", dtype=t.uint8),
    "frombuffer of rows": lambda t: t.frombuffer(np.ones((2, 2)), dtype=t.float64),
}


@pytest.mark.parametrize("name", BUFFERS)
def test_buffers_are_read_or_refused(name, mt, oracle):
    assert outcome(BUFFERS[name], mt)[0] == outcome(BUFFERS[name], oracle)[0]


# Calls of asarray: each function takes the library, a leaf, a result of autograd and a tensor without gradient.
ASARRAY = {
    "a leaf": lambda t, leaf, result, plain: t.asarray(leaf),
    "a leaf, by name None": lambda t, leaf, result, plain: t.asarray(leaf, requires_grad=None),
    "a leaf, without": lambda t, leaf, result, plain: t.asarray(leaf, requires_grad=False),
    "a result": lambda t, leaf, result, plain: t.asarray(result),
    "a result, with": lambda t, leaf, result, plain: t.asarray(result, requires_grad=True),
    "a result, without": lambda t, leaf, result, plain: t.asarray(result, requires_grad=False),
    "a copied leaf": lambda t, leaf, result, plain: t.asarray(leaf, copy=True),
    "a copied leaf, without": lambda t, leaf, result, plain: t.asarray(leaf, copy=True, requires_grad=False),
    "a copied result, without": lambda t, leaf, result, plain: t.asarray(result, copy=True, requires_grad=False),
    "a converted leaf": lambda t, leaf, result, plain: t.asarray(leaf, dtype=t.float64),
    "a converted leaf, without": lambda t, leaf, result, plain: t.asarray(leaf, dtype=t.float64, requires_grad=False),
    "a leaf as integers": lambda t, leaf, result, plain: t.asarray(leaf, dtype=t.int64),
    "a plain tensor": lambda t, leaf, result, plain: t.asarray(plain),
    "a plain tensor, with": lambda t, leaf, result, plain: t.asarray(plain, requires_grad=True),
    "a list, with": lambda t, leaf, result, plain: t.asarray([1.0], requires_grad=True),
}


@pytest.mark.parametrize("name", ASARRAY)
def test_asarray_keeps_the_graph_by_default(name, mt, oracle):
    def convert_by_asarray(torch):
        leaf = torch.ones(2, requires_grad=True)
        result, plain = leaf * 2, torch.ones(2)
        made = ASARRAY[name](torch, leaf, result, plain)
        kind = made.grad_fn.name() if made.grad_fn is not None else ""
        return made.detach(), [made is t for t in (leaf, result, plain)], kind, made.requires_grad, leaf.requires_grad

    assert outcome(convert_by_asarray, mt)[0] == outcome(convert_by_asarray, oracle)[0]


def test_asarray_warns_once_that_it_keeps_the_graph(mt, same_as_oracle):
    program = """
import warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    leaf = torch.ones(2, requires_grad=True)
    torch.asarray(leaf), torch.asarray(leaf)
    torch.asarray(leaf, requires_grad=True)
print([str(w.message).partition(" (Triggered")[0] for w in caught])
"""
    same_as_oracle("import torch\n" + program)


EQUALITIES = {
    "an array": lambda t: t.ones(2, 3) == np.ones((2, 3)),
    "an array, first": lambda t: np.ones((2, 3)) == t.ones(2, 3),
    "an array without dimensions": lambda t: t.ones(2) == np.array(1),
    "of another shape": lambda t: t.ones(2, 3) == np.ones((2, 4)),
    "of texts": lambda t: t.ones(2) == np.array(["a", "b"]),
    "of objects": lambda t: t.ones(2) == np.array([1, None], dtype=object),
    "backwards": lambda t: t.ones(2) == np.ones(2)[::-1],
    "of a tensor with a gradient": lambda t: t.ones(2, requires_grad=True) == np.ones(2),
    "by name": lambda t: t.ones(2).__eq__(np.ones(2)),
    "as a function": lambda t: t.eq(t.ones(2), np.ones(2)),
    "a NumPy number": lambda t: t.ones(2) == np.float32(1),
    "a list": lambda t: t.ones(2) == [1, 1],
    "unequal": lambda t: t.ones(2) != np.ones(2),
    "less": lambda t: t.ones(2) < np.ones(2),
}


@pytest.mark.parametrize("name", EQUALITIES)
def test_equality_looks_into_arrays(name, mt, oracle):
    assert outcome(EQUALITIES[name], mt)[0] == outcome(EQUALITIES[name], oracle)[0]


class Lent:
    """Exports a tensor only through the DLPack protocol."""

    def __init__(self, tensor):
        self.tensor = tensor

    def __dlpack__(self, **options):
        return self.tensor.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.tensor.__dlpack_device__()


def test_dlpack_objects_are_copied(mt):
    source = mt.arange(3.0)
    made = mt.tensor(Lent(source))
    assert made.tolist() == [0.0, 1.0, 2.0] and made.dtype == mt.float32 and made.data_ptr() != source.data_ptr()
    assert mt.tensor(Lent(source), dtype=mt.int32).tolist() == [0, 1, 2]
    assert mt.asarray(Lent(source)).data_ptr() == source.data_ptr()


@pytest.mark.parametrize("shape", [(3, 1), (1, 3), (0,), (1,), (2, 0, 1)])
def test_a_dimension_that_is_never_stepped_over_may_be_reversed(shape, mt, oracle):
    def import_reversed(torch):
        backwards = np.ones(shape)[tuple(slice(None, None, -1 if size < 2 else 1) for size in shape)]
        return torch.from_dlpack(backwards)

    assert outcome(import_reversed, mt)[0] == outcome(import_reversed, oracle)[0]
