"""Nested: what both nested layouts share, wrapper tensors whose operators are rules on dense tensors.

A call reaches its rule in one of two ways. Pointwise and in-place operators are recorded by autograd like those of any
tensor, and the rule runs below it on plain values. For the others the rule itself is recorded: it takes the values out
of its arguments (`values_with_history`) and puts its result into a new nested tensor (`nest_values_with_history`).
Both steps are differentiable.
"""

import enum
import threading
import types as _types

from .. import _C
from .._root import torch
from ._pointwise import POINTWISE

# The C++ library needs an int for each size. Irregular sizes are represented by ints from this one up: one for each
# structure.
IRREGULAR = 1 << 32

_thread = threading.local()


class _Call(enum.Enum):
    """What a program's call is recorded as; calls of the engine are neither."""

    RECORDED = "the operator"
    RULE = "the rule's steps"


class _Open(torch.autograd.Function):
    """From a nested tensor to its values."""

    @staticmethod
    def forward(ctx, nested):
        ctx.like = nested._make_like_function()
        return nested._stored_values().detach()

    @staticmethod
    def backward(ctx, grad):
        return ctx.like(grad)


class _Close(torch.autograd.Function):
    """From values to a nested tensor."""

    @staticmethod
    def forward(ctx, values, make):
        nested = make(values.detach())
        ctx.back = nested._gradient_function_of_values()
        return nested

    @staticmethod
    def backward(ctx, grad):
        return ctx.back(grad), None


def values_with_history(nested):
    """Returns the values of a nested tensor, with its history."""
    return _Open.apply(nested) if nested.requires_grad and torch.is_grad_enabled() else nested._stored_values()


def nest_values_with_history(values, make):
    """Returns the nested tensor that `make` makes of values, with their history."""
    if values.requires_grad:
        return _Close.apply(values, make) if torch.is_grad_enabled() else make(values.detach())
    return make(values)


# Operators whose nested results share memory with the argument.
_VIEWS = frozenset(
    "chunk expand flatten mT narrow permute reshape select slice split split_with_sizes squeeze transpose "
    "unsqueeze view view_as".split()
)


def _remember_base_of_view(view, parent):
    if view is not parent and view._stored_values().data_ptr() and _shares_memory(view, parent):
        view._origin = (parent if parent._origin is None else parent._origin[0], None)
    return view


def _shares_memory(a, b):
    return a._stored_values().untyped_storage()._cdata == b._stored_values().untyped_storage()._cdata


def is_nested(value):
    """Whether a value is a nested tensor."""
    return isinstance(value, Nested)


def map_nested(function, values):
    """Returns the values with each nested tensor, also in lists and tuples, replaced by function(it)."""
    if is_nested(values):
        return function(values)
    if type(values) in (list, tuple):
        return type(values)(map_nested(function, v) for v in values)
    if type(values) is dict:
        return {k: map_nested(function, v) for k, v in values.items()}
    return values


def all_nested(values):
    """Returns the nested tensors among arguments, in order."""
    found = []
    map_nested(found.append, list(values))
    return found


class Nested(torch.Tensor):
    """Base of nested tensors; a subclass has `_attributes`, by the names of Tensor's members, and `_rule`."""

    _attributes = {}
    # (base tensor, function that makes the same view of another base, or None); None if this tensor is no view
    _origin = None
    # Names of operators that autograd records as one node; of others it records what their rules call.
    _recorded = POINTWISE

    def _view_func(self, new_base):
        """Returns the same view of another tensor."""
        if self._origin is None or self._origin[1] is None:
            raise NotImplementedError("_view_func of this view")
        return self._origin[1](new_base)

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        """Runs a member of the class, or the operator's rule."""
        if getattr(func, "__name__", "") in POINTWISE and any(isinstance(a, torch.SymInt) for a in args):
            raise RuntimeError(f"NestedTensor {func.__name__}.Tensor: invalid argument {args[1]}")
        args, kwargs = _replace_irregular_sizes(args), _replace_irregular_sizes(kwargs or {})
        is_property = getattr(func, "__name__", "") in ("__get__", "__set__") and hasattr(func, "__self__")
        name = func.__self__.__name__ if is_property else getattr(func, "__name__", "")
        own = None if is_property and func.__name__ == "__set__" else _find_tensor_attribute_handler(args, name)
        if own is not None:
            return own(*args[:1]) if is_property else own(*args, **kwargs)
        if isinstance(func, _types.FunctionType):
            return _C._skip_one_hop_torch_function(func, types, args, kwargs)
        recorded = is_property or name in cls._recorded or (name.endswith("_") and not name.endswith("__"))
        before = getattr(_thread, "call", None)
        _thread.call = _Call.RECORDED if recorded else _Call.RULE
        try:
            with torch._C.DisableTorchFunctionSubclass():
                if recorded:
                    return func(*args, **kwargs)
                with torch._C._AutoDispatchBelowAutograd():
                    return func(*args, **kwargs)
        finally:
            _thread.call = before

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        """Runs an operator's rule."""
        call, _thread.call = getattr(_thread, "call", None), None
        try:
            nested = all_nested([*args, *(kwargs or {}).values()])
            rule = nested[0]._find_rule(func, is_step=call is None)
            with torch._C._RestorePythonTLSSnapshot() if call is _Call.RULE else torch.no_grad():
                result = rule(func, *args, **(kwargs or {}))
            if func._overloadpacket.__name__ in _VIEWS:
                map_nested(lambda view: _remember_base_of_view(view, nested[0]), result)
            return result
        finally:
            _thread.call = call


