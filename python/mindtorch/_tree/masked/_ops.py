"""Masked reductions and normalizations: masked-out elements are replaced by what does not change the result."""

import sys

from . import _sparse
from .maskedtensor.core import is_masked_tensor
from .maskedtensor.creation import as_masked_tensor

torch = sys.modules[__package__.rpartition(".")[0]]

_SPARSE = (torch.sparse_coo, torch.sparse_csr)

# Of dense tensors alone: other layouts are refused with the words that torch has for them.
_REDUCTIONS = frozenset("sum prod amax amin argmax argmin mean median norm var std logsumexp".split())
_NORMALIZATIONS = frozenset("softmax log_softmax softmin normalize cumsum cumprod".split())
_LOW = frozenset(("amax", "argmax", "logaddexp", "logsumexp"))
_HIGH = frozenset(("amin", "argmin"))


def _reduction_identity(op_name, input, *args):
    """The element that leaves a reduction's result as it is; None where there is no single one."""
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
        value = _extreme(dtype, lowest=name in _LOW, complex_allowed=name == "logsumexp")
    elif name == "norm":
        value = 0
        if args and args[0] == float("-inf"):
            if not dtype.is_floating_point:
                raise AssertionError(f"input must be floating point, got {dtype}")
            value = torch.inf
    elif name == "median":  # computed by nanmedian, which leaves NaN out
        value, dtype = torch.nan, dtype if dtype.is_floating_point else torch.float
    if value is None:
        raise NotImplementedError(f"identity of {name} on {dtype} input")
    return torch.tensor(value, dtype=dtype, device=input.device)


def _extreme(dtype, *, lowest, complex_allowed):
    if dtype.is_floating_point:
        return -torch.inf if lowest else torch.inf
    if dtype.is_complex:
        return complex(-torch.inf, 0.0) if complex_allowed else None
    if dtype.is_signed or dtype == torch.uint8:
        limits = torch.iinfo(dtype)
        return limits.min if lowest else limits.max
    return None


def _canonical_dim(dim, ndim):
    """`dim` as a sorted tuple of non-negative numbers; None and () mean all dimensions."""
    if dim is None or dim == ():
        return tuple(range(ndim))
    room = max(ndim, 1)
    given = (dim,) if isinstance(dim, (int, torch.SymInt)) else dim
    found = []
    for d in given:
        if d in found:
            raise RuntimeError(f"dim={d} appears multiple times in the list of dims")
        if not (d >= -room and d < room):  # in this order: what is no number fails as in torch
            raise IndexError(f"Dimension out of range (expected to be in range of [{-room}, {room - 1}], but got {d})")
        found.append(d % room)
    return tuple(sorted(found))


def _any(mask, dims, keepdim):
    for d in reversed(dims):
        mask = mask.any(dim=d, keepdim=keepdim)
    return mask


def _where(mask, input, fill_value):
    """`input` where the mask is set, `fill_value` elsewhere."""
    if mask.layout in _SPARSE:
        if input.layout != mask.layout:
            name = str(mask.layout).removeprefix("torch.")
            raise AssertionError(f"input.layout must be {name}, got {input.layout}")
        return _sparse.where(mask, input)
    if mask.layout != torch.strided:
        raise ValueError(f"_where expects strided or sparse COO or sparse CSR tensor but got {mask.layout}")
    return torch.where(mask, input, fill_value)


def _input_mask(input, *args, **kwargs):
    """The mask given as `mask=`, as bool and in the shape of the input."""
    if input.layout not in (torch.strided, *_SPARSE):
        raise ValueError(f"_input_mask expects strided or sparse COO or sparse CSR tensor but got {input.layout}")
    mask = kwargs.get("mask")
    if mask is None:
        raise ValueError("_input_mask requires explicit mask")
    if mask.shape != input.shape and mask.ndim > input.ndim:
        raise IndexError("_input_mask expected broadcastable mask (got mask dimensionality higher than of the input)")
    if input.layout != torch.strided or mask.layout != torch.strided:
        mask = _sparse.in_layout_of(mask, input)
    elif mask.shape != input.shape:
        mask = torch.broadcast_to(mask.clone(), input.shape)
    return mask.to(dtype=torch.bool)


