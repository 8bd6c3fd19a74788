"""torch.functional: the functions of the root namespace that torch writes in Python."""

import itertools
import operator
import sys
import types
from collections.abc import Sequence
from typing import Any

from . import _C, _VF
from ._jit_internal import boolean_dispatch
from ._lazy import lazy_attributes
from ._override import override
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


_get_lazy = lazy_attributes(__name__, names={"pca_lowrank": "_lowrank", "svd_lowrank": "_lowrank"})


def __getattr__(name):
    return torch.nn.functional if name == "F" else _get_lazy(name)


def broadcast_tensors(*tensors):
    """Expands tensors to their common shape; the results are views.

    Do not write to them: several elements may share memory.

    Args:
        *tensors (Tensor): tensors whose shapes broadcast.

    Returns:
        tuple of Tensor: views of one shape.

    Raises:
        RuntimeError: when shapes do not broadcast.

    Example:
        >>> a, b = torch.broadcast_tensors(torch.zeros(3, 1), torch.zeros(2))
        >>> a.shape, b.shape
        (torch.Size([3, 2]), torch.Size([3, 2]))
    """
    if has_torch_function(tensors):
        return handle_torch_function(broadcast_tensors, tensors, *tensors)
    return _VF.broadcast_tensors(tensors)


def broadcast_shapes(*shapes):
    """Computes the shape that tensors of given shapes broadcast to, without tensors.

    Args:
        *shapes (int, tuple of int or torch.Size): the shapes.

    Returns:
        torch.Size: the common shape.

    Raises:
        RuntimeError: when shapes do not broadcast.

    Example:
        >>> torch.broadcast_shapes((3, 1), (2,), (1, 1, 1))
        torch.Size([1, 3, 2])
    """
    shapes = [(shape,) if isinstance(shape, (int, torch.SymInt)) else shape for shape in shapes if shape is not None]
    for shape in shapes:
        if not isinstance(shape, Sequence):
            raise RuntimeError(f"Input shapes should be of type ints, a tuple of ints, or a list of ints, got {shape}")
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


def split(tensor: torch.Tensor, split_size_or_sections: int | list[int], dim: int = 0) -> tuple[torch.Tensor, ...]:
    """Splits a tensor along a dimension into views of a given size, or of given sizes.

    Args:
        tensor (Tensor): the tensor.
        split_size_or_sections (int or list of int): size of each part (the last may be smaller), or
            the size of every part, which sum to the size of the dimension.
        dim (int): the dimension. Default: ``0``.

    Returns:
        tuple of Tensor: views.

    Raises:
        RuntimeError: when a size is negative, or sizes do not sum to that of the dimension.

    Example:
        >>> x = torch.arange(5)
        >>> torch.split(x, 2)
        (tensor([0, 1]), tensor([2, 3]), tensor([4]))
        >>> torch.split(x, [1, 4])
        (tensor([0]), tensor([1, 2, 3, 4]))
    """
    if has_torch_function_unary(tensor):
        return handle_torch_function(split, (tensor,), tensor, split_size_or_sections, dim=dim)
    return tensor.split(split_size_or_sections, dim)


def _subscript_letter(n):
    if n == Ellipsis:
        return "..."
    if n >= 0 and n < 52:  # in this order, so that non-numbers fail as in torch
        return chr(ord("A") + n) if n < 26 else chr(ord("a") + n - 26)
    raise ValueError("einsum(): subscript in subscript list is not within the valid range [0, 52)")


def _equation_from_lists(args):
    """Converts (operand, subscripts, ..., [result subscripts]) to an equation and the operands."""
    letters = ["".join(_subscript_letter(n) for n in subscripts) for subscripts in args[1::2]]
    equation = ",".join(letters)
    if len(args) % 2 == 0:
        return equation, args[::2]
    return equation + "->" + "".join(_subscript_letter(n) for n in args[-1]), args[:-1:2]


