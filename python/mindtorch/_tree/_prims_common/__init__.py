"""torch._prims_common: questions about shapes, strides and dtypes, for programs that write operators in Python."""

import enum
import functools
import operator
from collections.abc import Sequence
from typing import Any

from .._root import torch
from ._checks import (
    _ORDERED_TYPES,
    REDUCTION_OUTPUT_TYPE_KIND,
    RETURN_TYPE,
    can_safe_cast_to,
    check,
    check_all_strides,
    check_same_device,
    check_same_dtype,
    check_same_shape,
    check_significant_strides,
    clone_preserve_strides,
    compare_tensor_meta,
    compute_reduction_output_shape,
    compute_required_storage_length,
    extract_dims_from_varargs,
    extract_shape,
    extract_shape_from_varargs,
    infer_size_shapes,
    is_cpu_scalar_tensor,
    is_weakly_lesser_type,
    number_type,
    reduction_dims,
    same_shape,
    set_correction,
    validate_dim_length,
    validate_no_repeating_dims,
    validate_shape,
    validate_strides,
)

ShapeType = torch.Size | list[int] | tuple[int, ...]
StrideType = list[int] | tuple[int, ...]
DimsType = int | list[int] | tuple[int, ...]
DimsSequenceType = list[int] | tuple[int, ...]
NumberType = bool | int | float | complex
DeviceLikeType = str | torch.device | int
Tensor = TensorLike = TensorLikeType = torch.Tensor
Number = (bool, int, float, complex, torch.SymInt, torch.SymFloat, torch.SymBool)

_INTEGER_DTYPES = (
    *(torch.uint8, torch.uint16, torch.uint32, torch.uint64),
    *(torch.int8, torch.int16, torch.int32, torch.int64),
)
_LOW_PRECISION_DTYPES = (torch.float16, torch.bfloat16, torch.complex32)
_COMPLEX_OF = {
    torch.float16: torch.complex32,
    torch.bfloat16: torch.complex64,
    torch.float32: torch.complex64,
    torch.float64: torch.complex128,
}
_REAL_OF = {torch.complex32: torch.float16, torch.complex64: torch.float32, torch.complex128: torch.float64}


# ---- shapes ----------------------------------------------------------------------------------------------------------


def make_contiguous_strides_for(shape: ShapeType, row_major: bool = True) -> tuple[int, ...]:
    """Returns the strides of a contiguous tensor; without `row_major`, of one whose matrices are stored by columns."""
    strides, step = [], 1
    for size in reversed(shape):
        strides.append(step)
        step *= max(size, 1)
    strides.reverse()
    if not row_major and len(shape) >= 2:
        strides[-2:] = [1, max(shape[-2], 1)]
    return tuple(strides)


def make_channels_last_strides_for(shape: ShapeType) -> tuple[int, ...]:
    """Returns strides for which the second dimension is the fastest."""
    order = [1, *range(len(shape) - 1, 1, -1), 0]
    strides, step = [0] * len(shape), 1
    for dim in order:
        strides[dim] = step
        step *= max(shape[dim], 1)
    return tuple(strides)


def canonicalize_dim(rank: int, idx: int, wrap_scalar: bool = True) -> int:
    """Returns a dimension as a number from 0 on."""
    if rank < 0:
        raise IndexError(f"Rank cannot be negative but got {rank}")
    if rank == 0:
        if not wrap_scalar:
            raise IndexError(f"Dimension specified as {idx} but tensor has no dimensions")
        rank = 1
    if not -rank <= idx < rank:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-rank}, {rank - 1}], but got {idx})")
    return idx % rank


def canonicalize_dims(rank: int, indices, wrap_scalar: bool = True):
    """Returns one dimension, or a tuple of several, as numbers from 0 on."""
    if isinstance(indices, int):
        return canonicalize_dim(rank, indices, wrap_scalar)
    return tuple(canonicalize_dim(rank, index, wrap_scalar) for index in indices)


def is_same_shape(a: Sequence, b: Sequence) -> bool:
    """Returns whether two shapes are equal."""
    return tuple(a) == tuple(b)


def is_valid_permutation(rank: int, perm: DimsSequenceType) -> bool:
    """Returns whether a tuple names every dimension once."""
    return isinstance(perm, Sequence) and sorted(perm) == list(range(rank))


