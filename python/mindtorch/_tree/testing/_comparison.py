"""torch.testing.assert_close: pairs the items of two structures and compares each pair by type."""

from __future__ import annotations

import abc
import cmath
import collections.abc
import contextlib
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from ._mismatch import ErrorMeta, make_scalar_mismatch_msg, make_tensor_mismatch_msg

torch = sys.modules[__package__.partition(".")[0]]

_FILE_AN_ISSUE = (
    "If you are a user and see this message during normal operation please file an issue at "
    "https://github.com/pytorch/pytorch/issues. If you are a developer and working on the comparison functions, "
    "please except the previous error and raise an expressive `ErrorMeta` instead."
)

# (rtol, atol) by dtype. Complex dtypes have those of their components, quantized ones those of the values that they
# represent.
_DTYPE_PRECISIONS = {torch.bfloat16: (0.016, 1e-5)}
for _precision, _names in (
    ((0.001, 1e-5), "float16 complex32"),
    ((1.3e-6, 1e-5), "float32 complex64 quint8 quint2x4 quint4x2 qint8 qint32"),
    ((1e-7, 1e-7), "float64 complex128"),
):
    _found = (getattr(torch, _name, None) for _name in _names.split())
    _DTYPE_PRECISIONS.update((_dtype, _precision) for _dtype in _found if _dtype is not None)

# For each sparse layout its name in messages, and the methods that return its components (indices, then values).
_SPARSE_PARTS = {
    torch.sparse_coo: ("COO", "_indices", "_values"),
    torch.sparse_csr: ("CSR", "crow_indices", "col_indices", "values"),
    torch.sparse_csc: ("CSC", "ccol_indices", "row_indices", "values"),
    torch.sparse_bsr: ("BSR", "crow_indices", "col_indices", "values"),
    torch.sparse_bsc: ("BSC", "ccol_indices", "row_indices", "values"),
}


def default_tolerances(
    *inputs: torch.Tensor | torch.dtype, dtype_precisions: dict[torch.dtype, tuple[float, float]] | None = None
) -> tuple[float, float]:
    """Returns the largest tolerances that the dtypes of the inputs call for.

    Args:
        *inputs (Tensor or torch.dtype): the inputs.
        dtype_precisions (dict, optional): ``(rtol, atol)`` by dtype. Default: those of `assert_close`.

    Returns:
        tuple of float: ``(rtol, atol)``.

    Raises:
        TypeError: when an input is neither a tensor nor a dtype.

    Example:
        >>> from torch.testing._comparison import default_tolerances
        >>> default_tolerances(torch.float32, torch.float16)
        (0.001, 1e-05)
    """
    precisions = dtype_precisions or _DTYPE_PRECISIONS
    found = []
    for item in inputs:
        if not isinstance(item, (torch.Tensor, torch.dtype)):
            raise TypeError(f"Expected a torch.Tensor or a torch.dtype, but got {type(item)} instead.")
        found.append(precisions.get(item.dtype if isinstance(item, torch.Tensor) else item, (0.0, 0.0)))
    return max(rtol for rtol, _ in found), max(atol for _, atol in found)


def get_tolerances(
    *inputs: torch.Tensor | torch.dtype, rtol: float | None, atol: float | None, id: tuple[Any, ...] = ()
) -> tuple[float, float]:
    """Returns the given tolerances, or both by default.

    Args:
        *inputs (Tensor or torch.dtype): whose dtypes give the defaults.
        rtol, atol (float or None): both or none.
        id (tuple): position in a structure, for error texts. Default: ``()``.

    Returns:
        tuple of float: ``(rtol, atol)``.

    Raises:
        ErrorMeta: when only one is given.

    Example:
        >>> from torch.testing._comparison import get_tolerances
        >>> get_tolerances(torch.float64, rtol=None, atol=None)
        (1e-07, 1e-07)
    """
    if (rtol is None) != (atol is None):
        raise ErrorMeta(
            ValueError,
            "Both 'rtol' and 'atol' must be either specified or omitted, "
            f"but got no {'rtol' if rtol is None else 'atol'}.",
            id=id,
        )
    return default_tolerances(*inputs) if rtol is None else (rtol, atol)


