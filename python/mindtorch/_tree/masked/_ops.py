"""Masked reductions and normalizations: replace masked-out elements by the neutral element."""

import sys

from . import _sparse
from .maskedtensor.core import is_masked_tensor
from .maskedtensor.creation import as_masked_tensor

torch = sys.modules[__package__.rpartition(".")[0]]

_SPARSE = (torch.sparse_coo, torch.sparse_csr)

# Names of the masked reductions and of the masked normalizations, for `_output_mask`.
_REDUCTIONS = frozenset("sum prod amax amin argmax argmin mean median norm var std logsumexp".split())
_NORMALIZATIONS = frozenset("softmax log_softmax softmin normalize cumsum cumprod".split())
_LOW = frozenset(("amax", "argmax", "logaddexp", "logsumexp"))
_HIGH = frozenset(("amin", "argmin"))


def _reduction_identity(op_name, input, *args):
    """Returns the neutral element of a reduction; None if there is no single one."""
    dtype = input.dtype
    name = op_name.rsplit(".", 1)[-1]
    value = None
    if name in ("mean", "var", "std"):
        return None
    if name in ("sum", "cumsum"):
        value = 0
    elif name in ("prod", "cumprod"):
        value = 1
    elif name in _LOW or name in _HIGH:
        value = _extreme_value_of_dtype(dtype, lowest=name in _LOW, complex_allowed=name == "logsumexp")
    elif name == "norm":
        value = 0
        if args and args[0] == float("-inf"):
            if not dtype.is_floating_point:
                raise AssertionError(f"input must be floating point, got {dtype}")
            value = torch.inf
    elif name == "median":  # computed by nanmedian, which ignores NaN
        value, dtype = torch.nan, dtype if dtype.is_floating_point else torch.float
    if value is None:
        raise NotImplementedError(f"identity of {name} on {dtype} input")
    return torch.tensor(value, dtype=dtype, device=input.device)


def _extreme_value_of_dtype(dtype, *, lowest, complex_allowed):
    if dtype.is_floating_point:
        return -torch.inf if lowest else torch.inf
    if dtype.is_complex:
        return complex(-torch.inf, 0.0) if complex_allowed else None
    if dtype.is_signed or dtype == torch.uint8:
        limits = torch.iinfo(dtype)
        return limits.min if lowest else limits.max
    return None


def _canonical_dim(dim, ndim):
    """Returns `dim` as a sorted tuple of non-negative numbers; None and () mean all dimensions."""
    if dim is None or dim == ():
        return tuple(range(ndim))
    room = max(ndim, 1)
    given = (dim,) if isinstance(dim, (int, torch.SymInt)) else dim
    found = []
    for d in given:
        if d in found:
            raise RuntimeError(f"dim={d} appears multiple times in the list of dims")
        if not (d >= -room and d < room):  # in this order, so that non-numbers fail as in torch
            raise IndexError(f"Dimension out of range (expected to be in range of [{-room}, {room - 1}], but got {d})")
        found.append(d % room)
    return tuple(sorted(found))


def _any(mask, dims, keepdim):
    for d in reversed(dims):
        mask = mask.any(dim=d, keepdim=keepdim)
    return mask


def _where(mask, input, fill_value):
    """Returns `input` where the mask is set, `fill_value` elsewhere."""
    if mask.layout in _SPARSE:
        if input.layout != mask.layout:
            name = str(mask.layout).removeprefix("torch.")
            raise AssertionError(f"input.layout must be {name}, got {input.layout}")
        return _sparse.where(mask, input, fill_value)
    if mask.layout != torch.strided:
        raise ValueError(f"_where expects strided or sparse COO or sparse CSR tensor but got {mask.layout}")
    return torch.where(mask, input, fill_value)


def _input_mask(input, *args, **kwargs):
    """Returns the mask given as `mask=`, as bool and in the shape of the input."""
    if input.layout not in (torch.strided, *_SPARSE):
        raise ValueError(f"_input_mask expects strided or sparse COO or sparse CSR tensor but got {input.layout}")
    mask = kwargs.get("mask")
    if mask is None:
        raise ValueError("_input_mask requires explicit mask")
    if mask.shape != input.shape and mask.ndim > input.ndim:
        raise IndexError("_input_mask expected broadcastable mask (got mask dimensionality higher than of the input)")
    if input.layout != torch.strided or mask.layout != torch.strided:
        mask = _sparse.convert_mask_to_layout(mask, input)
    elif mask.shape != input.shape:
        mask = torch.broadcast_to(mask.clone(), input.shape)
    return mask.to(dtype=torch.bool)