def apply_perm(inp, perm):
    """Returns the items in the order of a permutation."""
    return [inp[p] for p in perm]


def invert_perm(perm):
    """Returns the permutation that undoes another."""
    inverse = [-1] * len(perm)
    for i, p in enumerate(perm):
        inverse[p] = i
    return inverse


def prod(xs: Sequence[NumberType]) -> NumberType:
    """Returns the product of numbers; 1 for none."""
    return functools.reduce(operator.mul, xs, 1)


def is_expandable_to(shape: ShapeType, desired: ShapeType) -> bool:
    """Returns whether a tensor of one shape can be expanded to another."""
    if len(shape) > len(desired):
        return False
    return all(have in (1, want) for have, want in zip(reversed(shape), reversed(desired)))


# ---- layouts ---------------------------------------------------------------------------------------------------------


def is_contiguous(a: Tensor) -> bool:
    """Returns whether the elements lie in the order of their indices."""
    return a.is_contiguous()


is_contiguous_or_false = is_contiguous


def is_channels_last_contiguous(a: Tensor) -> bool:
    """Returns whether a batch of images or volumes has its channels next to each other."""
    formats = {4: torch.channels_last, 5: torch.channels_last_3d}
    return a.dim() in formats and a.is_contiguous(memory_format=formats[a.dim()])


is_channels_last_contiguous_or_false = is_channels_last_contiguous


def is_contiguous_for_memory_format(a: Tensor, *, memory_format: torch.memory_format) -> bool:
    """Returns whether a tensor has a memory format."""
    return a.is_contiguous(memory_format=memory_format)


def suggest_memory_format(x: Tensor) -> torch.memory_format:
    """Returns the memory format of a tensor that is not contiguous, if there is one."""
    if x.layout == torch.strided and not x.is_contiguous():
        for rank, name in ((4, torch.channels_last), (5, torch.channels_last_3d)):
            if x.dim() == rank and x.is_contiguous(memory_format=name):
                return name
    return torch.contiguous_format


# ---- dtypes ----------------------------------------------------------------------------------------------------------


def is_boolean_dtype(dtype: torch.dtype) -> bool:
    """Returns whether a dtype is bool."""
    return dtype is torch.bool


def is_integer_dtype(dtype: torch.dtype) -> bool:
    """Returns whether a dtype has integers; bool does not count."""
    return dtype in _INTEGER_DTYPES


def is_float_dtype(dtype: torch.dtype) -> bool:
    """Returns whether a dtype has real numbers."""
    return dtype.is_floating_point


def is_complex_dtype(dtype: torch.dtype) -> bool:
    """Returns whether a dtype has complex numbers."""
    return dtype.is_complex


def is_low_precision_dtype(dtype: torch.dtype) -> bool:
    """Returns whether computations with a dtype use a wider one."""
    return dtype in _LOW_PRECISION_DTYPES


def is_grad_dtype(dtype: torch.dtype) -> bool:
    """Returns whether tensors of a dtype can have gradients."""
    return dtype.is_floating_point or dtype.is_complex


def corresponding_real_dtype(dtype: torch.dtype) -> torch.dtype:
    """Returns the dtype of the parts of complex numbers."""
    return _REAL_OF[dtype]


def corresponding_complex_dtype(dtype: torch.dtype) -> torch.dtype:
    """Returns the dtype of complex numbers whose parts have a dtype."""
    return _COMPLEX_OF[dtype]


def dtype_to_type(dtype: torch.dtype) -> type:
    """Returns the type of Python's numbers for a dtype."""
    if not isinstance(dtype, torch.dtype):
        raise AssertionError(f"Expected torch.dtype, got {type(dtype)}")
    if dtype is torch.bool:
        return bool
    if dtype in _INTEGER_DTYPES:
        return int
    return complex if dtype.is_complex else float


def type_to_dtype(typ: type) -> torch.dtype:
    """Returns the dtype of new tensors of a type of Python's numbers."""
    if not isinstance(typ, type):
        raise AssertionError(f"Expected type, got {type(typ)}")
    default = torch.get_default_dtype()
    dtypes = {bool: torch.bool, int: torch.long, float: default, complex: corresponding_complex_dtype(default)}
    dtypes |= {torch.SymBool: torch.bool, torch.SymInt: torch.long, torch.SymFloat: default}
    if typ not in dtypes:
        raise ValueError(f"Invalid type {typ}!")
    return dtypes[typ]