def _numpy_type(name):
    """Returns a type of NumPy as a tuple for isinstance; empty if NumPy is not imported."""
    numpy = sys.modules.get("numpy")
    return () if numpy is None else (getattr(numpy, name),)


class UnsupportedInputs(Exception):
    """Raised by a Pair's constructor for inputs that another kind of pair may support."""


class Pair(abc.ABC):
    """Two items to compare; the base class of all that `assert_close` can compare.

    A subclass's constructor calls `_inputs_not_supported` for items that are none of its own, and its
    `compare` calls `_fail`.

    Args:
        actual (Any): what was computed.
        expected (Any): what should be.
        id (tuple): position in a structure, for error texts. Default: ``()``.
        **unknown_parameters: ignored.

    Example:
        >>> from torch.testing._comparison import Pair
        >>> class Length(Pair):
        ...     def compare(self):
        ...         if len(self.actual) != len(self.expected):
        ...             self._fail(AssertionError, "lengths differ")
        >>> Length("ab", [1, 2]).compare()
    """

    def __init__(self, actual: Any, expected: Any, *, id: tuple[Any, ...] = (), **unknown_parameters: Any) -> None:
        self.actual = actual
        self.expected = expected
        self.id = id
        self._unknown_parameters = unknown_parameters

    @staticmethod
    def _inputs_not_supported():
        raise UnsupportedInputs

    @staticmethod
    def _check_inputs_isinstance(*inputs, cls):
        if not all(isinstance(item, cls) for item in inputs):
            raise UnsupportedInputs

    def _fail(self, type, msg, *, id=()):
        raise ErrorMeta(type, msg, id=id or getattr(self, "id", id))

    @abc.abstractmethod
    def compare(self) -> None:
        """Raises ErrorMeta unless the two items are equal or close."""

    def extra_repr(self) -> Sequence[str | tuple[str, Any]]:
        """Returns the names of attributes, or pairs of name and value, that the repr shows besides.

        Returns:
            sequence: the names or pairs.
        """
        return []

    def __repr__(self) -> str:
        shown = [("id", self.id), ("actual", self.actual), ("expected", self.expected)]
        shown += [(extra, getattr(self, extra)) if isinstance(extra, str) else extra for extra in self.extra_repr()]
        return "\n".join((f"{type(self).__name__}(", *(f"    {name}={value!s}," for name, value in shown), ")"))


class ObjectPair(Pair):
    """Any two objects, compared by ``==``.

    Args:
        actual (Any): what was computed.
        expected (Any): what should be.
        id (tuple): position in a structure, for error texts. Default: ``()``.
        **unknown_parameters: ignored.

    Example:
        >>> from torch.testing._comparison import ObjectPair
        >>> ObjectPair("a", "a").compare()
    """

    def compare(self) -> None:
        """Raises ErrorMeta unless the objects are equal."""
        try:
            equal = self.actual == self.expected
        except Exception as error:
            raise ErrorMeta(
                ValueError, f"{self.actual} == {self.expected} failed with:\n{error}.", id=self.id
            ) from error
        if not equal:
            self._fail(AssertionError, f"{self.actual} != {self.expected}")


class NonePair(Pair):
    """None and anything, which must be None as well.

    Args:
        actual (Any): what was computed.
        expected (Any): what should be.
        **other_parameters: as for `Pair`.

    Raises:
        UnsupportedInputs: if neither is None.

    Example:
        >>> from torch.testing._comparison import NonePair
        >>> NonePair(None, None).compare()
    """

    def __init__(self, actual: Any, expected: Any, **other_parameters: Any) -> None:
        if actual is not None and expected is not None:
            self._inputs_not_supported()
        super().__init__(actual, expected, **other_parameters)

    def compare(self) -> None:
        """Raises ErrorMeta unless both are None."""
        if self.actual is not None or self.expected is not None:
            self._fail(AssertionError, f"None mismatch: {self.actual} is not {self.expected}")