def _output_mask(op, input, *args, **kwargs):
    """Returns which elements of a masked operation's result depend on at least one element that is not masked out."""
    if not callable(op):
        raise ValueError(f"_output_mask expected masked operation (got {type(op).__name__} object)")
    name = op.__name__
    if name in _NORMALIZATIONS:
        return _input_mask(input, *args, **kwargs)
    if name not in _REDUCTIONS:
        raise ValueError(f"_output_mask expected masked operation (got callable {op.__module__}.{name})")
    positional = args[1:] if name == "norm" else args  # the order of the norm comes first
    dim = positional[0] if positional else kwargs.get("dim")
    mask = _input_mask(input, *positional, **kwargs)
    return _any(mask, _canonical_dim(dim, input.ndim), bool(kwargs.get("keepdim", False)))


class Combine(torch.autograd.Function):
    """Applies replace(data, mask); the gradient of a masked tensor is masked, too."""

    @staticmethod
    def forward(ctx, data, data_mask, replace):
        ctx.save_for_backward(data_mask)
        if data_mask is not None:
            ctx.mark_non_differentiable(data_mask)
        return replace(data, data_mask)

    @staticmethod
    def backward(ctx, grad):
        (data_mask,) = ctx.saved_tensors
        return as_masked_tensor(grad.get_data() if is_masked_tensor(grad) else grad, data_mask), None, None


def _combine_input_and_mask(op, input, mask, *args):
    """Returns the input with masked-out elements replaced by the operation's neutral element; differentiable."""

    def replace_masked_elements(data, data_mask):
        if data_mask is None:
            return data
        canonical = _input_mask(data, mask=data_mask)
        if not callable(op):
            raise ValueError(f"_combine_input_and_mask expected masked operation (got {type(op).__name__} object)")
        return _where(canonical, data, _reduction_identity(op.__name__, data, *args))

    if not is_masked_tensor(input):
        return replace_masked_elements(input, mask)

    return Combine.apply(input.get_data(), input.get_mask(), replace_masked_elements)


def _check_strided(name, tensor, layouts="strided, sparse_coo or sparse_csr"):
    if tensor.layout != torch.strided:
        raise ValueError(f"masked {name} expects {layouts} tensor (got {tensor.layout} tensor)")
    return tensor


def _sum_dtype_of(dtype):
    """Returns the dtype in which integers and bool are summed."""
    small = (torch.uint8, torch.bool, torch.int8, torch.int16, torch.int32)
    return torch.int64 if dtype in small else dtype


def _dtype_of_reduction_result(name, input):
    return input.dtype if input.layout in _SPARSE else _check_strided(name, input).dtype


def _require_mask(name, input, mask):
    if mask is None and input.layout in _SPARSE:
        if name == "amin" and input.layout == torch.sparse_coo:
            name = "amax"  # as in torch's text
        layout = str(input.layout).removeprefix("torch.")
        raise ValueError(f"masked {name} expects explicit mask for {layout} tensor input")


def sum(
    input: torch.Tensor | torch.masked.maskedtensor.core.MaskedTensor,
    dim: tuple[int, ...] | None = None,
    *,
    keepdim: bool | None = False,
    dtype: int | None = None,
    mask: torch.Tensor | None = None,
) -> torch.Tensor:
    """Computes sums of the elements that a mask leaves in.

    Masked-out elements count as 0. Integers and bools are summed in int64.

    Args:
        input (Tensor or MaskedTensor): the values.
        dim (int or tuple of int, optional): dimensions to reduce; None for all. Default: ``None``.
        keepdim (bool): keeps reduced dimensions with size 1. Default: ``False``.
        dtype (torch.dtype, optional): dtype of the result. Default: that of `input`.
        mask (Tensor, optional): bool, broadcast to `input`; True leaves an element in. Default: all in.

    Returns:
        Tensor: the reduced values.

    Example:
        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> mask = torch.tensor([[True, False], [True, True]])
        >>> torch.masked.sum(x, 1, mask=mask)
        tensor([1., 7.])
    """
    if dtype is None:
        dtype = _sum_dtype_of(_dtype_of_reduction_result("sum", input))
    dims = _canonical_dim(dim, input.ndim)
    left = _combine_input_and_mask(sum, input, mask)
    if left.layout in _SPARSE:
        return _sparse.reduce_stored_elements("sum", left, dims, bool(keepdim), dtype, _reduction_identity("sum", left))
    _check_strided("sum", left)
    return torch.sum(left, dims, bool(keepdim), dtype=dtype)