def _output_mask(op, input, *args, **kwargs):
    """Which elements of a masked operation's result come from at least one element that is not masked out."""
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


def _combine_input_and_mask(op, input, mask, *args):
    """The input with masked-out elements replaced by the operation's identity; differentiable."""

    def replaced(data, data_mask):
        if data_mask is None:
            return data
        canonical = _input_mask(data, mask=data_mask)
        if not callable(op):
            raise ValueError(f"_combine_input_and_mask expected masked operation (got {type(op).__name__} object)")
        return _where(canonical, data, _reduction_identity(op.__name__, data, *args))

    if not is_masked_tensor(input):
        return replaced(input, mask)

    class Combine(torch.autograd.Function):
        """The gradient of a masked tensor is masked likewise."""

        @staticmethod
        def forward(ctx, data, data_mask):
            ctx.save_for_backward(data_mask)
            if data_mask is not None:
                ctx.mark_non_differentiable(data_mask)
            return replaced(data, data_mask)

        @staticmethod
        def backward(ctx, grad):
            (data_mask,) = ctx.saved_tensors
            return as_masked_tensor(grad.get_data() if is_masked_tensor(grad) else grad, data_mask), None

    return Combine.apply(input.get_data(), input.get_mask())


def _strided(name, tensor, layouts="strided, sparse_coo or sparse_csr"):
    if tensor.layout != torch.strided:
        raise ValueError(f"masked {name} expects {layouts} tensor (got {tensor.layout} tensor)")
    return tensor


def _widened(dtype):
    """What integers and bool are summed in."""
    small = (torch.uint8, torch.bool, torch.int8, torch.int16, torch.int32)
    return torch.int64 if dtype in small else dtype


def _dtype_of_reduced(name, input):
    return input.dtype if input.layout in _SPARSE else _strided(name, input).dtype


def _needs_mask(name, input, mask):
    if mask is None and input.layout in _SPARSE:
        if name == "amin" and input.layout == torch.sparse_coo:
            name = "amax"  # as torch says it
        layout = str(input.layout).removeprefix("torch.")
        raise ValueError(f"masked {name} expects explicit mask for {layout} tensor input")


