"""Checks of shapes, strides and dtypes that raise, and comparisons of tensors."""

import enum
import math
import warnings

from .._library.opcheck import MetadataMismatchError
from .._root import torch

_ORDERED_TYPES = (bool, int, float, complex)


class RETURN_TYPE(enum.Enum):
    """What an operator returns: a new tensor, a view, an argument, nothing."""

    NEW = (0,)
    VIEW = (1,)
    INPLACE = (2,)
    NONE = (3,)


class REDUCTION_OUTPUT_TYPE_KIND(enum.Enum):
    """How the dtype of a reduction's result follows from its argument's."""

    SAME = (0,)
    COMPLEX_TO_FLOAT = (1,)
    KEEP_PROMOTED_TYPE = (2,)
    ALWAYS_BOOL = (3,)


# ---- comparisons -----------------------------------------------------------------------------------------------------


def same_shape(a, b, *, allow_rhs_unbacked=False) -> bool:
    """Whether two shapes are equal."""
    return len(a) == len(b) and all(x == y for x, y in zip(a, b, strict=True))


def _first_other_stride(a, b, only_cuda, is_significant):
    if only_cuda and "cuda" not in (a.device.type, b.device.type) or a.numel() == 0:
        return True, None
    for dim in range(a.ndim):
        if a.stride(dim) != b.stride(dim) and is_significant(a.shape[dim]):
            return False, dim
    return True, None


def check_significant_strides(a, b, *, only_cuda=True, allow_rhs_unbacked=False):
    """Returns whether strides of dimensions longer than 1 are equal, and the first that is not."""
    return _first_other_stride(a, b, only_cuda, lambda size: size > 1)


def check_all_strides(a, b, *, only_cuda=True):
    """Returns whether all strides are equal, and the first dimension where they are not."""
    return _first_other_stride(a, b, only_cuda, lambda size: True)


def compare_tensor_meta(a, b, check_sizes=True, check_strides=False, *, allow_rhs_unbacked=False, check_conj=True):
    """Raises MetadataMismatchError if two tensors differ in shape, dtype, device, strides or lazy bits."""
    for name, tensor in (("a", a), ("b", b)):
        if not isinstance(tensor, torch.Tensor):
            raise AssertionError(f"{name} must be TensorLike, got {type(tensor)}")
    compared = [("Shapes", a.shape, b.shape)] if check_sizes else []
    compared += [("Dtypes", a.dtype, b.dtype), ("Devices", a.device, b.device)]
    for name, mine, theirs in compared:
        if mine != theirs:
            raise MetadataMismatchError(f"{name} {mine} and {theirs} are not equal!")
    if check_strides:
        is_same, dim = check_significant_strides(a, b, only_cuda=False)
        if not is_same:
            text = f"Stride mismatch! Strides are {a.stride()} and {b.stride()} (mismatched at {dim})!"
            raise MetadataMismatchError(text)
        if a.storage_offset() != b.storage_offset():
            offsets = f"{a.storage_offset()} and {b.storage_offset()}"
            raise MetadataMismatchError(f"Storage offset mismatch! Storage offsets are {offsets}!")
    for name, is_compared in (("conj", check_conj), ("neg", True)):
        mine, theirs = (getattr(tensor, f"is_{name}")() for tensor in (a, b))
        if is_compared and mine != theirs:
            raise MetadataMismatchError(f"{name.title()} mismatch! is_{name} is set to {mine} and {theirs}")


# ---- checks ----------------------------------------------------------------------------------------------------------


def check(b, s, exc_type=RuntimeError) -> None:
    """Raises an error with the text that `s` returns unless `b`; deprecated: `torch._check`."""
    warnings.warn(
        "`torch._prims_common.check` is deprecated and will be removed in the future. Please use `torch._check*` "
        "functions instead.",
        FutureWarning,
        stacklevel=2,
    )
    torch._check_with(exc_type, b, s)


def validate_dim_length(length) -> None:
    """Raises for a negative size."""
    torch._check(length >= 0)


def validate_shape(shape) -> None:
    """Raises for a shape that is no sequence or has a negative size."""
    if not isinstance(shape, (list, tuple)):
        raise AssertionError(f"shape must be Sequence, got {type(shape)}")
    for length in shape:
        validate_dim_length(length)


def validate_strides(strides) -> None:
    """Raises for strides that are no sequence or negative."""
    if not isinstance(strides, (list, tuple)):
        raise AssertionError(f"strides must be Sequence, got {type(strides)}")
    for stride in strides:
        if stride < 0:
            raise AssertionError(f"stride must be non-negative, got {stride}")


def validate_no_repeating_dims(dims) -> None:
    """Raises if a dimension is named twice."""
    if len(dims) != len(set(dims)):
        raise RuntimeError("duplicate value in the list of dims")