def prod(
    input: torch.Tensor | torch.masked.maskedtensor.core.MaskedTensor,
    dim: tuple[int, ...] | None = None,
    *,
    keepdim: bool | None = False,
    dtype: int | None = None,
    mask: torch.Tensor | None = None,
) -> torch.Tensor:
    """Computes products of the elements that a mask leaves in.

    Masked-out elements count as 1. Integers and bools are multiplied in int64.

    Args:
        input (Tensor or MaskedTensor): the values.
        dim (int or tuple of int, optional): dimensions to reduce; None for all. Default: ``None``.
        keepdim (bool): keeps reduced dimensions with size 1. Default: ``False``.
        dtype (torch.dtype, optional): dtype of the result. Default: that of `input`.
        mask (Tensor, optional): bool, broadcast to `input`; True leaves an element in. Default: all in.

    Returns:
        Tensor: the reduced values.

    Example:
        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> mask = torch.tensor([[True, False], [True, True]])
        >>> torch.masked.prod(x, 1, mask=mask)
        tensor([ 1., 12.])
    """
    if dtype is None:
        dtype = _sum_dtype_of(_dtype_of_reduction_result("prod", input))
    dims = _canonical_dim(dim, input.ndim)
    left = _combine_input_and_mask(prod, input, mask)
    if left.layout in _SPARSE:
        _require_mask("prod", left, mask)
        return _sparse.reduce_stored_elements(
            "prod", left, dims, bool(keepdim), dtype, _reduction_identity("prod", left)
        )
    result = _check_strided("prod", left).to(dtype=dtype)
    for d in reversed(dims):
        result = result.prod(dim=d, keepdim=bool(keepdim))
    return result


def _scan_masked(name, op, identity_of, input, dim, dtype, mask):
    if dtype is None:
        dtype = input.dtype
    d = _canonical_dim(dim, input.ndim)[0]
    left = _check_strided(name, _combine_input_and_mask(identity_of, input, mask), "strided")
    return op(left, d, dtype=dtype).to(dtype=dtype)


def cumsum(
    input: torch.Tensor, dim: int, *, dtype: int | None = None, mask: torch.Tensor | None = None
) -> torch.Tensor:
    """Computes running sums along a dimension of the elements that a mask leaves in.

    Masked-out elements count as 0.

    Args:
        input (Tensor): the values.
        dim (int): the dimension.
        dtype (torch.dtype, optional): dtype of the result. Default: that of `input`.
        mask (Tensor, optional): bool, broadcast to `input`; True leaves an element in. Default: all in.

    Returns:
        Tensor: of the shape of `input`.

    Example:
        >>> x = torch.tensor([1.0, 2.0, 3.0])
        >>> torch.masked.cumsum(x, 0, mask=torch.tensor([True, False, True]))
        tensor([1., 1., 4.])
    """
    return _scan_masked("cumsum", torch.cumsum, sum, input, dim, dtype, mask)


def cumprod(
    input: torch.Tensor, dim: int, *, dtype: int | None = None, mask: torch.Tensor | None = None
) -> torch.Tensor:
    """Computes running products along a dimension of the elements that a mask leaves in.

    Masked-out elements count as 1.

    Args:
        input (Tensor): the values.
        dim (int): the dimension.
        dtype (torch.dtype, optional): dtype of the result. Default: that of `input`.
        mask (Tensor, optional): bool, broadcast to `input`; True leaves an element in. Default: all in.

    Returns:
        Tensor: of the shape of `input`.

    Example:
        >>> x = torch.tensor([1.0, 2.0, 3.0])
        >>> torch.masked.cumprod(x, 0, mask=torch.tensor([True, False, True]))
        tensor([1., 1., 3.])
    """
    return _scan_masked("cumprod", torch.cumprod, prod, input, dim, dtype, mask)


def _reduce_masked(name, masked_function, op, input, dim, keepdim, dtype, mask):
    if dtype is None:
        dtype = input.dtype
    left = _combine_input_and_mask(masked_function, input, mask)
    dims = _canonical_dim(dim, left.ndim)
    if left.layout in _SPARSE:
        _require_mask(name, left, mask)
        return _sparse.reduce_stored_elements(name, left, dims, bool(keepdim), dtype, _reduction_identity(name, left))
    return op(_check_strided(name, left), dims, bool(keepdim)).to(dtype=dtype)