class BooleanPair(Pair):
    """Two bools, which must be the same.

    Args:
        actual (bool): what was computed.
        expected (bool): what should be.
        id (tuple): position in a structure, for error texts.
        **other_parameters: as for `Pair`.

    Raises:
        UnsupportedInputs: if one is no bool.

    Example:
        >>> from torch.testing._comparison import BooleanPair
        >>> BooleanPair(True, True, id=()).compare()
    """

    def __init__(self, actual: Any, expected: Any, *, id: tuple[Any, ...], **other_parameters: Any) -> None:
        self._check_inputs_isinstance(actual, expected, cls=(bool, *_numpy_type("bool_")))
        super().__init__(bool(actual), bool(expected), id=id, **other_parameters)

    def compare(self) -> None:
        """Raises ErrorMeta unless the bools are the same."""
        if self.actual is not self.expected:
            self._fail(AssertionError, f"Booleans mismatch: {self.actual} is not {self.expected}")


class NumberPair(Pair):
    """Two Python (or NumPy) numbers, compared with tolerances: ``|a - e| <= atol + rtol * |e|``.

    Args:
        actual (number): what was computed.
        expected (number): what should be.
        id (tuple): position in a structure, for error texts. Default: ``()``.
        rtol, atol (float, optional): the tolerances, both or none. Default: ``None``, by the types.
        equal_nan (bool): takes two nan as equal. Default: ``False``.
        check_dtype (bool): requires equal types. Default: ``False``.
        **other_parameters: as for `Pair`.

    Raises:
        UnsupportedInputs: if one is not a number.

    Example:
        >>> from torch.testing._comparison import NumberPair
        >>> NumberPair(1.0, 1.05, rtol=0.1, atol=0.0).compare()
    """

    _TYPE_TO_DTYPE = {int: torch.int64, float: torch.float64, complex: torch.complex128}
    _NUMBER_TYPES = tuple(_TYPE_TO_DTYPE)

    def __init__(
        self,
        actual: Any,
        expected: Any,
        *,
        id: tuple[Any, ...] = (),
        rtol: float | None = None,
        atol: float | None = None,
        equal_nan: bool = False,
        check_dtype: bool = False,
        **other_parameters: Any,
    ) -> None:
        numpy_number = _numpy_type("number")
        self._check_inputs_isinstance(actual, expected, cls=(*self._NUMBER_TYPES, *numpy_number))
        actual, expected = (x.item() if isinstance(x, numpy_number) else x for x in (actual, expected))
        super().__init__(actual, expected, id=id, **other_parameters)
        dtypes = [self._TYPE_TO_DTYPE[type(x)] for x in (actual, expected)]
        self.rtol, self.atol = get_tolerances(*dtypes, rtol=rtol, atol=atol, id=id)
        self.equal_nan = equal_nan
        self.check_dtype = check_dtype

    def compare(self) -> None:
        """Raises ErrorMeta unless the numbers are close."""
        actual, expected = self.actual, self.expected
        if self.check_dtype and type(actual) is not type(expected):
            self._fail(AssertionError, f"The (d)types do not match: {type(actual)} != {type(expected)}.")
        if actual == expected or (self.equal_nan and cmath.isnan(actual) and cmath.isnan(expected)):
            return
        difference = abs(actual - expected)
        if cmath.isfinite(difference) and difference <= self.atol + self.rtol * abs(expected):
            return
        self._fail(AssertionError, make_scalar_mismatch_msg(actual, expected, rtol=self.rtol, atol=self.atol))

    def extra_repr(self) -> Sequence[str]:
        """Returns the names of the attributes that the repr shows besides.

        Returns:
            sequence of str: the names.
        """
        return ("rtol", "atol", "equal_nan", "check_dtype")