def einsum(*args: Any) -> torch.Tensor:
    """Sums products of elements of operands over indices, as an equation of subscripts says.

    In ``"ik,kj->ij"`` each letter names a dimension; letters that do not appear right of the arrow
    are summed over. Without an arrow the result has the letters that appear once, in alphabetical
    order. A repeated letter in one operand selects a diagonal; ``...`` represents broadcast dimensions.
    Several operands are contracted pair by pair from left to right, or in the order that opt_einsum
    finds where installed.

    Args:
        *args: the equation and the operands (tensors, or one list of them); or pairs of a tensor and
            its list of subscripts (ints below 52), and perhaps a list for the result.

    Returns:
        Tensor: the result.

    Raises:
        ValueError: when there are too few arguments, or a subscript is out of range.
        RuntimeError: when the equation does not fit the operands.

    Example:
        >>> a, b = torch.arange(4.0).view(2, 2), torch.eye(2)
        >>> torch.einsum("ik,kj->ij", a, b)
        tensor([[0., 1.],
                [2., 3.]])
        >>> torch.einsum("ii", a)
        tensor(3.)
        >>> torch.einsum(a, [0, 1], [1, 0])
        tensor([[0., 2.],
                [1., 3.]])
    """
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


def meshgrid(*tensors, indexing: str | None = None) -> tuple[torch.Tensor, ...]:
    """Expands 1-D tensors to grids of their combinations; the results are views.

    With ``indexing="ij"`` the k-th result varies along dimension k; with ``"xy"`` the first two
    dimensions are exchanged. Without it a warning says that the default will change from "ij" to
    "xy".

    Args:
        *tensors (Tensor): tensors without or with one dimension, or one list of them; of one dtype.
        indexing (str, optional): ``"ij"`` or ``"xy"``. Default: ``"ij"``, with a warning.

    Returns:
        tuple of Tensor: one grid per tensor.

    Raises:
        RuntimeError: when tensors have more dimensions, or different dtypes or devices.

    Example:
        >>> x, y = torch.meshgrid(torch.tensor([1, 2]), torch.tensor([3, 4, 5]), indexing="ij")
        >>> x
        tensor([[1, 1, 1],
                [2, 2, 2]])
        >>> y
        tensor([[3, 4, 5],
                [3, 4, 5]])
    """
    if has_torch_function(tensors):
        return handle_torch_function(meshgrid, tensors, *tensors, indexing=indexing)
    if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)):
        tensors = tensors[0]
    # Without indexing= the operator warns that its default will change.
    return _VF.meshgrid(tensors) if indexing is None else _VF.meshgrid(tensors, indexing=indexing)