def amax(
    input: torch.Tensor | torch.masked.maskedtensor.core.MaskedTensor,
    dim: tuple[int, ...] | None = None,
    *,
    keepdim: bool | None = False,
    dtype: int | None = None,
    mask: torch.Tensor | None = None,
) -> torch.Tensor:
    """Returns the largest of the elements that a mask leaves in.

    Where it leaves none the result is the lowest value of the dtype (minus infinity).

    Args:
        input (Tensor or MaskedTensor): the values.
        dim (int or tuple of int, optional): dimensions to reduce; None for all. Default: ``None``.
        keepdim (bool): keeps reduced dimensions with size 1. Default: ``False``.
        dtype (torch.dtype, optional): dtype of the result. Default: that of `input`.
        mask (Tensor, optional): bool, broadcast to `input`; True leaves an element in. Default: all in.

    Returns:
        Tensor: the reduced values.

    Example:
        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> mask = torch.tensor([[True, False], [True, True]])
        >>> torch.masked.amax(x, 1, mask=mask)
        tensor([1., 4.])
    """
    return _reduce_masked("amax", amax, torch.amax, input, dim, keepdim, dtype, mask)


def amin(
    input: torch.Tensor | torch.masked.maskedtensor.core.MaskedTensor,
    dim: tuple[int, ...] | None = None,
    *,
    keepdim: bool | None = False,
    dtype: int | None = None,
    mask: torch.Tensor | None = None,
) -> torch.Tensor:
    """Returns the smallest of the elements that a mask leaves in.

    Where it leaves none the result is the highest value of the dtype (infinity).

    Args:
        input (Tensor or MaskedTensor): the values.
        dim (int or tuple of int, optional): dimensions to reduce; None for all. Default: ``None``.
        keepdim (bool): keeps reduced dimensions with size 1. Default: ``False``.
        dtype (torch.dtype, optional): dtype of the result. Default: that of `input`.
        mask (Tensor, optional): bool, broadcast to `input`; True leaves an element in. Default: all in.

    Returns:
        Tensor: the reduced values.

    Example:
        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> mask = torch.tensor([[True, False], [True, True]])
        >>> torch.masked.amin(x, 1, mask=mask)
        tensor([1., 3.])
    """
    return _reduce_masked("amin", amin, torch.amin, input, dim, keepdim, dtype, mask)


def _argmin_or_argmax(name, masked_function, op, input, dim, keepdim, dtype, mask):
    if dtype is None:
        dtype = input.dtype
    left = _check_strided(name, _combine_input_and_mask(masked_function, input, mask), "strided")
    return op(left, dim, bool(keepdim)).to(dtype=dtype)


def argmax(
    input: torch.Tensor | torch.masked.maskedtensor.core.MaskedTensor,
    dim: int | None = None,
    *,
    keepdim: bool | None = False,
    dtype: int | None = None,
    mask: torch.Tensor | None = None,
) -> torch.Tensor:
    """Returns the index of the largest of the elements that a mask leaves in.

    Where it leaves none, or in ties, the index is that of one of the extremes.

    Args:
        input (Tensor or MaskedTensor): the values.
        dim (int, optional): dimension to reduce; None for the flattened input. Default: ``None``.
        keepdim (bool): keeps reduced dimensions with size 1. Default: ``False``.
        dtype (torch.dtype, optional): dtype of the result. Default: that of `input`.
        mask (Tensor, optional): bool, broadcast to `input`; True leaves an element in. Default: all in.

    Returns:
        Tensor: indices, in the given dtype.

    Example:
        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> mask = torch.tensor([[True, False], [True, False]])
        >>> torch.masked.argmax(x, 1, dtype=torch.int64, mask=mask)
        tensor([0, 0])
    """
    return _argmin_or_argmax("argmax", argmax, torch.argmax, input, dim, keepdim, dtype, mask)


def argmin(
    input: torch.Tensor | torch.masked.maskedtensor.core.MaskedTensor,
    dim: int | None = None,
    *,
    keepdim: bool | None = False,
    dtype: int | None = None,
    mask: torch.Tensor | None = None,
) -> torch.Tensor:
    """Returns the index of the smallest of the elements that a mask leaves in.

    Where it leaves none, or in ties, the index is that of one of the extremes.

    Args:
        input (Tensor or MaskedTensor): the values.
        dim (int, optional): dimension to reduce; None for the flattened input. Default: ``None``.
        keepdim (bool): keeps reduced dimensions with size 1. Default: ``False``.
        dtype (torch.dtype, optional): dtype of the result. Default: that of `input`.
        mask (Tensor, optional): bool, broadcast to `input`; True leaves an element in. Default: all in.

    Returns:
        Tensor: indices, in the given dtype.

    Example:
        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> mask = torch.tensor([[True, False], [True, False]])
        >>> torch.masked.argmin(x, 1, dtype=torch.int64, mask=mask)
        tensor([0, 0])
    """
    return _argmin_or_argmax("argmin", argmin, torch.argmin, input, dim, keepdim, dtype, mask)