class TensorLikePair(Pair):
    """Two tensors, or what `torch.as_tensor` makes tensors of, compared as by `assert_close`.

    Args:
        actual (Any): what was computed.
        expected (Any): what should be.
        id (tuple): position in a structure, for error texts. Default: ``()``.
        allow_subclasses (bool): takes an object of a subclass of the other's class. Default: ``True``.
        rtol, atol (float, optional): the tolerances, both or none. Default: ``None``, by the dtypes.
        equal_nan (bool): takes two nan as equal. Default: ``False``.
        check_device, check_dtype, check_layout (bool): requires equal devices, dtypes, layouts.
            Default: ``True``.
        check_stride (bool): requires equal strides. Default: ``False``.
        **other_parameters: as for `Pair`.

    Raises:
        UnsupportedInputs: if they cannot be compared as tensors.

    Example:
        >>> from torch.testing._comparison import TensorLikePair
        >>> TensorLikePair(torch.ones(2), torch.ones(2)).compare()
    """

    def __init__(
        self, actual: Any, expected: Any, *, id: tuple[Any, ...] = (), allow_subclasses: bool = True,
        rtol: float | None = None, atol: float | None = None, equal_nan: bool = False, check_device: bool = True,
        check_dtype: bool = True, check_layout: bool = True, check_stride: bool = False,
        **other_parameters: Any,
    ):
        if not isinstance(actual, type(expected)) and not isinstance(expected, type(actual)):
            self._inputs_not_supported()
        if not allow_subclasses and type(actual) is not type(expected):
            self._inputs_not_supported()
        actual, expected = self._to_tensor(actual), self._to_tensor(expected)
        for tensor in (actual, expected):
            self._check_supported(tensor, id=id)
        super().__init__(actual, expected, id=id, **other_parameters)
        self.rtol, self.atol = get_tolerances(actual, expected, rtol=rtol, atol=atol, id=id)
        self.equal_nan = equal_nan
        self.check_device = check_device
        self.check_dtype = check_dtype
        self.check_layout = check_layout
        self.check_stride = check_stride

    def _to_tensor(self, tensor_like):
        if isinstance(tensor_like, torch.Tensor):
            return tensor_like
        try:
            return torch.as_tensor(tensor_like)
        except Exception:
            self._inputs_not_supported()

    def _check_supported(self, tensor, *, id):
        if tensor.layout is not torch.strided and tensor.layout not in _SPARSE_PARTS:
            raise ErrorMeta(ValueError, f"Unsupported tensor layout {tensor.layout}", id=id)

    def compare(self) -> None:
        """Raises ErrorMeta unless shapes, attributes and values agree."""
        actual, expected = self.actual, self.expected
        self._compare_attributes(actual, expected)
        if "meta" in (actual.device.type, expected.device.type):
            return
        self._compare_values(*self._equalize_attributes(actual, expected))

    def _compare_attributes(self, actual, expected):
        checks = [
            ("shape", True, actual.shape, expected.shape),
            ("layout", self.check_layout, actual.layout, expected.layout),
            ("device", self.check_device, actual.device, expected.device),
            ("dtype", self.check_dtype, actual.dtype, expected.dtype),
        ]
        if self.check_stride and actual.layout is expected.layout is torch.strided:
            checks.insert(2, ("stride()", True, actual.stride(), expected.stride()))
        for name, wanted, ours, theirs in checks:
            if wanted and ours != theirs:
                self._fail(AssertionError, f"The values for attribute '{name}' do not match: {ours} != {theirs}.")

    def _equalize_attributes(self, actual, expected):
        """Converts both to one device and dtype, so that values can be compared if attributes may differ."""
        if actual.device != expected.device:
            actual, expected = actual.cpu(), expected.cpu()
        if actual.dtype != expected.dtype:
            unsigned = (torch.uint64, torch.uint32, torch.uint16)  # they do not promote with other dtypes
            dtypes = [torch.int64 if t.dtype in unsigned else t.dtype for t in (actual, expected)]
            common = torch.promote_types(*dtypes)
            actual, expected = actual.to(common), expected.to(common)
        if actual.layout is not expected.layout:
            actual, expected = (t if t.layout is torch.strided else t.to_dense() for t in (actual, expected))
        return actual, expected

    def _compare_values(self, actual, expected):
        if actual.dtype.is_floating_point and actual.dtype.itemsize == 1 and (self.rtol != 0.0 or self.atol != 0.0):
            self._fail(
                AssertionError,
                f"Rtol={self.rtol} and atol={self.atol} are not supported for bitwise comparison of low"
                " dimensional floats. Please use rtol=0.0 and atol=0.0.",
            )
        if actual.layout is not torch.strided:
            return self._compare_parts(actual, expected)
        self._compare_regular_values_close(actual, expected, rtol=self.rtol, atol=self.atol, equal_nan=self.equal_nan)

    def _compare_parts(self, actual, expected):
        """Compares two sparse tensors of one layout: values, indices and number of elements."""
        kind, *parts, values = _SPARSE_PARTS[actual.layout]
        counts = [("specified values", actual._nnz(), expected._nnz())]
        if actual.is_sparse:
            counts.insert(0, ("sparse dimensions", actual.sparse_dim(), expected.sparse_dim()))
        for what, ours, theirs in counts:
            if ours != theirs:
                text = f"The number of {what} in sparse {kind} tensors does not match: {ours} != {theirs}"
                self._fail(AssertionError, text)
        for part in parts:
            ours, theirs = getattr(actual, part)(), getattr(expected, part)()
            common, name = torch.promote_types(ours.dtype, theirs.dtype), f"Sparse {kind} {part.removeprefix('_')}"
            self._compare_regular_values_close(
                ours.to(common), theirs.to(common), rtol=0, atol=0, equal_nan=False, identifier=name
            )
        self._compare_regular_values_close(
            getattr(actual, values)(),
            getattr(expected, values)(),
            rtol=self.rtol,
            atol=self.atol,
            equal_nan=self.equal_nan,
            identifier=f"Sparse {kind} values",
        )

    def _compare_regular_values_close(self, actual, expected, *, rtol, atol, equal_nan, identifier=None):
        matches = torch.isclose(actual, expected, rtol=rtol, atol=atol, equal_nan=equal_nan)
        if torch.all(matches):
            return
        tolerances = {"rtol": rtol, "atol": atol, "identifier": identifier}
        if actual.shape == torch.Size([]):
            text = make_scalar_mismatch_msg(actual.item(), expected.item(), **tolerances)
        else:
            text = make_tensor_mismatch_msg(actual, expected, matches, **tolerances)
        self._fail(AssertionError, text)

    def extra_repr(self) -> Sequence[str]:
        """Returns the names of the attributes that the repr shows besides.

        Returns:
            sequence of str: the names.
        """
        return ("rtol", "atol", "equal_nan", "check_device", "check_dtype", "check_layout", "check_stride")


