"""torch.functional: the functions of the root namespace that torch writes in Python."""

import itertools
import operator
import sys
import types
from collections.abc import Sequence

from . import _C, _VF
from ._jit_internal import boolean_dispatch
from ._lazy import lazy_attributes
from .overrides import (
    handle_torch_function,
    has_torch_function,
    has_torch_function_unary,
    has_torch_function_variadic,
)

__all__ = [
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "broadcast_shapes",
    "broadcast_tensors",
    "cartesian_prod",
    "block_diag",
    "cdist",
    "chain_matmul",
    "einsum",
    "lu",
    "norm",
    "meshgrid",
    "split",
    "stft",
    "tensordot",
    "unique",
    "unique_consecutive",
    "unravel_index",
]

torch = sys.modules[__package__]

if hasattr(_C._VariableFunctions, "istft"):
    istft = _C._VariableFunctions.istft
    __all__.append("istft")


__getattr__ = lazy_attributes(__name__, names={"pca_lowrank": "_lowrank", "svd_lowrank": "_lowrank"})


def broadcast_tensors(*tensors):
    """Expands the tensors to their common shape."""
    if has_torch_function(tensors):
        return handle_torch_function(broadcast_tensors, tensors, *tensors)
    return _VF.broadcast_tensors(tensors)


def broadcast_shapes(*shapes):
    """The shape that tensors of these shapes broadcast to."""
    shapes = [(shape,) if isinstance(shape, (int, torch.SymInt)) else shape for shape in shapes if shape is not None]
    for shape in shapes:
        if not isinstance(shape, Sequence):
            raise RuntimeError(
                f"Input shapes should be of type ints, a tuple of ints, or a list of ints, got {shape}"
            )
    common = [1] * max((len(shape) for shape in shapes), default=0)
    for index, shape in enumerate(shapes):
        for dim in range(-1, -1 - len(shape), -1):
            size = shape[dim]
            if size == common[dim]:
                continue
            if common[dim] == 1:
                if size < 0:
                    raise ValueError("Attempting to broadcast a dimension with negative length!")
                common[dim] = size
            elif size != 1:
                raise RuntimeError(
                    f"Attempting to broadcast a dimension of length {size} at {dim}! "
                    f"Mismatching argument at index {index} had {shape}; "
                    f"but expected shape should be broadcastable to {common}"
                )
    return torch.Size(common)


def split(tensor, split_size_or_sections, dim=0):
    """Views of `tensor` of a given size, or of the given sizes, along `dim`."""
    if has_torch_function_unary(tensor):
        return handle_torch_function(split, (tensor,), tensor, split_size_or_sections, dim=dim)
    return tensor.split(split_size_or_sections, dim)


def _subscript_letter(n):
    if n == Ellipsis:
        return "..."
    if n >= 0 and n < 52:  # in this order: what is no number fails as in torch
        return chr(ord("A") + n) if n < 26 else chr(ord("a") + n - 26)
    raise ValueError("einsum(): subscript in subscript list is not within the valid range [0, 52)")


def _equation_from_lists(args):
    """Turns (operand, subscripts, ..., [result subscripts]) into an equation and the operands."""
    letters = ["".join(_subscript_letter(n) for n in subscripts) for subscripts in args[1::2]]
    equation = ",".join(letters)
    if len(args) % 2 == 0:
        return equation, args[::2]
    return equation + "->" + "".join(_subscript_letter(n) for n in args[-1]), args[:-1:2]


def einsum(*args):
    """Sums products of the operands' elements as the equation of subscripts says."""
    if len(args) < 2:
        raise ValueError(
            "einsum(): must specify the equation string and at least one operand, "
            "or at least one operand and its subscripts list"
        )
    if isinstance(args[0], torch.Tensor):
        equation, operands = _equation_from_lists(args)
    else:
        equation, operands = args[0], args[1:]
    if has_torch_function(operands):
        return handle_torch_function(einsum, operands, equation, *operands)
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        return einsum(equation, *operands[0])
    if len(operands) > 2:
        from .backends import opt_einsum

        if opt_einsum.enabled and opt_einsum.is_available():
            pairs = opt_einsum.get_opt_einsum().contract_path(equation, *operands, optimize=opt_einsum.strategy)[0]
            return _VF.einsum(equation, operands, path=[*itertools.chain.from_iterable(pairs)])
    return _VF.einsum(equation, operands)