def _count_and_total(input, dim, keepdim, dtype, mask):
    """Returns the number of elements that take part, their sum, and the mask in the input's shape (None if all do)."""
    if mask is None:
        ones = torch.ones(input.shape, dtype=torch.int64, device=input.device)
        return sum(ones, dim, keepdim=keepdim), sum(input, dim, keepdim=keepdim, dtype=dtype), None
    inmask = _input_mask(input, mask=mask)
    count = inmask.sum(dim=dim, keepdim=bool(keepdim))
    return count, sum(input, dim, keepdim=keepdim, dtype=dtype, mask=inmask), inmask


def _mean_of_csr_rows(input, dim, keepdim, dtype, mask):
    """Reduces a tensor of layout sparse_csr."""
    _require_mask("mean", input, mask)
    if not keepdim:
        raise AssertionError("reduction operations on CSR tensors with keepdim=False is unsupported")
    total = sum(input, dim, keepdim=True, dtype=dtype, mask=mask)
    ones = _sparse.where(_input_mask(input, mask=mask), input)
    ones = torch.sparse_csr_tensor(
        ones.crow_indices(), ones.col_indices(), torch.ones_like(ones.values(), dtype=torch.int64), ones.shape
    )
    count = sum(ones, dim, keepdim=True)
    values = total.values() / count.values()
    return torch.sparse_csr_tensor(total.crow_indices(), total.col_indices(), values, total.shape)


def mean(
    input: torch.Tensor | torch.masked.maskedtensor.core.MaskedTensor,
    dim: tuple[int, ...] | None = None,
    *,
    keepdim: bool | None = False,
    dtype: int | None = None,
    mask: torch.Tensor | None = None,
) -> torch.Tensor:
    """Computes averages of the elements that a mask leaves in.

    NaN where it leaves none. The dtype must be floating-point or complex.

    Args:
        input (Tensor or MaskedTensor): the values.
        dim (int or tuple of int, optional): dimensions to reduce; None for all. Default: ``None``.
        keepdim (bool): keeps reduced dimensions with size 1. Default: ``False``.
        dtype (torch.dtype, optional): dtype of the result. Default: that of `input`.
        mask (Tensor, optional): bool, broadcast to `input`; True leaves an element in. Default: all in.

    Returns:
        Tensor: the reduced values.

    Example:
        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> mask = torch.tensor([[True, False], [True, True]])
        >>> torch.masked.mean(x, 1, mask=mask)
        tensor([1.0000, 3.5000])
    """
    source = "Input" if dtype is None else "Optional"
    if dtype is None:
        dtype = input.dtype
    if not (dtype.is_floating_point or dtype.is_complex):
        raise ValueError(
            f"mean(): Could not infer output dtype. {source} dtype must be either "
            f"a floating point or complex dtype. Got: {dtype}"
        )
    if input.layout == torch.sparse_csr:
        return _mean_of_csr_rows(input, dim, keepdim, dtype, mask)
    _check_strided("mean", input, "strided or sparse_csr")
    count, total, _ = _count_and_total(input, dim, keepdim, dtype, mask)
    return total / count


def median(
    input: torch.Tensor | torch.masked.maskedtensor.core.MaskedTensor,
    dim: int = -1,
    *,
    keepdim: bool = False,
    dtype: int | None = None,
    mask: torch.Tensor | None = None,
) -> torch.Tensor:
    """Returns the lower median along a dimension of the elements that a mask leaves in.

    NaN where it leaves none; integers are compared as float32, and then a mask that leaves none is an
    error.

    Args:
        input (Tensor or MaskedTensor): the values.
        dim (int): the dimension. Default: ``-1``.
        keepdim (bool): keeps reduced dimensions with size 1. Default: ``False``.
        dtype (torch.dtype, optional): dtype of the result. Default: that of `input`.
        mask (Tensor, optional): bool, broadcast to `input`; True leaves an element in. Default: all in.

    Returns:
        Tensor: the medians.

    Raises:
        ValueError: when nothing is left of a row of integers.

    Example:
        >>> x = torch.tensor([1.0, 2.0, 3.0, 4.0])
        >>> torch.masked.median(x, mask=torch.tensor([False, True, True, True]))
        tensor(3.)
    """
    if dtype is None:
        dtype = input.dtype
    d = _canonical_dim(dim, input.ndim)[0]
    is_float = torch.is_floating_point(input)
    if not is_float:
        input = input.to(dtype=torch.float)
    left = _check_strided("median", _combine_input_and_mask(median, input, mask), "strided")
    output = torch.nanmedian(left, d, keepdim).values
    if is_float:
        return output
    if torch.isnan(output).any():
        raise ValueError("masked median expects no fully masked out rows if dtype is not floating point")
    return output.to(dtype=dtype)