def stft(
    input: torch.Tensor, n_fft: int, hop_length: int | None = None, win_length: int | None = None,
    window: torch.Tensor | None = None, center: bool = True, pad_mode: str = "reflect", normalized: bool = False,
    onesided: bool | None = None, return_complex: bool | None = None, align_to_window: bool | None = None,
) -> torch.Tensor:  # fmt: skip
    """Computes the short-time Fourier transform: the spectrum of each windowed frame of a signal.

    ``X[f, t] = sum over k of window[k] * input[t * hop_length + k] * exp(-2j * pi * f * k / n_fft)``,
    the window padded with zeros on both sides to `n_fft`. With `center`, frame t is centred at ``t *
    hop_length``: the signal is padded by ``n_fft // 2`` on each side.

    Args:
        input (Tensor): signals ``(L,)`` or ``(B, L)``, real or complex.
        n_fft (int): length of the transform.
        hop_length (int, optional): distance of frames. Default: ``n_fft // 4``.
        win_length (int, optional): length of the window. Default: `n_fft`.
        window (Tensor, optional): the window ``(win_length,)``. Default: ones, with a warning.
        center (bool): pads the signal so that frames are centred. Default: ``True``.
        pad_mode (str): how, as in `torch.nn.functional.pad`. Default: ``"reflect"``.
        normalized (bool): divides by ``sqrt(n_fft)``. Default: ``False``.
        onesided (bool, optional): returns frequencies 0 .. n_fft // 2 only. Default: True for real
            signals and windows.
        return_complex (bool, optional): True for a complex result; must be given for real signals.
        align_to_window (bool, optional): only without `center`: counts frames by the window's length
            instead of `n_fft`.

    Returns:
        Tensor: ``(B, frequencies, frames)``, complex; without `return_complex` a last dimension of 2.

    Raises:
        RuntimeError: when sizes do not fit, or `return_complex` is missing.

    Example:
        >>> x = torch.ones(8)
        >>> spectrum = torch.stft(x, 4, window=torch.ones(4), center=False, return_complex=True)
        >>> spectrum.shape, spectrum[:, 0].abs()
        (torch.Size([3, 5]), tensor([4., 0., 0.]))
    """
    if has_torch_function_unary(input):
        return override(stft, (input,), locals())
    if center:
        if align_to_window is not None:
            raise RuntimeError("stft align_to_window should only be set when center = false")
        # pad() reflects the last dimension only of tensors with at least one batch dimension.
        rank, half = input.dim(), int(n_fft // 2)
        batched = input.view([1] * (3 - rank) + list(input.size()))
        input = torch.nn.functional.pad(batched, [half, half], pad_mode)
        input = input.view(input.shape[-rank:])
    return _VF.stft(input, n_fft, hop_length, win_length, window, normalized, onesided, return_complex, align_to_window)


def _select_unique_results(values, inverse, counts, return_inverse, return_counts):
    if not return_inverse and not return_counts:
        return values
    return (values, *([inverse] if return_inverse else []), *([counts] if return_counts else []))


def _unique_impl(input, sorted=True, return_inverse=False, return_counts=False, dim=None):
    options = {"sorted": sorted, "return_inverse": return_inverse, "return_counts": return_counts}
    if has_torch_function_unary(input):
        return handle_torch_function(unique, (input,), input, **options, dim=dim)
    found = torch._unique2(input, **options) if dim is None else _VF.unique_dim(input, dim, **options)
    return _select_unique_results(*found, return_inverse, return_counts)


def _unique_consecutive_impl(input, return_inverse=False, return_counts=False, dim=None):
    options = {"return_inverse": return_inverse, "return_counts": return_counts, "dim": dim}
    if has_torch_function_unary(input):
        return handle_torch_function(unique_consecutive, (input,), input, **options)
    return _select_unique_results(*_VF.unique_consecutive(input, **options), return_inverse, return_counts)


def _rename_function(name, function):
    """Renames a function as torch's errors name it."""
    made = types.FunctionType(function.__code__, globals(), name, function.__defaults__)
    made.__qualname__ = name
    return made


def _dispatch_by_return_flags(name, function, prefix, first):
    """Calls `function` in one of four variants, each with its own name, selected by two flags at `first` and after
    it."""

    def rename_for_returns(suffix):
        return _rename_function(f"{prefix}_return_{suffix}", function)

    def unique_by_flags(plain, with_counts):
        return boolean_dispatch(
            "return_counts",
            first + 1,
            False,
            rename_for_returns(with_counts),
            rename_for_returns(plain),
            __name__,
            name,
        )

    with_inverse, without = unique_by_flags("inverse", "inverse_and_counts"), unique_by_flags("output", "counts")
    return boolean_dispatch("return_inverse", first, False, with_inverse, without, __name__, name)


unique = _dispatch_by_return_flags("unique", _unique_impl, "", 2)
unique.__doc__ = """Returns the distinct elements of a tensor, or its distinct slices along a dimension.

NaN is equal to nothing, so that each NaN is kept.

Args:
    input (Tensor): the tensor.
    sorted (bool): sorts the result; it is sorted in any case here. Default: ``True``.
    return_inverse (bool): also returns, for each element (or slice), its index in the result.
        Default: ``False``.
    return_counts (bool): also returns how often each appears. Default: ``False``.
    dim (int, optional): compares slices along this dimension. Default: elements.

Returns:
    Tensor or tuple of Tensor: the distinct elements (1-D) or slices, then, as far as asked for, the
    inverse indices and the counts, both int64.

Example:
    >>> x = torch.tensor([3, 1, 3])
    >>> torch.unique(x, return_inverse=True, return_counts=True)
    (tensor([1, 3]), tensor([1, 0, 1]), tensor([1, 2]))
    >>> torch.unique(torch.tensor([[1, 2], [1, 2]]), dim=0)
    tensor([[1, 2]])
"""
unique_consecutive = _dispatch_by_return_flags("unique_consecutive", _unique_consecutive_impl, "_consecutive", 1)
unique_consecutive.__doc__ = """Returns the first of each run of equal elements, or of equal slices along a dimension.

Args:
    input (Tensor): the tensor.
    return_inverse (bool): also returns, for each element (or slice), its index in the result.
        Default: ``False``.
    return_counts (bool): also returns the length of each run. Default: ``False``.
    dim (int, optional): compares slices along this dimension. Default: elements of the flattened
        tensor.

Returns:
    Tensor or tuple of Tensor: the elements (1-D) or slices, then, as far as asked for, the inverse
    indices and the counts, both int64.

Example:
    >>> torch.unique_consecutive(torch.tensor([1, 1, 2, 1]), return_counts=True)
    (tensor([1, 2, 1]), tensor([2, 1, 1]))
"""


def _find_contracted_dims(a, b, dims):
    """Returns the dimensions of `a` and of `b` over which tensordot sums."""
    if not isinstance(dims, (int, torch.SymInt, list, tuple, torch.Tensor)):
        expected = "int or tuple[list[int], list[int]] or list[list[int]] containing two lists"
        raise RuntimeError(f"tensordot expects dims to be {expected}, but got dims={dims}")
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


def tensordot(a, b, dims=2, out: torch.Tensor | None = None):
    """Contracts dimensions of two tensors: sums products over them.

    With an int n the last n dimensions of `a` meet the first n of `b`; 0 is the outer product, and 1
    of two matrices their product.

    Args:
        a (Tensor): the left tensor.
        b (Tensor): the right tensor.
        dims (int, pair of lists or Tensor): number of dimensions, or those of `a` and those of `b`,
            which have equal sizes. Default: ``2``.
        out (Tensor, optional): where the result is written.

    Returns:
        Tensor: the remaining dimensions of `a`, then those of `b`.

    Raises:
        RuntimeError: when dimensions do not exist or do not match.

    Example:
        >>> a, b = torch.arange(6.0).view(2, 3), torch.ones(3, 4)
        >>> torch.tensordot(a, b, dims=1).shape
        torch.Size([2, 4])
        >>> torch.tensordot(a, a, dims=([0, 1], [0, 1]))
        tensor(55.)
    """
    if has_torch_function_variadic(a, b):
        return handle_torch_function(tensordot, (a, b), a, b, dims=dims, out=out)
    dims_a, dims_b = _find_contracted_dims(a, b, dims)
    return _VF.tensordot(a, b, dims_a, dims_b, **_check_out(out))


def _check_out(out):
    return {} if out is None else {"out": out}


def cartesian_prod(*tensors: torch.Tensor) -> torch.Tensor:
    """Returns all combinations of the elements of 1-D tensors, one a row.

    The last tensor varies fastest, as in `itertools.product`. Of one tensor it returns that tensor.

    Args:
        *tensors (Tensor): 1-D tensors.

    Returns:
        Tensor: of shape ``(product of sizes, number of tensors)``.

    Raises:
        RuntimeError: when a tensor is not 1-D.

    Example:
        >>> torch.cartesian_prod(torch.tensor([1, 2]), torch.tensor([3, 4]))
        tensor([[1, 3],
                [1, 4],
                [2, 3],
                [2, 4]])
    """
    if has_torch_function(tensors):
        return handle_torch_function(cartesian_prod, tensors, *tensors)
    return _VF.cartesian_prod(tensors)


def block_diag(*tensors):
    """Returns a matrix with the tensors along its diagonal and zeros elsewhere.

    Args:
        *tensors (Tensor): tensors of at most two dimensions; vectors count as rows.

    Returns:
        Tensor: a matrix of the summed rows and columns.

    Raises:
        RuntimeError: when a tensor has more dimensions.

    Example:
        >>> torch.block_diag(torch.tensor([[1, 2]]), torch.tensor(3))
        tensor([[1, 2, 0],
                [0, 0, 3]])
    """
    if has_torch_function(tensors):
        return handle_torch_function(block_diag, tensors, *tensors)
    return _VF.block_diag(tensors)


_CDIST_MODES = {
    "use_mm_for_euclid_dist_if_necessary": None,
    "use_mm_for_euclid_dist": 1,
    "donot_use_mm_for_euclid_dist": 2,
}


def cdist(x1, x2, p=2.0, compute_mode="use_mm_for_euclid_dist_if_necessary"):
    """Computes the distances between all pairs of rows of two matrices, ``|x1[i] - x2[j]|_p``.

    Euclidean distances of more than 25 rows use a matrix product (``|x|^2 + |y|^2 - 2 x.y``), which
    is faster but less precise for close points; `compute_mode` can force or forbid that. The gradient
    at distance 0 is 0.

    Args:
        x1 (Tensor): points ``(*, P, M)``.
        x2 (Tensor): points ``(*, R, M)``.
        p (float): order of the norm, at least 0; 0 counts different elements. Default: ``2.0``.
        compute_mode (str): ``"use_mm_for_euclid_dist_if_necessary"``, ``"use_mm_for_euclid_dist"`` or
            ``"donot_use_mm_for_euclid_dist"``. Default: the first.

    Returns:
        Tensor: distances ``(*, P, R)``.

    Raises:
        ValueError: when `compute_mode` is unknown.
        RuntimeError: when shapes do not fit or dtypes are not floating-point.

    Example:
        >>> torch.cdist(torch.tensor([[0.0, 0.0]]), torch.tensor([[3.0, 4.0], [0.0, 1.0]]))
        tensor([[5., 1.]])
    """
    if has_torch_function_variadic(x1, x2):
        return handle_torch_function(cdist, (x1, x2), x1, x2, p=p, compute_mode=compute_mode)
    if not isinstance(compute_mode, (str, type(None))) or compute_mode not in _CDIST_MODES:
        raise ValueError(f"{compute_mode} is not a valid value for compute_mode")
    return _VF.cdist(x1, x2, p, _CDIST_MODES[compute_mode])


def _apply_to_each(operator, tensors):
    """Applies the operator to the only tensor, or to each of several and returns a tuple."""
    if len(tensors) == 1:
        tensors = tensors[0]
    if not isinstance(tensors, (list, tuple)):
        return operator(tensors)
    for i, tensor in enumerate(tensors):
        if not isinstance(tensor, torch.Tensor):
            raise TypeError(f"expected Tensor as element {i} in argument 0, but got {type(tensor).__name__}")
    return tuple(operator(tensor) for tensor in tensors)


def atleast_1d(*tensors):
    """Returns tensors with at least one dimension; those without get one of size 1.

    Args:
        *tensors (Tensor): one tensor, several, or a list of them.

    Returns:
        Tensor or tuple of Tensor: views of the inputs.

    Example:
        >>> torch.atleast_1d(torch.tensor(1.0))
        tensor([1.])
    """
    if has_torch_function(tensors):
        return handle_torch_function(atleast_1d, tensors, *tensors)
    return _apply_to_each(_VF.atleast_1d, tensors)


def atleast_2d(*tensors):
    """Returns tensors with at least two dimensions; missing ones are added in front.

    Args:
        *tensors (Tensor): one tensor, several, or a list of them.

    Returns:
        Tensor or tuple of Tensor: views of the inputs.

    Example:
        >>> torch.atleast_2d(torch.tensor([1.0, 2.0]))
        tensor([[1., 2.]])
    """
    if has_torch_function(tensors):
        return handle_torch_function(atleast_2d, tensors, *tensors)
    return _apply_to_each(_VF.atleast_2d, tensors)


def atleast_3d(*tensors):
    """Returns tensors with at least three dimensions.

    A vector ``(N,)`` becomes ``(1, N, 1)``, a matrix ``(M, N)`` becomes ``(M, N, 1)``.

    Args:
        *tensors (Tensor): one tensor, several, or a list of them.

    Returns:
        Tensor or tuple of Tensor: views of the inputs.

    Example:
        >>> torch.atleast_3d(torch.ones(2)).shape, torch.atleast_3d(torch.ones(2, 3)).shape
        (torch.Size([1, 2, 1]), torch.Size([2, 3, 1]))
    """
    if has_torch_function(tensors):
        return handle_torch_function(atleast_3d, tensors, *tensors)
    return _apply_to_each(_VF.atleast_3d, tensors)


def norm(input, p: float | str | None = "fro", dim=None, keepdim=False, out=None, dtype=None):
    """Computes a vector or matrix norm; `torch.linalg.vector_norm` and `matrix_norm` are clearer.

    A number p gives the vector norm ``sum(|x| ** p) ** (1 / p)`` over `dim` (inf and -inf: largest
    and smallest ``|x|``). ``"fro"`` is the square root of the sum of squares, over any one or two
    dimensions or all; ``"nuc"`` is the sum of singular values, over two dimensions.

    Args:
        input (Tensor): floating-point or complex values.
        p (float or str): order of the norm. Default: ``"fro"``.
        dim (int or tuple of int, optional): dimensions. Default: all, as one vector for numbers.
        keepdim (bool): keeps reduced dimensions with size 1. Default: ``False``.
        out (Tensor, optional): where the result is written.
        dtype (torch.dtype, optional): dtype of computation and result.

    Returns:
        Tensor: the norms, real.

    Raises:
        RuntimeError: when the dtype is integral, or dimensions do not fit the norm.

    Example:
        >>> x = torch.tensor([[3.0, 4.0], [0.0, 12.0]])
        >>> torch.norm(x), torch.norm(x, 1, dim=1)
        (tensor(13.), tensor([ 7., 12.]))
    """
    if has_torch_function_unary(input):
        return handle_torch_function(norm, (input,), input, p=p, dim=dim, keepdim=keepdim, out=out, dtype=dtype)
    dims = [dim] if isinstance(dim, (int, torch.SymInt)) else dim
    if input.layout == torch.sparse_coo and p != "nuc":
        return torch.native_norm(input, 2 if p in ("fro", None) else p, dims or [], keepdim, dtype)
    if input.layout != torch.strided:
        raise NotImplementedError(f"torch.norm of a tensor of layout {input.layout} is not available")
    options = {"dtype": dtype, **_check_out(out)}
    if not isinstance(p, str):
        return torch.linalg.vector_norm(input, 2.0 if p is None else p, dims, keepdim, **options)
    if p == "fro" and (dims is None or len(dims) <= 2):
        return torch.linalg.vector_norm(input, 2, dims, keepdim, **options)
    return torch.linalg.matrix_norm(input, p, list(range(input.ndim)) if dims is None else dims, keepdim, **options)


def unravel_index(indices: torch.Tensor, shape: int | Sequence[int] | torch.Size) -> tuple[torch.Tensor, ...]:
    """Converts flat indices into coordinates of a tensor of a given shape.

    Args:
        indices (Tensor): integers, below the number of elements.
        shape (int or sequence of int): the shape.

    Returns:
        tuple of Tensor: one tensor of coordinates (int64) per dimension, shaped as `indices`.

    Raises:
        TypeError: when dtypes or types are not integral.
        ValueError: when a size is negative.

    Example:
        >>> torch.unravel_index(torch.tensor([1, 5]), (2, 3))
        (tensor([0, 1]), tensor([1, 2]))
    """
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
    """Multiplies matrices in the cheapest order; deprecated: `torch.linalg.multi_dot`.

    The order is found by dynamic programming over the sizes (Cormen et al., "Introduction to
    Algorithms", section 15.2).

    Args:
        *matrices (Tensor): one or more matrices whose sizes fit.
        out (Tensor, optional): where the result is written.

    Returns:
        Tensor: the product.

    Raises:
        RuntimeError: when sizes do not fit.

    Example:
        >>> import warnings
        >>> warnings.simplefilter("ignore")
        >>> torch.chain_matmul(torch.ones(2, 3), torch.ones(3, 1), torch.ones(1, 2))
        tensor([[3., 3.],
                [3., 3.]])
    """
    if has_torch_function(matrices):
        return handle_torch_function(chain_matmul, matrices, *matrices)
    return _VF.chain_matmul(matrices, **_check_out(out))


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


_lu_no_infos = _rename_function("_lu_no_infos", _lu_with_infos)
lu = boolean_dispatch("get_infos", 2, False, _lu_with_infos, _lu_no_infos, __name__, "lu")
lu.__doc__ = """Computes the LU factorisation of matrices with partial pivoting; deprecated: `torch.linalg.lu_factor`.

Args:
    A (Tensor): matrices ``(*, m, n)``.
    pivot (bool): exchanges rows for stability; False is for CUDA only. Default: ``True``.
    get_infos (bool): returns error codes instead of raising. Default: ``False``.
    out (tuple of Tensor, optional): where the results are written.

Returns:
    tuple of Tensor: L (below the diagonal, which is ones) and U in one matrix ``(*, m, n)``, and the pivots
    ``(*, min(m, n))``, int32: row i was exchanged with row ``pivots[i] - 1``. With `get_infos` also codes
    ``(*)``: 0, or the first zero on the diagonal of U.

Raises:
    RuntimeError: when a matrix is singular, without `get_infos`.

Example:
    >>> import warnings
    >>> warnings.simplefilter("ignore")
    >>> factors, pivots = torch.lu(torch.tensor([[0.0, 2.0], [4.0, 1.0]]))
    >>> factors, pivots
    (tensor([[4., 1.],
            [0., 2.]]), tensor([2, 2], dtype=torch.int32))
"""