def meshgrid(*tensors, indexing=None):
    """Grids of coordinates given by 1-D tensors."""
    if has_torch_function(tensors):
        return handle_torch_function(meshgrid, tensors, *tensors, indexing=indexing)
    if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)):
        tensors = tensors[0]
    # Without indexing= the operator warns that its default will change.
    return _VF.meshgrid(tensors) if indexing is None else _VF.meshgrid(tensors, indexing=indexing)


def stft(
    input,
    n_fft,
    hop_length=None,
    win_length=None,
    window=None,
    center=True,
    pad_mode="reflect",
    normalized=False,
    onesided=None,
    return_complex=None,
    align_to_window=None,
):
    """The short-time Fourier transform."""
    if has_torch_function_unary(input):
        return handle_torch_function(
            stft,
            (input,),
            input,
            n_fft,
            hop_length=hop_length,
            win_length=win_length,
            window=window,
            center=center,
            pad_mode=pad_mode,
            normalized=normalized,
            onesided=onesided,
            return_complex=return_complex,
            align_to_window=align_to_window,
        )
    if center:
        if align_to_window is not None:
            raise RuntimeError("stft align_to_window should only be set when center = false")
        # pad() reflects the last dimension of tensors with at least one batch dimension only.
        rank, half = input.dim(), int(n_fft // 2)
        batched = input.view([1] * (3 - rank) + list(input.size()))
        input = torch.nn.functional.pad(batched, [half, half], pad_mode)
        input = input.view(input.shape[-rank:])
    return _VF.stft(
        input, n_fft, hop_length, win_length, window, normalized, onesided, return_complex, align_to_window
    )


def _selected(values, inverse, counts, return_inverse, return_counts):
    if not return_inverse and not return_counts:
        return values
    return (values, *([inverse] if return_inverse else []), *([counts] if return_counts else []))


def _unique_impl(input, sorted=True, return_inverse=False, return_counts=False, dim=None):
    options = {"sorted": sorted, "return_inverse": return_inverse, "return_counts": return_counts}
    if has_torch_function_unary(input):
        return handle_torch_function(unique, (input,), input, **options, dim=dim)
    found = torch._unique2(input, **options) if dim is None else _VF.unique_dim(input, dim, **options)
    return _selected(*found, return_inverse, return_counts)


def _unique_consecutive_impl(input, return_inverse=False, return_counts=False, dim=None):
    options = {"return_inverse": return_inverse, "return_counts": return_counts, "dim": dim}
    if has_torch_function_unary(input):
        return handle_torch_function(unique_consecutive, (input,), input, **options)
    return _selected(*_VF.unique_consecutive(input, **options), return_inverse, return_counts)


def _renamed(name, function):
    """The same function under the name that torch's errors give it."""
    made = types.FunctionType(function.__code__, globals(), name, function.__defaults__)
    made.__qualname__ = name
    return made


def _dispatched(name, function, prefix, first):
    """`function` by what the two flags at `first` and after it ask for, each way under a name of its own."""

    def named(suffix):
        return _renamed(f"{prefix}_return_{suffix}", function)

    def by_counts(plain, with_counts):
        return boolean_dispatch("return_counts", first + 1, False, named(with_counts), named(plain), __name__, name)

    with_inverse, without = by_counts("inverse", "inverse_and_counts"), by_counts("output", "counts")
    return boolean_dispatch("return_inverse", first, False, with_inverse, without, __name__, name)


unique = _dispatched("unique", _unique_impl, "", 2)
unique.__doc__ = "The distinct elements (or slices along `dim`), with the inverse indices and the counts if asked for."
unique_consecutive = _dispatched("unique_consecutive", _unique_consecutive_impl, "_consecutive", 1)
unique_consecutive.__doc__ = "The first of each run of equal elements (or slices along `dim`)."


def _contracted(a, b, dims):
    """The dimensions of `a` and of `b` that tensordot sums over."""
    if isinstance(dims, (tuple, list)):
        first, second = dims
        return first, second
    if isinstance(dims, torch.Tensor) and dims.numel() > 1:
        if dims.size()[0] != 2:
            raise AssertionError(f"dims tensor must have size 2 in first dimension, got {dims.size()[0]}")
        return dims[0].tolist(), dims[1].tolist()
    count = int(dims.item()) if isinstance(dims, torch.Tensor) else dims
    if count < 0:
        raise RuntimeError(f"tensordot expects dims >= 0, but got dims={dims}")
    if not isinstance(dims, torch.Tensor) and count > min(a.dim(), b.dim()):
        raise RuntimeError(f"tensordot expects dims < ndim_a or ndim_b, but got dims={dims}")
    return list(range(-count, 0)), list(range(count))


def tensordot(a, b, dims=2, out=None):
    """Contracts dimensions of `a` with dimensions of `b`."""
    if has_torch_function_variadic(a, b):
        return handle_torch_function(tensordot, (a, b), a, b, dims=dims, out=out)
    if not isinstance(dims, (tuple, list, torch.Tensor, int, torch.SymInt)):
        raise RuntimeError(
            "tensordot expects dims to be int or "
            "tuple[list[int], list[int]] or "
            "list[list[int]] containing two lists, but got "
            f"dims={dims}"
        )
    dims_a, dims_b = _contracted(a, b, dims)
    return _VF.tensordot(a, b, dims_a, dims_b, **_out(out))


def _out(out):
    return {} if out is None else {"out": out}


def cartesian_prod(*tensors):
    """All combinations of the elements of 1-D tensors, one a row."""
    if has_torch_function(tensors):
        return handle_torch_function(cartesian_prod, tensors, *tensors)
    return _VF.cartesian_prod(tensors)


def block_diag(*tensors):
    """A matrix with the tensors along its diagonal."""
    if has_torch_function(tensors):
        return handle_torch_function(block_diag, tensors, *tensors)
    return _VF.block_diag(tensors)


_CDIST_MODES = {
    "use_mm_for_euclid_dist_if_necessary": None,
    "use_mm_for_euclid_dist": 1,
    "donot_use_mm_for_euclid_dist": 2,
}


def cdist(x1, x2, p=2.0, compute_mode="use_mm_for_euclid_dist_if_necessary"):
    """The p-norm distances between the rows of two (batches of) matrices."""
    if has_torch_function_variadic(x1, x2):
        return handle_torch_function(cdist, (x1, x2), x1, x2, p=p, compute_mode=compute_mode)
    if not isinstance(compute_mode, (str, type(None))) or compute_mode not in _CDIST_MODES:
        raise ValueError(f"{compute_mode} is not a valid value for compute_mode")
    return _VF.cdist(x1, x2, p, _CDIST_MODES[compute_mode])


def _each(operator, tensors):
    """The operator on the only tensor, or a tuple of it on each."""
    if len(tensors) == 1:
        tensors = tensors[0]
    if not isinstance(tensors, (list, tuple)):
        return operator(tensors)
    for i, tensor in enumerate(tensors):
        if not isinstance(tensor, torch.Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 0, but got {type(tensor).__name__}")
    return tuple(operator(tensor) for tensor in tensors)


def atleast_1d(*tensors):
    """The tensors with at least one dimension."""
    if has_torch_function(tensors):
        return handle_torch_function(atleast_1d, tensors, *tensors)
    return _each(_VF.atleast_1d, tensors)


def atleast_2d(*tensors):
    """The tensors with at least two dimensions."""
    if has_torch_function(tensors):
        return handle_torch_function(atleast_2d, tensors, *tensors)
    return _each(_VF.atleast_2d, tensors)


def atleast_3d(*tensors):
    """The tensors with at least three dimensions."""
    if has_torch_function(tensors):
        return handle_torch_function(atleast_3d, tensors, *tensors)
    return _each(_VF.atleast_3d, tensors)


def norm(input, p="fro", dim=None, keepdim=False, out=None, dtype=None):
    """The norm of a vector or matrix (torch.linalg's functions say more exactly which)."""
    if has_torch_function_unary(input):
        return handle_torch_function(norm, (input,), input, p=p, dim=dim, keepdim=keepdim, out=out, dtype=dtype)
    dims = [dim] if isinstance(dim, (int, torch.SymInt)) else dim
    if input.layout == torch.sparse_coo and p != "nuc":
        return torch.native_norm(input, 2 if p in ("fro", None) else p, dims or [], keepdim, dtype)
    if input.layout != torch.strided:
        raise NotImplementedError(f"torch.norm of a tensor of layout {input.layout} is not available")
    options = {"dtype": dtype, **_out(out)}
    if not isinstance(p, str):
        return torch.linalg.vector_norm(input, 2.0 if p is None else p, dims, keepdim, **options)
    if p == "fro" and (dims is None or len(dims) <= 2):
        return torch.linalg.vector_norm(input, 2, dims, keepdim, **options)
    return torch.linalg.matrix_norm(input, p, list(range(input.ndim)) if dims is None else dims, keepdim, **options)


def unravel_index(indices, shape):
    """The coordinates of flat indices in a tensor of `shape`."""
    if has_torch_function_unary(indices):
        return handle_torch_function(unravel_index, (indices,), indices, shape=shape)
    integral = not (indices.is_complex() or indices.is_floating_point() or indices.dtype == torch.bool)
    torch._check_type(integral, lambda: f"expected 'indices' to be integer dtype, but got {indices.dtype}")
    torch._check_type(
        isinstance(shape, (int, torch.SymInt, Sequence)),
        lambda: f"expected 'shape' to be int or sequence of ints, but got {type(shape)}",
    )
    sizes = [shape] if isinstance(shape, (int, torch.SymInt)) else list(shape)
    for size in sizes:
        torch._check_type(
            isinstance(size, (int, torch.SymInt)),
            lambda size=size: f"expected 'shape' sequence to only contain ints, but got {type(size)}",
        )
    torch._check_value(
        all(size >= 0 for size in sizes), lambda: f"'shape' cannot have negative values, but got {tuple(sizes)}"
    )
    strides = [*itertools.accumulate([1, *reversed(sizes[1:])], operator.mul)][::-1]
    place = {"device": indices.device, "dtype": torch.int64}
    steps = indices.unsqueeze(-1).floor_divide(torch.tensor(strides, **place))
    return (steps % torch.tensor(sizes, **place)).unbind(-1)


def chain_matmul(*matrices, out=None):
    """The product of matrices, in the cheapest order (deprecated: torch.linalg.multi_dot)."""
    if has_torch_function(matrices):
        return handle_torch_function(chain_matmul, matrices, *matrices)
    return _VF.chain_matmul(matrices, **_out(out))


def _lu_with_infos(A, pivot=True, get_infos=False, out=None):
    if has_torch_function_unary(A):
        return handle_torch_function(lu, (A,), A, pivot=pivot, get_infos=get_infos, out=out)
    result = torch._lu_with_info(A, pivot=pivot, check_errors=not get_infos)
    if out is None:
        return result if get_infos else (result[0], result[1])
    if len(out) != 2 + bool(get_infos):
        raise TypeError(f"expected tuple of {2 + bool(get_infos)} elements but got {len(out) - bool(get_infos)}")
    if not isinstance(out, (tuple, list)):
        raise TypeError(f"argument 'out' must be tuple of Tensors, not {type(out).__name__}")
    for target, source in zip(out, result):
        target.resize_as_(source).copy_(source)
    return out


_lu_no_infos = _renamed("_lu_no_infos", _lu_with_infos)
lu = boolean_dispatch("get_infos", 2, False, _lu_with_infos, _lu_no_infos, __name__, "lu")
lu.__doc__ = "The LU factorisation and its pivots (deprecated: torch.linalg.lu_factor)."