def logsumexp(
    input: torch.Tensor,
    dim: tuple[int, ...] | None = None,
    *,
    keepdim: bool = False,
    dtype: int | None = None,
    mask: torch.Tensor | None = None,
) -> torch.Tensor:
    """Computes ``log(sum(exp(x)))`` over the elements that a mask leaves in.

    Minus infinity where it leaves none.

    Args:
        input (Tensor or MaskedTensor): the values.
        dim (int or tuple of int, optional): dimensions to reduce; None for all. Default: ``None``.
        keepdim (bool): keeps reduced dimensions with size 1. Default: ``False``.
        dtype (torch.dtype, optional): dtype of the result. Default: that of `input`.
        mask (Tensor, optional): bool, broadcast to `input`; True leaves an element in. Default: all in.

    Returns:
        Tensor: the reduced values.

    Example:
        >>> x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])
        >>> mask = torch.tensor([[True, False], [True, True]])
        >>> torch.masked.logsumexp(torch.zeros(2, 2), 1, mask=mask)
        tensor([0.0000, 0.6931])
    """
    if dtype is None:
        dtype = input.dtype
    dims = _canonical_dim(dim, input.ndim)
    left = _check_strided("logsumexp", _combine_input_and_mask(logsumexp, input, mask), "strided")
    return torch.logsumexp(left, dims, keepdim=keepdim).to(dtype=dtype)


def logaddexp(
    input: torch.Tensor | torch.masked.maskedtensor.core.MaskedTensor,
    other: torch.Tensor | torch.masked.maskedtensor.core.MaskedTensor,
    *,
    dtype: int | None = None,
    input_mask: torch.Tensor | None = None,
    other_mask: torch.Tensor | None = None,
) -> torch.Tensor:
    """Computes ``log(exp(input) + exp(other))``, where masked-out elements count as minus infinity.

    Args:
        input (Tensor or MaskedTensor): the values.
        other (Tensor or MaskedTensor): the other values.
        dtype (torch.dtype, optional): dtype of the result. Default: that of `input`.
        input_mask (Tensor, optional): which elements of `input` count. Default: all.
        other_mask (Tensor, optional): which elements of `other` count. Default: all.

    Returns:
        Tensor: of the broadcast shape.

    Example:
        >>> x = torch.zeros(2)
        >>> torch.masked.logaddexp(x, x, other_mask=torch.tensor([True, False]))
        tensor([0.6931, 0.0000])
    """
    if dtype is None:
        dtype = input.dtype
    if input.layout != torch.strided or other.layout != torch.strided:
        raise ValueError(
            f"masked logaddexp expects strided tensors (got {input.layout} tensor for input, {other.layout} for other)"
        )
    left = _combine_input_and_mask(logaddexp, input, input_mask)
    right = _combine_input_and_mask(logaddexp, other, other_mask)
    return torch.logaddexp(left, right).to(dtype=dtype)


def norm(
    input: torch.Tensor | torch.masked.maskedtensor.core.MaskedTensor,
    ord: float | None = 2.0,
    dim: tuple[int, ...] | None = None,
    *,
    keepdim: bool | None = False,
    dtype: int | None = None,
    mask: torch.Tensor | None = None,
) -> torch.Tensor:
    """Computes the vector norm ``sum(|x| ** ord) ** (1 / ord)`` of the elements that a mask leaves in.

    Args:
        input (Tensor or MaskedTensor): the values.
        ord (float): order of the norm; inf and -inf for the largest and smallest ``|x|``. Default:
            ``2.0``.
        dim (int or tuple of int, optional): dimensions to reduce; None for all. Default: ``None``.
        keepdim (bool): keeps reduced dimensions with size 1. Default: ``False``.
        dtype (torch.dtype, optional): dtype of the result. Default: that of `input`.
        mask (Tensor, optional): bool, broadcast to `input`; True leaves an element in. Default: all in.

    Returns:
        Tensor: the norms.

    Example:
        >>> x = torch.tensor([3.0, 4.0, 100.0])
        >>> torch.masked.norm(x, 2.0, 0, mask=torch.tensor([True, True, False]))
        tensor(5.)
    """
    if dtype is None:
        dtype = input.dtype
    left = _check_strided("norm", _combine_input_and_mask(norm, input, mask, ord), "strided")
    return torch.linalg.vector_norm(left, ord, _canonical_dim(dim, input.ndim), bool(keepdim), dtype=dtype)