def originate_pairs(
    actual: Any,
    expected: Any,
    *,
    pair_types: Sequence[type[torch.testing._comparison.Pair]],
    sequence_types: tuple[type, ...] = (collections.abc.Sequence,),
    mapping_types: tuple[type, ...] = (collections.abc.Mapping,),
    id: tuple[Any, ...] = (),
    **options: Any,
) -> list[torch.testing._comparison.Pair]:
    """Returns the pairs of two structures of sequences and mappings.

    Args:
        actual (Any): what was computed.
        expected (Any): what should be.
        pair_types (sequence of type): classes of pairs, of which the first that accepts is used.
        sequence_types (tuple of type): types to compare item by item. Default: `Sequence`.
        mapping_types (tuple of type): types to compare key by key. Default: `Mapping`.
        id (tuple): position in a structure, for error texts. Default: ``()``.
        **options: arguments for the pairs.

    Returns:
        list of Pair: the pairs.

    Raises:
        ErrorMeta: if lengths or keys differ, or no class accepts.

    Example:
        >>> from torch.testing._comparison import ObjectPair, originate_pairs
        >>> [pair.id for pair in originate_pairs({"a": [1, 2]}, {"a": [1, 2]}, pair_types=[ObjectPair])]
        [('a', 0), ('a', 1)]
    """
    nested = {"pair_types": pair_types, "sequence_types": sequence_types, "mapping_types": mapping_types, **options}
    if all(isinstance(item, sequence_types) and not isinstance(item, str) for item in (actual, expected)):
        if len(actual) != len(expected):
            raise ErrorMeta(
                AssertionError, f"The length of the sequences mismatch: {len(actual)} != {len(expected)}", id=id
            )
        keys = range(len(actual))
    elif isinstance(actual, mapping_types) and isinstance(expected, mapping_types):
        keys = _common_keys(actual, expected, id)
    else:
        return [_make_pair(actual, expected, pair_types, id, options)]
    return [pair for key in keys for pair in originate_pairs(actual[key], expected[key], id=(*id, key), **nested)]