def sum(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The sum over `dim` of the elements that `mask` leaves in."""
    if dtype is None:
        dtype = _widened(_dtype_of_reduced("sum", input))
    dims = _canonical_dim(dim, input.ndim)
    left = _combine_input_and_mask(sum, input, mask)
    if left.layout in _SPARSE:
        return _sparse.reduced("sum", left, dims, bool(keepdim), dtype, _reduction_identity("sum", left))
    _strided("sum", left)
    return torch.sum(left, dims, bool(keepdim), dtype=dtype)


def prod(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The product over `dim` of the elements that `mask` leaves in."""
    if dtype is None:
        dtype = _widened(_dtype_of_reduced("prod", input))
    dims = _canonical_dim(dim, input.ndim)
    left = _combine_input_and_mask(prod, input, mask)
    if left.layout in _SPARSE:
        _needs_mask("prod", left, mask)
        return _sparse.reduced("prod", left, dims, bool(keepdim), dtype, _reduction_identity("prod", left))
    result = _strided("prod", left).to(dtype=dtype)
    for d in reversed(dims):
        result = result.prod(dim=d, keepdim=bool(keepdim))
    return result


def _scanned(name, op, identity_of, input, dim, dtype, mask):
    if dtype is None:
        dtype = input.dtype
    d = _canonical_dim(dim, input.ndim)[0]
    left = _strided(name, _combine_input_and_mask(identity_of, input, mask), "strided")
    return op(left, d, dtype=dtype).to(dtype=dtype)


def cumsum(input, dim, *, dtype=None, mask=None):
    """Running sums along `dim` of the elements that `mask` leaves in."""
    return _scanned("cumsum", torch.cumsum, sum, input, dim, dtype, mask)


def cumprod(input, dim, *, dtype=None, mask=None):
    """Running products along `dim` of the elements that `mask` leaves in."""
    return _scanned("cumprod", torch.cumprod, prod, input, dim, dtype, mask)


def _folded(name, own, op, input, dim, keepdim, dtype, mask):
    if dtype is None:
        dtype = input.dtype
    left = _combine_input_and_mask(own, input, mask)
    dims = _canonical_dim(dim, left.ndim)
    if left.layout in _SPARSE:
        _needs_mask(name, left, mask)
        return _sparse.reduced(name, left, dims, bool(keepdim), dtype, _reduction_identity(name, left))
    return op(_strided(name, left), dims, bool(keepdim)).to(dtype=dtype)


def amax(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The largest over `dim` of the elements that `mask` leaves in."""
    return _folded("amax", amax, torch.amax, input, dim, keepdim, dtype, mask)


def amin(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The smallest over `dim` of the elements that `mask` leaves in."""
    return _folded("amin", amin, torch.amin, input, dim, keepdim, dtype, mask)


def _placed(name, own, op, input, dim, keepdim, dtype, mask):
    if dtype is None:
        dtype = input.dtype
    left = _strided(name, _combine_input_and_mask(own, input, mask), "strided")
    return op(left, dim, bool(keepdim)).to(dtype=dtype)


def argmax(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """Where the largest of the elements that `mask` leaves in is."""
    return _placed("argmax", argmax, torch.argmax, input, dim, keepdim, dtype, mask)


def argmin(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """Where the smallest of the elements that `mask` leaves in is."""
    return _placed("argmin", argmin, torch.argmin, input, dim, keepdim, dtype, mask)


def _count_and_total(input, dim, keepdim, dtype, mask):
    """How many elements take part, their sum, and the mask in the input's shape (None where all do)."""
    if mask is None:
        ones = torch.ones(input.shape, dtype=torch.int64, device=input.device)
        return sum(ones, dim, keepdim=keepdim), sum(input, dim, keepdim=keepdim, dtype=dtype), None
    inmask = _input_mask(input, mask=mask)
    count = inmask.sum(dim=dim, keepdim=bool(keepdim))
    return count, sum(input, dim, keepdim=keepdim, dtype=dtype, mask=inmask), inmask


def _mean_of_rows(input, dim, keepdim, dtype, mask):
    """Of a tensor of layout sparse_csr."""
    _needs_mask("mean", input, mask)
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


def mean(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The average over `dim` of the elements that `mask` leaves in; NaN where it leaves none."""
    source = "Input" if dtype is None else "Optional"
    if dtype is None:
        dtype = input.dtype
    if not (dtype.is_floating_point or dtype.is_complex):
        raise ValueError(
            f"mean(): Could not infer output dtype. {source} dtype must be either "
            f"a floating point or complex dtype. Got: {dtype}"
        )
    if input.layout == torch.sparse_csr:
        return _mean_of_rows(input, dim, keepdim, dtype, mask)
    _strided("mean", input, "strided or sparse_csr")
    count, total, _ = _count_and_total(input, dim, keepdim, dtype, mask)
    return total / count


def median(input, dim=-1, *, keepdim=False, dtype=None, mask=None):
    """The lower median along `dim` of the elements that `mask` leaves in; NaN where it leaves none."""
    if dtype is None:
        dtype = input.dtype
    d = _canonical_dim(dim, input.ndim)[0]
    is_float = torch.is_floating_point(input)
    if not is_float:
        input = input.to(dtype=torch.float)
    left = _strided("median", _combine_input_and_mask(median, input, mask), "strided")
    output = torch.nanmedian(left, d, keepdim).values
    if is_float:
        return output
    if torch.isnan(output).any():
        raise ValueError("masked median expects no fully masked out rows if dtype is not floating point")
    return output.to(dtype=dtype)


def logsumexp(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The logarithm of the sum of exponentials over `dim` of the elements that `mask` leaves in."""
    if dtype is None:
        dtype = input.dtype
    dims = _canonical_dim(dim, input.ndim)
    left = _strided("logsumexp", _combine_input_and_mask(logsumexp, input, mask), "strided")
    return torch.logsumexp(left, dims, keepdim=keepdim).to(dtype=dtype)


def logaddexp(input, other, *, dtype=None, input_mask=None, other_mask=None):
    """log(exp(input) + exp(other)), where masked-out elements count as minus infinity."""
    if dtype is None:
        dtype = input.dtype
    if input.layout != torch.strided or other.layout != torch.strided:
        raise ValueError(
            f"masked logaddexp expects strided tensors (got {input.layout} tensor for input, {other.layout} for other)"
        )
    left = _combine_input_and_mask(logaddexp, input, input_mask)
    right = _combine_input_and_mask(logaddexp, other, other_mask)
    return torch.logaddexp(left, right).to(dtype=dtype)


def norm(input, ord=2.0, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The vector norm over `dim` of the elements that `mask` leaves in."""
    if dtype is None:
        dtype = input.dtype
    left = _strided("norm", _combine_input_and_mask(norm, input, mask, ord), "strided")
    return torch.linalg.vector_norm(left, ord, _canonical_dim(dim, input.ndim), bool(keepdim), dtype=dtype)


def _variance(input, dim, unbiased, correction, keepdim, dtype, mask):
    if unbiased is not None and correction is not None:
        raise AssertionError("Only one of unbiased and correction may be given")
    if correction is None:
        correction = 0.0 if unbiased is False else 1.0
    if dtype is None:
        dtype = input.dtype if input.dtype.is_floating_point or input.dtype.is_complex else torch.float32
    compute = dtype if dtype.is_floating_point or dtype.is_complex else torch.float32
    _strided("std/var", input, "strided")
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


def var(input, dim=None, unbiased=None, *, correction=None, keepdim=False, dtype=None, mask=None):
    """The variance over `dim` of the elements that `mask` leaves in; NaN where it leaves none."""
    return _variance(input, dim, unbiased, correction, keepdim, dtype, mask)


def std(input, dim=None, unbiased=None, *, correction=None, keepdim=False, dtype=None, mask=None):
    """The standard deviation over `dim` of the elements that `mask` leaves in; NaN where it leaves none."""
    return torch.sqrt(_variance(input, dim, unbiased, correction, keepdim, dtype, mask))


def _shared_out(name, op, identity_of, input, dim, dtype, mask):
    if dtype is None:
        dtype = input.dtype
    d = _canonical_dim(dim, input.ndim)[0]
    return op(_strided(name, _combine_input_and_mask(identity_of, input, mask), "strided"), d, dtype=dtype)


def softmax(input, dim, *, dtype=None, mask=None):
    """Softmax along `dim` over the elements that `mask` leaves in."""
    return _shared_out("softmax", torch.nn.functional.softmax, amax, input, dim, dtype, mask)


def log_softmax(input, dim, *, dtype=None, mask=None):
    """The logarithm of softmax along `dim` over the elements that `mask` leaves in."""
    return _shared_out("log_softmax", torch.nn.functional.log_softmax, amax, input, dim, dtype, mask)


def softmin(input, dim, *, dtype=None, mask=None):
    """Softmin along `dim` over the elements that `mask` leaves in."""
    return _shared_out("softmin", torch.nn.functional.softmin, amin, input, dim, dtype, mask)


def normalize(input, ord, dim, *, eps=1e-12, dtype=None, mask=None):
    """The elements that `mask` leaves in, divided by their norm along `dim`, which counts as `eps` at least."""
    if dtype is None:
        dtype = input.dtype
    left = _strided("normalize", _combine_input_and_mask(sum, input, mask), "strided")
    length = norm(input, ord, dim, keepdim=True, dtype=dtype, mask=mask)
    return torch.divide(left, torch.maximum(length, length.new_full([], eps)))