def _compute_variance(input, dim, unbiased, correction, keepdim, dtype, mask):
    if unbiased is not None and correction is not None:
        raise AssertionError("Only one of unbiased and correction may be given")
    if correction is None:
        correction = 0.0 if unbiased is False else 1.0
    if dtype is None:
        dtype = input.dtype if input.dtype.is_floating_point or input.dtype.is_complex else torch.float32
    compute = dtype if dtype.is_floating_point or dtype.is_complex else torch.float32
    _check_strided("std/var", input, "strided")
    count, total, inmask = _count_and_total(input, dim, True, dtype, mask)
    apart = torch.subtract(input, torch.divide(total, count))
    squares = sum(apart * apart.conj(), dim, keepdim=keepdim, dtype=compute, mask=inmask)
    if not keepdim:
        count = count.reshape(squares.shape)
    if correction != 0:
        real = squares.real.dtype if compute.is_complex else compute
        count = torch.subtract(count.to(real), float(correction))
        count = torch.maximum(count, count.new_zeros([]))
    return torch.divide(squares, count).to(dtype=dtype)


def var(
    input: torch.Tensor | torch.masked.maskedtensor.core.MaskedTensor,
    dim: tuple[int, ...] | None = None,
    unbiased: bool | None = None,
    *,
    correction: int | float | None = None,
    keepdim: bool | None = False,
    dtype: int | None = None,
    mask: torch.Tensor | None = None,
) -> torch.Tensor:
    """Computes variances of the elements that a mask leaves in.

    Sums of squares are divided by ``max(0, n - correction)`` for n elements; NaN where a mask leaves
    none.

    Args:
        input (Tensor or MaskedTensor): the values.
        dim (int or tuple of int, optional): dimensions to reduce; None for all. Default: ``None``.
        unbiased (bool, optional): True for a correction of 1, False for 0; excludes `correction`.
            Default: ``None``.
        correction (int or float, optional): subtracted from the number of elements. Default: 1.
        keepdim (bool): keeps reduced dimensions with size 1. Default: ``False``.
        dtype (torch.dtype, optional): dtype of the result. Default: that of `input`.
        mask (Tensor, optional): bool, broadcast to `input`; True leaves an element in. Default: all in.

    Returns:
        Tensor: the reduced values.

    Example:
        >>> x = torch.tensor([1.0, 3.0, 100.0])
        >>> torch.masked.var(x, 0, correction=0, mask=torch.tensor([True, True, False]))
        tensor(1.)
    """
    return _compute_variance(input, dim, unbiased, correction, keepdim, dtype, mask)


def std(
    input: torch.Tensor | torch.masked.maskedtensor.core.MaskedTensor,
    dim: tuple[int, ...] | None = None,
    unbiased: bool | None = None,
    *,
    correction: int | None = None,
    keepdim: bool | None = False,
    dtype: int | None = None,
    mask: torch.Tensor | None = None,
) -> torch.Tensor:
    """Computes standard deviations of the elements that a mask leaves in.

    Sums of squares are divided by ``max(0, n - correction)`` for n elements; NaN where a mask leaves
    none.

    Args:
        input (Tensor or MaskedTensor): the values.
        dim (int or tuple of int, optional): dimensions to reduce; None for all. Default: ``None``.
        unbiased (bool, optional): True for a correction of 1, False for 0; excludes `correction`.
            Default: ``None``.
        correction (int, optional): subtracted from the number of elements. Default: 1.
        keepdim (bool): keeps reduced dimensions with size 1. Default: ``False``.
        dtype (torch.dtype, optional): dtype of the result. Default: that of `input`.
        mask (Tensor, optional): bool, broadcast to `input`; True leaves an element in. Default: all in.

    Returns:
        Tensor: the reduced values.

    Example:
        >>> x = torch.tensor([1.0, 3.0, 100.0])
        >>> torch.masked.std(x, 0, correction=0, mask=torch.tensor([True, True, False]))
        tensor(1.)
    """
    return torch.sqrt(_compute_variance(input, dim, unbiased, correction, keepdim, dtype, mask))


def _normalize_strided(name, op, identity_of, input, dim, dtype, mask):
    if dtype is None:
        dtype = input.dtype
    d = _canonical_dim(dim, input.ndim)[0]
    return op(_check_strided(name, _combine_input_and_mask(identity_of, input, mask), "strided"), d, dtype=dtype)