def _common_keys(actual, expected, id):
    ours, theirs = set(actual.keys()), set(expected.keys())
    if ours != theirs:
        raise ErrorMeta(
            AssertionError,
            "The keys of the mappings do not match:\n"
            f"Missing keys in the actual mapping: {sorted(theirs - ours)}\n"
            f"Additional keys in the actual mapping: {sorted(ours - theirs)}",
            id=id,
        )
    with contextlib.suppress(Exception):
        return sorted(ours)
    return ours


def _make_pair(actual, expected, pair_types, id, options):
    for pair_type in pair_types:
        try:
            return pair_type(actual, expected, id=id, **options)
        except UnsupportedInputs:
            continue
        except ErrorMeta:
            raise
        except Exception as error:
            raise RuntimeError(
                f"Originating a {pair_type.__name__}() at item {''.join(str([item]) for item in id)} with\n\n"
                f"{type(actual).__name__}(): {actual}\n\nand\n\n{type(expected).__name__}(): {expected}\n\n"
                f"resulted in the unexpected exception above. {_FILE_AN_ISSUE}"
            ) from error
    text = f"No comparison pair was able to handle inputs of type {type(actual)} and {type(expected)}."
    raise ErrorMeta(TypeError, text, id=id)


def _make_failure(pair):
    """Compares a pair; returns the error, or None."""
    __tracebackhide__ = True
    try:
        pair.compare()
    except ErrorMeta as failure:
        return failure.with_traceback(None)  # its frames would keep the tensors alive
    except Exception as error:
        text = f"Comparing\n\n{pair}\n\nresulted in the unexpected exception above. {_FILE_AN_ISSUE}"
        raise RuntimeError(text) from error
    return None


def not_close_error_metas(
    actual: Any,
    expected: Any,
    *,
    pair_types: Sequence[type[torch.testing._comparison.Pair]] = (ObjectPair,),
    sequence_types: tuple[type, ...] = (collections.abc.Sequence,),
    mapping_types: tuple[type, ...] = (collections.abc.Mapping,),
    **options: Any,
) -> list[torch.testing._comparison.ErrorMeta]:
    r"""Returns the failures of all pairs of two structures.

    Args:
        actual (Any): what was computed.
        expected (Any): what should be.
        pair_types (sequence of type): classes of pairs. Default: `ObjectPair`.
        sequence_types (tuple of type): types to compare item by item. Default: `Sequence`.
        mapping_types (tuple of type): types to compare key by key. Default: `Mapping`.
        **options: arguments for the pairs.

    Returns:
        list of ErrorMeta: the failures.

    Raises:
        AssertionError: if lengths or keys differ.

    Example:
        >>> from torch.testing._comparison import not_close_error_metas
        >>> [str(failure.to_error()) for failure in not_close_error_metas([1, 2], [1, 3])]
        ['2 != 3\n\nThe failure occurred for item [1]']
    """
    __tracebackhide__ = True
    try:
        kinds = {"pair_types": pair_types, "sequence_types": sequence_types, "mapping_types": mapping_types}
        pairs = originate_pairs(actual, expected, **kinds, **options)
    except ErrorMeta as different:
        raise different.to_error() from None
    return [failure for failure in map(_make_failure, pairs) if failure is not None]


