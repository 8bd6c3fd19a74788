"""torch.testing.make_tensor: random tensors of any dtype within a range."""

import collections.abc
import math
import sys
import warnings

torch = sys.modules[__package__.partition(".")[0]]


def _list_dtypes_from_names(names):
    return [getattr(torch, name) for name in names.split()]


_INTEGRAL_TYPES = _list_dtypes_from_names("uint8 int8 int16 int32 int64 uint16 uint32 uint64")
_COMPLEX_TYPES = _list_dtypes_from_names("complex32 complex64 complex128")
_FLOATING_8BIT_TYPES = _list_dtypes_from_names("float8_e4m3fn float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz")
_FLOATING_OR_COMPLEX_TYPES = [*_list_dtypes_from_names("float16 bfloat16 float32 float64"), *_COMPLEX_TYPES]
_BOOLEAN_OR_INTEGRAL_TYPES = [torch.bool, *_INTEGRAL_TYPES]


def _uniform_random_(t, low, high):
    if high - low >= torch.finfo(t.dtype).max:
        return t.uniform_(low / 2, high / 2).mul_(2)  # the difference of the bounds would overflow
    return t.uniform_(low, high)


def _value_range_of(dtype):
    """Returns (smallest value, bound above all values, default low, default high)."""
    if dtype is torch.bool:
        return 0, 2, 0, 2
    if dtype in _INTEGRAL_TYPES:
        info = torch.iinfo(dtype)
        return info.min, info.max + (1 if dtype is not torch.int64 else 0), -9, 10
    info = torch.finfo(dtype)
    return info.min, info.max, -9, 9


def _check_bounds(dtype, low, high):
    lowest, highest, default_low, default_high = _value_range_of(dtype)
    low = default_low if low is None else low
    high = default_high if high is None else high
    if any(isinstance(value, float) and math.isnan(value) for value in (low, high)):
        raise ValueError(f"`low` and `high` cannot be NaN, but got {low=} and {high=}")
    if low == high and dtype in _FLOATING_OR_COMPLEX_TYPES:
        warnings.warn(
            "Passing `low==high` to `torch.testing.make_tensor` for floating or complex types is deprecated since 2.1 "
            "and will be removed in 2.3. Use `torch.full(...)` instead.",
            FutureWarning,
            stacklevel=3,
        )
    elif low >= high:
        raise ValueError(f"`low` must be less than `high`, but got {low} >= {high}")
    elif high < lowest or low >= highest:
        raise ValueError(
            f"The value interval specified by `low` and `high` is [{low}, {high}), "
            f"but {dtype} only supports [{lowest}, {highest})"
        )
    low, high = (min(max(value, lowest), highest) for value in (low, high))
    if dtype in _BOOLEAN_OR_INTEGRAL_TYPES:
        return math.ceil(low), math.ceil(high)
    return low, high


def make_tensor(
    *shape: int | torch.Size | list[int] | tuple[int, ...],
    dtype: torch.dtype,
    device: str | torch.device,
    low: float | None = None,
    high: float | None = None,
    requires_grad: bool = False,
    noncontiguous: bool = False,
    exclude_zero: bool = False,
    memory_format: torch.memory_format | None = None,
) -> torch.Tensor:
    """Returns a tensor of random values in a range, for tests.

    Values are uniform in [low, high), by default in [-9, 9) for floating-point and complex dtypes
    (real and imaginary part), -9 .. 9 for integers (0 .. 9 for unsigned ones), and both values for
    bool. Bounds are clamped to what the dtype can hold.

    Args:
        *shape (int or sequence of int): the shape.
        dtype (torch.dtype): the dtype.
        device (str or torch.device): the device.
        low (float, optional): lowest value.
        high (float, optional): upper bound, not included.
        requires_grad (bool): whether the result requires gradients. Default: ``False``.
        noncontiguous (bool): makes the last stride 2; excludes `memory_format`. Default: ``False``.
        exclude_zero (bool): replaces zeros by 1, or by the smallest positive number. Default:
            ``False``.
        memory_format (torch.memory_format, optional): order of dimensions in memory.

    Returns:
        Tensor: the random tensor.

    Raises:
        ValueError: when the bounds, or options together, are not valid.
        TypeError: when the dtype is not supported.

    Example:
        >>> x = torch.testing.make_tensor((2, 3), dtype=torch.int64, device="cpu", low=0, high=5)
        >>> x.shape, bool(((x >= 0) & (x < 5)).all())
        (torch.Size([2, 3]), True)
    """
    if len(shape) == 1 and isinstance(shape[0], collections.abc.Sequence):
        shape = shape[0]
    shape = tuple(shape)
    if noncontiguous and memory_format is not None:
        raise ValueError(
            f"The parameters `noncontiguous` and `memory_format` are mutually exclusive, "
            f"but got {noncontiguous=} and {memory_format=}"
        )
    if requires_grad and dtype in _BOOLEAN_OR_INTEGRAL_TYPES:
        raise ValueError(f"`requires_grad=True` is not supported for boolean and integral dtypes, but got {dtype=}")
    if dtype not in (*_BOOLEAN_OR_INTEGRAL_TYPES, *_FLOATING_OR_COMPLEX_TYPES, *_FLOATING_8BIT_TYPES):
        raise TypeError(
            f"The requested dtype '{dtype}' is not supported by torch.testing.make_tensor()."
            " To request support, file an issue at: https://github.com/pytorch/pytorch/issues"
        )
    spread = noncontiguous and math.prod(shape) > 1
    if spread:
        shape = (*shape[:-1], 2 * shape[-1])
    low, high = _check_bounds(dtype, low, high)
    if dtype in _BOOLEAN_OR_INTEGRAL_TYPES:
        result = torch.randint(low, high, shape, device=device, dtype=dtype)
    elif dtype in _FLOATING_8BIT_TYPES:
        result = _uniform_random_(torch.empty(shape, device=device, dtype=torch.float32), low, high).to(dtype)
    else:
        result = torch.empty(shape, device=device, dtype=dtype)
        _uniform_random_(torch.view_as_real(result) if dtype in _COMPLEX_TYPES else result, low, high)
    if spread:
        result = result[..., 1::2]
    elif memory_format is not None:
        result = result.clone(memory_format=memory_format)
    if exclude_zero:
        result[result == 0] = 1 if dtype in _BOOLEAN_OR_INTEGRAL_TYPES else torch.finfo(dtype).tiny
    if dtype in _FLOATING_OR_COMPLEX_TYPES:
        result.requires_grad = requires_grad
    return result
