"""Properties of a tensor for which the ``__torch_dispatch__`` of its class is asked: see `_make_wrapper_subclass`.

Each function returns the property, or NotImplemented where the tensor's own is meant. `_C` calls them.
"""

import operator

from . import _C, _query_operators
from ._root import torch
from .utils._python_dispatch import _pop_mode_temporarily

# Names of layouts; the index of each is the number that torch gives the layout.
_LAYOUTS = "strided sparse_coo sparse_csr _mkldnn sparse_csc sparse_bsr sparse_bsc jagged".split()


def _ask_mode_or_subclass(tensor, namespace, name, *args, overload="default"):
    """Returns what the mode of this thread or the tensor's class answers to a call of an operator."""
    question = getattr(_query_operators.find(namespace, name), overload)
    asked, types, kwargs, answer = [], (type(tensor),), {}, NotImplemented
    with _C._AutoDispatchBelowAutograd():
        if _C._len_torch_dispatch_stack():
            with _pop_mode_temporarily() as mode:
                answer = mode.__torch_dispatch__(question, types, (tensor, *args), kwargs)
            asked.append(f"mode object {mode!r}")
        if answer is NotImplemented:
            answer = tensor.__torch_dispatch__(question, types, (tensor, *args), kwargs)
            asked.append(f"tensor subclass {types[0]!r}")
    if answer is NotImplemented:
        raise TypeError(
            f"Multiple dispatch failed for 'torch.ops.{namespace}.{name}'; all __torch_dispatch__ handlers returned "
            "NotImplemented:\n\n" + "".join(f"  - {line}\n" for line in asked) + "\n"
            "For more information, try re-running with TORCH_LOGS=not_implemented"
        )
    return answer


def _type_name(value):
    kind = type(value)
    return kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__name__}"


def _refuse_type(name, value, expected):
    return RuntimeError(f"{name} returned invalid type {_type_name(value)}, expected {expected}")


def _cast_to_int(value):
    try:
        return operator.index(value)
    except TypeError:
        raise RuntimeError(
            f"Unable to cast Python instance of type {type(value)} to C++ type '?' (#define "
            "PYBIND11_DETAILED_ERROR_MESSAGES or compile in debug mode for details)"
        ) from None


def _ask_subclass_for_ints(tensor, name, displayed):
    answer = _ask_mode_or_subclass(tensor, "aten", name)
    if answer is None:
        return None
    if not isinstance(answer, (list, tuple)):
        raise RuntimeError(f"{displayed} must be a list or a tuple")
    return [_cast_to_int(value) for value in answer]


def _ask_subclass_for_count(tensor, name):
    answer = _ask_mode_or_subclass(tensor, "aten", name)
    return NotImplemented if answer is None else _cast_to_int(answer)


def _wrap_negative_dim(index, rank):
    high = max(rank, 1)
    if not -high <= index < high:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-high}, {high - 1}], but got {index})")
    return index % high


def dim(tensor):
    answer = _ask_mode_or_subclass(tensor, "aten", "dim")
    if not isinstance(answer, int):
        raise _refuse_type("dim", answer, "int")
    return int(answer)


def size(tensor, index=None):
    if index is None:
        sizes = _ask_subclass_for_ints(tensor, "sym_size", "sym_size")
        return NotImplemented if sizes is None else torch.Size(sizes)
    index = _wrap_negative_dim(operator.index(index), dim(tensor))
    sizes = _ask_subclass_for_ints(tensor, "sym_size", "sym_size")
    return NotImplemented if sizes is None else sizes[_wrap_negative_dim(index, len(sizes))]


def length(tensor):
    if dim(tensor) == 0:
        raise TypeError("len() of a 0-d tensor")
    sizes = _ask_subclass_for_ints(tensor, "sym_size", "sym_size")
    return NotImplemented if sizes is None else sizes[0]


def stride(tensor, index=None):
    strides = _ask_subclass_for_ints(tensor, "sym_stride", "sym_strides")
    if strides is None:
        return NotImplemented
    return tuple(strides) if index is None else strides[_wrap_negative_dim(operator.index(index), len(strides))]


def numel(tensor):
    return _ask_subclass_for_count(tensor, "sym_numel")


def storage_offset(tensor):
    return _ask_subclass_for_count(tensor, "sym_storage_offset")


def data_ptr(tensor):
    return 0 if _ask_subclass_for_count(tensor, "numel") == 0 else NotImplemented


def nbytes(tensor):
    count = _ask_subclass_for_count(tensor, "numel")
    return NotImplemented if count is NotImplemented else count * tensor.itemsize


def is_contiguous(tensor, memory_format=None):
    if memory_format in (None, torch.contiguous_format):
        answer = _ask_mode_or_subclass(tensor, "aten", "is_contiguous")
    else:
        answer = _ask_mode_or_subclass(tensor, "aten", "is_contiguous", memory_format, overload="memory_format")
    if answer is None:
        return NotImplemented
    if not isinstance(answer, bool):
        raise _refuse_type("is_contiguous", answer, "bool")
    return answer


def device(tensor):
    answer = _ask_mode_or_subclass(tensor, "prim", "device")
    if isinstance(answer, (str, torch.device)) or type(answer) is int:
        return torch.device(answer)
    raise RuntimeError("unpackString: expected bytes or unicode object")


def get_device(tensor):
    index = device(tensor).index
    return -1 if index is None else index


def layout(tensor):
    answer = _ask_mode_or_subclass(tensor, "prim", "layout")
    if isinstance(answer, torch.layout):
        return answer
    if not isinstance(answer, int):
        raise _refuse_type("layout", answer, "Layout")
    return getattr(torch, _LAYOUTS[answer])