def assert_close(
    actual: Any, expected: Any, *, allow_subclasses: bool = True, rtol: float | None = None,
    atol: float | None = None, equal_nan: bool = False, check_device: bool = True, check_dtype: bool = True,
    check_layout: bool = True, check_stride: bool = False, msg: str | Callable[[str], str] | None = None,
):
    """Raises AssertionError unless two tensors, numbers, or structures of them agree.

    Values agree where ``|actual - expected| <= atol + rtol * |expected|``, and infinities where they
    are equal. Default tolerances ``(rtol, atol)``: float64 ``(1e-7, 1e-7)``, float32 ``(1.3e-6,
    1e-5)``, float16 ``(1e-3, 1e-5)``, bfloat16 ``(1.6e-2, 1e-5)``, others 0; of two dtypes the
    larger. Shapes always have to be equal. Sequences and mappings are compared item by item, sparse
    tensors by their parts.

    Args:
        actual (Any): what was computed.
        expected (Any): what it should be.
        allow_subclasses (bool): lets tensors of related types be compared. Default: ``True``.
        rtol, atol (float, optional): tolerances; both or none.
        equal_nan (bool): NaN agrees with NaN. Default: ``False``.
        check_device (bool): devices have to be equal. Default: ``True``.
        check_dtype (bool): dtypes have to be equal; else both are promoted. Default: ``True``.
        check_layout (bool): layouts have to be equal. Default: ``True``.
        check_stride (bool): strides have to be equal. Default: ``False``.
        msg (str or callable, optional): text of the error, or a function of the generated text.

    Returns:
        None.

    Raises:
        AssertionError: when something differs; the text says how much, and where.
        ValueError: when only one tolerance is given.
        TypeError: when inputs are of kinds that cannot be compared.

    Example:
        >>> torch.testing.assert_close(torch.tensor([1.0]), torch.tensor([1.0 + 1e-7]))
        >>> try:
        ...     torch.testing.assert_close(torch.tensor([1.0, 2.0]), torch.tensor([1.0, 3.0]))
        ... except AssertionError as error:
        ...     print(str(error).splitlines()[2])
        Mismatched elements: 1 / 2 (50.0%)
    """
    __tracebackhide__ = True
    failures = not_close_error_metas(
        actual, expected, pair_types=(NonePair, BooleanPair, NumberPair, TensorLikePair), rtol=rtol, atol=atol,
        equal_nan=equal_nan, allow_subclasses=allow_subclasses, check_device=check_device, check_dtype=check_dtype,
        check_layout=check_layout, check_stride=check_stride, msg=msg,
    )
    if failures:
        raise failures[0].to_error(msg)


_ALLCLOSE_PRECISIONS = {
    torch.float16: (1e-3, 1e-3),
    torch.float32: (1e-4, 1e-5),
    torch.float64: (1e-5, 1e-8),
}


def assert_allclose(
    actual: Any,
    expected: Any,
    rtol: float | None = None,
    atol: float | None = None,
    equal_nan: bool = True,
    msg: str = "",
) -> None:
    """Raises AssertionError unless two tensors agree; deprecated: use `assert_close`.

    Dtypes may differ, and the default tolerances are wider: float32 ``(1e-4, 1e-5)``, float64
    ``(1e-5, 1e-8)``.

    Args:
        actual (Any): what was computed.
        expected (Any): what it should be.
        rtol, atol (float, optional): tolerances.
        equal_nan (bool): NaN agrees with NaN. Default: ``True``.
        msg (str): text of the error. Default: ``""``, a generated one.

    Raises:
        AssertionError: when values differ.

    Example:
        >>> import warnings
        >>> with warnings.catch_warnings():
        ...     warnings.simplefilter("ignore")
        ...     torch.testing.assert_allclose(torch.tensor([1.0]), [1.00001])
    """
    warnings.warn(
        "`torch.testing.assert_allclose()` is deprecated since 1.12 and will be removed in a future release. "
        "Please use `torch.testing.assert_close()` instead. "
        "You can find detailed upgrade instructions in https://github.com/pytorch/pytorch/issues/61844.",
        FutureWarning,
        stacklevel=2,
    )
    actual = actual if isinstance(actual, torch.Tensor) else torch.tensor(actual)
    if not isinstance(expected, torch.Tensor):
        expected = torch.tensor(expected, dtype=actual.dtype)
    tolerances = rtol, atol
    if tolerances == (None, None):
        tolerances = default_tolerances(actual, expected, dtype_precisions=_ALLCLOSE_PRECISIONS)
    options = dict(zip(("rtol", "atol"), tolerances), equal_nan=equal_nan, check_dtype=False)
    assert_close(actual, expected, msg=msg or None, **options)