def _replace_irregular_sizes(values):
    """Returns arguments with an int for each irregular size, also in lists and tuples."""
    if type(values) in (list, tuple, torch.Size):
        return values if not any(map(_has_irregular_size, values)) else tuple(map(_replace_irregular_sizes, values))
    if type(values) is dict:
        return {k: _replace_irregular_sizes(v) for k, v in values.items()}
    return IRREGULAR + values.node.nested_int() if isinstance(values, torch.SymInt) else values


def _has_irregular_size(value):
    return isinstance(value, torch.SymInt) or (
        type(value) in (list, tuple, torch.Size) and any(map(_has_irregular_size, value))
    )


def _index_nested(self, index):
    """Tensor.__getitem__: one dimension after another."""
    index = index if isinstance(index, tuple) else (index,)
    if Ellipsis in [i for i in index if not isinstance(i, torch.Tensor)]:
        at = next(k for k, i in enumerate(index) if i is Ellipsis)
        rest = sum(i is not None for i in index) - 1
        middle = (_ALL,) * (self.dim() - rest)
        index = (*index[:at], *middle, *index[at + 1 :])
    result, dim = self, 0
    for k, i in enumerate(index):
        if not is_nested(result):  # a piece
            return result[tuple(_EVERY if j is _ALL else j for j in index[k:])]
        if i is _ALL:
            dim += 1
        elif i is None:
            result, dim = result.unsqueeze(dim), dim + 1
        elif isinstance(i, slice):
            result, dim = _index_by_slice(result, dim, i), dim + 1
        elif isinstance(i, int) and not isinstance(i, bool):
            result = result.select(dim, i)
        else:
            raise_without_kernel = self._find_rule(torch.ops.aten.index.Tensor)
            raise_without_kernel(torch.ops.aten.index.Tensor, result, [i])
    return torch.ops.aten.alias(result) if result is self else result


_EVERY = slice(None)
_ALL = object()


def _index_by_slice(self, dim, index_slice):
    step = 1 if index_slice.step is None else index_slice.step
    end = (1 << 63) - 1 if index_slice.stop is None else index_slice.stop
    with torch._C.DisableTorchFunctionSubclass():
        return self._find_rule(torch.ops.aten.slice.Tensor)(
            torch.ops.aten.slice.Tensor, self, dim, index_slice.start or 0, end, step
        )


# Attributes and methods of Tensor that nested tensors compute without calling an operator.
ATTRIBUTES = {
    "_base": lambda self: self._origin[0] if self._origin else None,
    "_is_view": lambda self: self._origin is not None,
    "__getitem__": _index_nested,
    "is_nested": lambda self: True,
    "is_floating_point": lambda self: self.dtype.is_floating_point,
    "is_complex": lambda self: self.dtype.is_complex,
    "is_signed": lambda self: self.dtype.is_signed,
    "contiguous": lambda self, memory_format=torch.contiguous_format: _run_operator_rule(
        self, "contiguous", memory_format
    ),
}


def _run_operator_rule(self, name, *args):
    operator = getattr(torch.ops.aten, name).default
    return self._find_rule(operator)(operator, self, *args)


def _find_tensor_attribute_handler(args, name):
    return type(args[0])._attributes.get(name) if args and is_nested(args[0]) else None


# ---- rules shared by the strided and the jagged layout


def is_pinned(func, self, device=None):
    """Tensor.is_pinned."""
    return self._stored_values().is_pinned()


def pin_memory(func, self, device=None):
    """Tensor.pin_memory."""
    return self._make_like_function()(self._stored_values().pin_memory())


def dropout(func, self, p, train):
    """Dropout of elements (also feature and alpha dropout), each with its own chance."""
    if func._overloadpacket.__name__ == "dropout":
        return self._make_like_function()(torch.native_dropout(values_with_history(self), p, train)[0])
    return self._make_like_function()(func(values_with_history(self), p, train))


def native_dropout(func, self, p, train):
    """Dropout that also returns its mask."""
    result, mask = func(values_with_history(self), p, train)
    return self._make_like_function()(result), self._make_like_function()(mask)