def softmax(
    input: torch.Tensor | torch.masked.maskedtensor.core.MaskedTensor,
    dim: int,
    *,
    dtype: int | None = None,
    mask: torch.Tensor | None = None,
) -> torch.Tensor:
    """Computes the softmax along a dimension over the elements that a mask leaves in.

    Masked-out elements become 0. The result is NaN where it leaves none.

    Args:
        input (Tensor or MaskedTensor): the values.
        dim (int): the dimension.
        dtype (torch.dtype, optional): dtype of the result. Default: that of `input`.
        mask (Tensor, optional): bool, broadcast to `input`; True leaves an element in. Default: all in.

    Returns:
        Tensor: of the shape of `input`.

    Example:
        >>> x = torch.tensor([0.0, 5.0, 0.0])
        >>> torch.masked.softmax(x, 0, mask=torch.tensor([True, False, True]))
        tensor([0.5000, 0.0000, 0.5000])
    """
    return _normalize_strided("softmax", torch.nn.functional.softmax, amax, input, dim, dtype, mask)


def log_softmax(
    input: torch.Tensor | torch.masked.maskedtensor.core.MaskedTensor,
    dim: int,
    *,
    dtype: int | None = None,
    mask: torch.Tensor | None = None,
) -> torch.Tensor:
    """Computes the logarithm of the softmax over the elements that a mask leaves in.

    Masked-out elements become minus infinity. The result is NaN where it leaves none.

    Args:
        input (Tensor or MaskedTensor): the values.
        dim (int): the dimension.
        dtype (torch.dtype, optional): dtype of the result. Default: that of `input`.
        mask (Tensor, optional): bool, broadcast to `input`; True leaves an element in. Default: all in.

    Returns:
        Tensor: of the shape of `input`.

    Example:
        >>> x = torch.tensor([0.0, 5.0, 0.0])
        >>> torch.masked.log_softmax(x, 0, mask=torch.tensor([True, False, True]))
        tensor([-0.6931,    -inf, -0.6931])
    """
    return _normalize_strided("log_softmax", torch.nn.functional.log_softmax, amax, input, dim, dtype, mask)


def softmin(
    input: torch.Tensor | torch.masked.maskedtensor.core.MaskedTensor,
    dim: int,
    *,
    dtype: int | None = None,
    mask: torch.Tensor | None = None,
) -> torch.Tensor:
    """Computes the softmin, ``softmax(-x)``, over the elements that a mask leaves in.

    Masked-out elements become 0. The result is NaN where it leaves none.

    Args:
        input (Tensor or MaskedTensor): the values.
        dim (int): the dimension.
        dtype (torch.dtype, optional): dtype of the result. Default: that of `input`.
        mask (Tensor, optional): bool, broadcast to `input`; True leaves an element in. Default: all in.

    Returns:
        Tensor: of the shape of `input`.

    Example:
        >>> x = torch.tensor([0.0, 5.0, 0.0])
        >>> torch.masked.softmin(x, 0, mask=torch.tensor([True, False, True]))
        tensor([0.5000, 0.0000, 0.5000])
    """
    return _normalize_strided("softmin", torch.nn.functional.softmin, amin, input, dim, dtype, mask)


def normalize(
    input: torch.Tensor | torch.masked.maskedtensor.core.MaskedTensor,
    ord: float,
    dim: int,
    *,
    eps: float = 1e-12,
    dtype: int | None = None,
    mask: torch.Tensor | None = None,
) -> torch.Tensor:
    """Divides the elements that a mask leaves in by their norm along a dimension, at least `eps`.

    Masked-out elements become 0.

    Args:
        input (Tensor or MaskedTensor): the values.
        ord (float): order of the norm.
        dim (int): the dimension.
        eps (float): smallest divisor. Default: ``1e-12``.
        dtype (torch.dtype, optional): dtype of the result. Default: that of `input`.
        mask (Tensor, optional): bool, broadcast to `input`; True leaves an element in. Default: all in.

    Returns:
        Tensor: of the shape of `input`.

    Example:
        >>> x = torch.tensor([3.0, 4.0, 100.0])
        >>> torch.masked.normalize(x, 2.0, 0, mask=torch.tensor([True, True, False]))
        tensor([0.6000, 0.8000, 0.0000])
    """
    if dtype is None:
        dtype = input.dtype
    left = _check_strided("normalize", _combine_input_and_mask(sum, input, mask), "strided")
    length = norm(input, ord, dim, keepdim=True, dtype=dtype, mask=mask)
    return torch.divide(left, torch.maximum(length, length.new_full([], eps)))