def get_higher_type(a: type, b: type) -> type:
    """Returns the later of two types in the order bool, int, float, complex."""
    for kind in (a, b):
        if kind not in _ORDERED_TYPES:
            raise RuntimeError(f"Expected builtin numeric types, got {a}, {b}")
    return max(a, b, key=_ORDERED_TYPES.index)


def get_computation_dtype(dtype: torch.dtype) -> torch.dtype:
    """Returns the dtype in which a low-precision dtype is computed; others themselves."""
    wider = {torch.float16: torch.float32, torch.bfloat16: torch.float32, torch.complex32: torch.complex64}
    return wider.get(dtype, dtype)


def dtype_or_default(dtype: "torch.dtype | None") -> torch.dtype:
    """Returns a dtype, or the default one for None."""
    return dtype if dtype is not None else torch.get_default_dtype()


def device_or_default(device: "DeviceLikeType | None") -> DeviceLikeType:
    """Returns a device, or that of new tensors for None."""
    return device if device is not None else torch.device("cpu")


def layout_or_default(layout: "torch.layout | None") -> torch.layout:
    """Returns a layout, or strided for None."""
    return layout if layout is not None else torch.strided


class ELEMENTWISE_TYPE_PROMOTION_KIND(enum.Enum):
    """How the dtypes of an elementwise operator's arguments give that of its result."""

    DEFAULT = (0,)
    NO_OPMATH = (1,)
    INT_TO_FLOAT = (2,)
    ALWAYS_BOOL = (3,)
    COMPLEX_TO_FLOAT = (4,)
    BOOL_TO_LONG = (5,)


def _promote_dtype_with_number(dtype, kind):
    """Returns the dtype of tensors and numbers: the numbers decide only if theirs is a later kind."""
    if kind is complex and not dtype.is_complex:
        return corresponding_complex_dtype(dtype if dtype.is_floating_point else torch.get_default_dtype())
    if kind is float and not is_grad_dtype(dtype):
        return torch.get_default_dtype()
    return torch.long if kind is int and dtype is torch.bool else dtype


def _promote_dtypes_of_arguments(args):
    """Returns the dtype of tensors and numbers together; bool for none."""
    groups = []
    for has_dims in (True, False):  # tensors with dimensions decide before those without
        dtypes = [arg.dtype for arg in args if isinstance(arg, torch.Tensor) and (arg.dim() > 0) == has_dims]
        if dtypes:
            dtype = functools.reduce(torch.promote_types, dtypes)
            groups.append(torch.empty((1,) if has_dims else (), dtype=dtype, device="meta"))
    numbers = [type(arg) for arg in args if not isinstance(arg, torch.Tensor)]
    number = functools.reduce(get_higher_type, numbers) if numbers else None
    if not groups:
        return type_to_dtype(number) if number else torch.bool
    return _promote_dtype_with_number(torch.result_type(groups[0], groups[-1]), number)


def elementwise_dtypes(*args: Any, type_promotion_kind: ELEMENTWISE_TYPE_PROMOTION_KIND):
    """Returns the dtype in which an elementwise operator computes, and that of its result.

    Args:
        args (Tensors and numbers): the arguments of the operator; None counts as absent.
        type_promotion_kind (ELEMENTWISE_TYPE_PROMOTION_KIND): how they are combined.

    Returns:
        tuple of torch.dtype: of the computation and of the result.
    """
    Kind = ELEMENTWISE_TYPE_PROMOTION_KIND
    given = [arg for arg in args if arg is not None]
    for arg in given:
        if not isinstance(arg, (torch.Tensor, *Number)):
            raise ValueError(f"Unexpected type {type(arg)} when computing elementwise type promotion!")
    result = _promote_dtypes_of_arguments(given)
    if type_promotion_kind is Kind.INT_TO_FLOAT and not is_grad_dtype(result):
        result = torch.get_default_dtype()
    if type_promotion_kind is Kind.BOOL_TO_LONG and result is torch.bool:
        return torch.long, torch.long
    computation = result if type_promotion_kind is Kind.NO_OPMATH else get_computation_dtype(result)
    if type_promotion_kind is Kind.COMPLEX_TO_FLOAT and result.is_complex:
        return computation, corresponding_real_dtype(result)
    return computation, torch.bool if type_promotion_kind is Kind.ALWAYS_BOOL else result
