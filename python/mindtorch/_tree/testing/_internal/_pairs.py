"""The pairs that a TestCase compares: bools, numbers, tensors and arrays in any combination, storages, and objects."""

import collections.abc
import sys
import unittest

from ..._root import torch
from .._comparison import BooleanPair, NonePair, NumberPair, Pair, TensorLikePair, _numpy_type
from .._mismatch import ErrorMeta

NUMPY_NAMES = {
    "bool": "bool_",
    **{name: name for name in ("uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64")},
    **{name: name for name in ("float16", "float32", "float64", "complex64", "complex128")},
}


def _is_array(value):
    return isinstance(value, (torch.Tensor, *_numpy_type("ndarray")))


def _single_element(value, kind, id):
    """The element of a tensor or array that stands for a number, and other values as they are."""
    if not _is_array(value):
        return value
    count = value.numel() if isinstance(value, torch.Tensor) else value.size
    if count > 1:
        text = f"Only single element tensor-likes can be compared against a {kind}. Got {count} elements instead."
        raise ErrorMeta(ValueError, text, id=id)
    return value.item()


class _BooleanLikePair(BooleanPair):
    """A bool, and a bool, a number, or a tensor or array of one element."""

    def __init__(self, actual, expected, *, id, **options):
        booleans = (bool, *_numpy_type("bool_"))
        others = (*booleans, *NumberPair._NUMBER_TYPES, *_numpy_type("number"))
        both = actual, expected
        if not any(isinstance(value, booleans) for value in both):
            self._inputs_not_supported()
        if not all(isinstance(value, others) or _is_array(value) for value in both):
            self._inputs_not_supported()
        super().__init__(*(bool(_single_element(value, "boolean", id)) for value in both), id=id, **options)


class _NumberLikePair(NumberPair):
    """A number, and a number or a tensor or array of one element; types may differ."""

    # The dtype as which a Python number is compared: results in test suites are mostly single precision.
    _TYPE_TO_DTYPE = {int: torch.int64, float: torch.float32, complex: torch.complex64}

    def __init__(self, actual, expected, *, id=(), rtol_override=0.0, atol_override=0.0, check_dtype=None, **options):
        numbers = (*self._NUMBER_TYPES, *_numpy_type("number"))
        both = actual, expected
        if not any(isinstance(value, numbers) for value in both):
            self._inputs_not_supported()
        if not all(isinstance(value, numbers) or _is_array(value) for value in both):
            self._inputs_not_supported()
        both = [_single_element(value, "number", id) for value in both]
        both = [int(value) if isinstance(value, bool) else value for value in both]
        super().__init__(*both, id=id, check_dtype=False, **options)
        self.rtol, self.atol = max(self.rtol, rtol_override), max(self.atol, atol_override)


class _ArrayPair(TensorLikePair):
    """Two tensors or arrays, in any combination."""

    def __init__(self, actual, expected, *, rtol_override=0.0, atol_override=0.0, **options):
        if not (_is_array(actual) and _is_array(expected)):
            self._inputs_not_supported()
        both = (torch.as_tensor(value) for value in (actual, expected))
        super().__init__(*both, **options)
        self.rtol, self.atol = max(self.rtol, rtol_override), max(self.atol, atol_override)


class _StoragePair(_ArrayPair):
    """Two typed storages, compared as vectors."""

    def __init__(self, actual, expected, **options):
        self._check_inputs_isinstance(actual, expected, cls=torch.storage.TypedStorage)
        both = (
            torch.empty(0, dtype=storage.dtype).set_(storage._untyped_storage, 0, (storage._size(),), (1,))
            for storage in (actual, expected)
        )
        super().__init__(*both, **options)


def _unittest_pair(name, *types):
    """A class of pairs that unittest compares, so that the texts are unittest's."""

    class UnittestPair(Pair):
        def __init__(self, actual, expected, **options):
            self._check_inputs_isinstance(actual, expected, cls=types)
            super().__init__(actual, expected, **options)

        def compare(self):
            try:
                unittest.TestCase().assertEqual(self.actual, self.expected)
            except AssertionError as error:
                text = f"{name} comparison failed: {error}"
            else:
                return
            self._fail(AssertionError, text)

    return UnittestPair


PAIRS = (
    NonePair, _BooleanLikePair, _NumberLikePair, _ArrayPair, _StoragePair, _unittest_pair("String", str, bytes),
    _unittest_pair("Set", set), _unittest_pair("Type", type), _unittest_pair("Object", object),
)  # fmt: skip


def _has_torch_dtype_counterpart(array):
    return any(array.dtype == getattr(sys.modules["numpy"], name) for name in NUMPY_NAMES.values())


def make_comparable(x, y):
    """Returns both values, with a sequence as a tensor beside a tensor, and arrays of foreign dtypes as lists."""
    if any(isinstance(value, _numpy_type("ndarray")) and not _has_torch_dtype_counterpart(value) for value in (x, y)):
        return tuple(value.tolist() if _is_array(value) else list(value) for value in (x, y))
    if isinstance(x, torch.Tensor) and isinstance(y, collections.abc.Sequence):
        return x, torch.as_tensor(y, dtype=x.dtype, device=x.device)
    if isinstance(y, torch.Tensor) and isinstance(x, collections.abc.Sequence):
        return torch.as_tensor(x, dtype=y.dtype, device=y.device), y
    return x, y