def check_same_shape(*args, allow_cpu_scalar_tensors: bool) -> None:
    """Raises unless the tensors among the arguments have one shape."""
    _check_tensors_alike(args, allow_cpu_scalar_tensors, lambda tensor: tuple(tensor.shape), "shape")


def check_same_device(*args, allow_cpu_scalar_tensors) -> None:
    """Raises unless the tensors among the arguments are on one device."""
    _check_tensors_alike(args, allow_cpu_scalar_tensors, lambda tensor: tensor.device, "device")


def check_same_dtype(*args) -> None:
    """Raises unless the tensors among the arguments have one dtype."""
    _check_tensors_alike(args, False, lambda tensor: tensor.dtype, "dtype")


def is_cpu_scalar_tensor(a) -> bool:
    """Whether an object is a tensor without dimensions on the CPU."""
    return isinstance(a, torch.Tensor) and a.ndim == 0 and a.device.type == "cpu"


def _check_tensors_alike(args, allow_cpu_scalar_tensors, question, name):
    tensors = [a for a in args if isinstance(a, torch.Tensor)]
    if allow_cpu_scalar_tensors:
        tensors = [a for a in tensors if not is_cpu_scalar_tensor(a)]
    answers = [question(a) for a in tensors]
    for answer in answers[1:]:
        if answer != answers[0]:
            raise RuntimeError(f"Tensor {name} {answer} is not the expected {name} {answers[0]}!")


# ---- shapes ----------------------------------------------------------------------------------------------------------


def extract_shape(*args, allow_cpu_scalar_tensors: bool):
    """Returns the first shape among the tensors, of one with dimensions if possible; None without tensors."""
    tensors = [a for a in args if isinstance(a, torch.Tensor)]
    if not tensors:
        return None
    large = [a for a in tensors if not (allow_cpu_scalar_tensors and is_cpu_scalar_tensor(a))]
    return tuple((large or tensors)[0].shape)


def extract_dims_from_varargs(dims):
    """Returns dimensions that were given as one sequence or separately."""
    return dims[0] if dims and isinstance(dims[0], (list, tuple)) and len(dims) == 1 else dims


def extract_shape_from_varargs(shape, validate=True):
    """Returns a shape that was given as one sequence or as separate sizes."""
    sizes = tuple(extract_dims_from_varargs(shape))
    if validate:
        validate_shape(sizes)
    return sizes


def infer_size_shapes(a, b):
    """Returns the shape to which two shapes broadcast."""
    return tuple(torch.broadcast_shapes(tuple(a), tuple(b)))


def reduction_dims(shape, dims):
    """Returns the dimensions of a reduction as numbers from 0 on: all of them for None."""
    from . import canonicalize_dims

    if dims is None:
        return tuple(range(len(shape)))
    found = tuple(canonicalize_dims(len(shape), dim) for dim in dims)
    validate_no_repeating_dims(found)
    return found


def compute_reduction_output_shape(shape, dimensions):
    """Returns the shape without some dimensions."""
    validate_shape(shape)
    return tuple(size for dim, size in enumerate(shape) if dim not in dimensions)


def compute_required_storage_length(shape, strides, storage_offset: int) -> int:
    """Returns how many elements a storage needs for a tensor."""
    if math.prod(shape) == 0:
        return 0
    return 1 + storage_offset + sum((size - 1) * stride for size, stride in zip(shape, strides, strict=True))


# ---- numbers and dtypes ----------------------------------------------------------------------------------------------


def is_weakly_lesser_type(a: type, b: type) -> bool:
    """Whether each number of type `a` is one of type `b`, in the order bool, int, float, complex."""
    if a not in _ORDERED_TYPES or b not in _ORDERED_TYPES:
        raise RuntimeError(f"Expected builtin numeric types, found {a}, {b}")
    return _ORDERED_TYPES.index(a) <= _ORDERED_TYPES.index(b)


def can_safe_cast_to(*, cast_to: torch.dtype, cast_from: torch.dtype) -> bool:
    """Whether a conversion keeps the category of numbers or extends it."""
    return torch.can_cast(cast_from, cast_to)


def number_type(x) -> type:
    """Returns bool, int, float or complex."""
    return next((kind for kind in _ORDERED_TYPES if isinstance(x, kind)), type(x))


def set_correction(unbiased=None, correction=None):
    """Returns the correction of a variance from one of its two arguments."""
    if correction is not None and unbiased is not None:
        raise RuntimeError("cannot specify both correction and unbiased arguments")
    if correction is None:
        correction = 0.0 if unbiased is False else 1.0
    if not isinstance(correction, (int, float)):
        raise ValueError("correction argument should be integer or float")
    return float(correction)


def clone_preserve_strides(x):
    """Returns a copy whose elements are at the same places of a new storage."""
    length = compute_required_storage_length(x.size(), x.stride(), x.storage_offset())
    return x.as_strided((length,), (1,), 0).clone().as_strided(x.size(), x.stride(), x.storage_offset())
