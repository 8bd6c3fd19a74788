"""`__torch_dispatch__` modes, and helpers for tensor subclasses that wrap other tensors."""

import contextlib
import functools
import warnings
from dataclasses import dataclass
from typing import Any

from .. import _C
from .._root import torch

_is_in_torch_dispatch_mode = False
_is_in_non_infra_torch_dispatch_mode = False


def is_in_torch_dispatch_mode(include_infra_modes: bool = True) -> bool:
    """Whether a TorchDispatchMode is active."""
    return _is_in_torch_dispatch_mode if include_infra_modes else _is_in_non_infra_torch_dispatch_mode


def _refresh_flags() -> None:
    global _is_in_torch_dispatch_mode, _is_in_non_infra_torch_dispatch_mode
    modes = _get_current_dispatch_mode_stack()
    _is_in_torch_dispatch_mode = bool(modes)
    _is_in_non_infra_torch_dispatch_mode = any(not mode.is_infra_mode() for mode in modes)


def any_torch_dispatch_mode_on_stack() -> bool:
    return any(
        not mode.is_infra_mode() and not mode.ignore_compile_internals()
        for mode in _get_current_dispatch_mode_stack()
    )


class TorchDispatchMode:
    """Intercepts every operator that runs inside the block, below autograd, with `__torch_dispatch__`."""

    supports_higher_order_operators = False

    def __init__(self, _dispatch_key=None):
        if _dispatch_key is not None:
            if not isinstance(_dispatch_key, _C.DispatchKey):
                raise AssertionError("_dispatch_key must be a torch._C.DispatchKey")
            raise NotImplementedError(f"TorchDispatchMode at {_dispatch_key}: there is no pre-dispatch mode stack")

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        raise NotImplementedError

    def __enter__(self):
        if getattr(self.__torch_dispatch__, "__self__", None) is type(self):
            raise RuntimeError(
                "Defining your mode's `__torch_dispatch__` as a classmethod is not supported, please make it a plain "
                "method"
            )
        _push_mode(self)
        return self

    def __exit__(self, exc_type, exc_val, exc_tb):
        _pop_mode(self.__dict__.get("_mode_key"))

    @classmethod
    def push(cls, *args, **kwargs):
        warnings.warn(
            "`Mode.push()` is no longer necessary and can be replaced with just `with Mode()`", stacklevel=2
        )
        return cls(*args, **kwargs)

    @classmethod
    def is_infra_mode(cls) -> bool:
        return False

    @classmethod
    def ignore_compile_internals(cls) -> bool:
        return cls.is_infra_mode()


class BaseTorchDispatchMode(TorchDispatchMode):
    """Runs every call unchanged."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


def _get_current_dispatch_mode() -> TorchDispatchMode | None:
    depth = _C._len_torch_dispatch_stack()
    return _C._get_dispatch_stack_at(depth - 1) if depth else None


def _get_current_dispatch_mode_stack() -> list[TorchDispatchMode]:
    return [_C._get_dispatch_stack_at(index) for index in range(_C._len_torch_dispatch_stack())]


def _push_mode(mode: TorchDispatchMode) -> None:
    _C._push_on_torch_dispatch_stack(mode)
    _refresh_flags()


def _pop_mode(k=None):
    mode = _C._pop_torch_dispatch_stack(k)
    _refresh_flags()
    return mode


@contextlib.contextmanager
def _pop_mode_temporarily(k=None):
    mode = _pop_mode(k)
    try:
        yield mode
    finally:
        _push_mode(mode)


@contextlib.contextmanager
def _disable_current_modes():
    modes = [_pop_mode() for _ in range(_C._len_torch_dispatch_stack())]
    try:
        yield modes
    finally:
        for mode in reversed(modes):
            _push_mode(mode)


def _has_traceable_wrapper_subclass_protocol(t: object) -> bool:
    return hasattr(t, "__tensor_flatten__") and hasattr(t, "__tensor_unflatten__")


def is_traceable_wrapper_subclass(t: object) -> bool:
    """Whether `t` is a tensor subclass that can be split into plain tensors and rebuilt."""
    is_subclass = isinstance(t, torch.Tensor) and type(t) is not torch.Tensor
    return is_subclass and _has_traceable_wrapper_subclass_protocol(t)


def is_traceable_wrapper_subclass_type(t: type) -> bool:
    """Whether it has __tensor_flatten__ and its inverse."""
    return issubclass(t, torch.Tensor) and t is not torch.Tensor and _has_traceable_wrapper_subclass_protocol(t)


def transform_subclass(t, callback, outer_size=None, outer_stride=None):
    """Rebuilds a wrapper subclass with `callback(name, inner)` in place of each inner tensor."""
    outer_size = t.size() if outer_size is None else outer_size
    outer_stride = t.stride() if outer_stride is None else outer_stride
    names, context = t.__tensor_flatten__()
    inner = {name: callback(name, getattr(t, name)) for name in names}
    rebuilt = type(t).__tensor_unflatten__(inner, context, outer_size, outer_stride)
    for what, found, expected in (
        ("shape", rebuilt.shape, outer_size),
        ("stride", rebuilt.stride(), outer_stride),
    ):
        if found != expected:
            raise AssertionError(
                f"Expected return value from {type(t)}__tensor_unflatten__() to have {what} equal to {expected}, "
                f"but got: {found}"
            )
    return rebuilt


@dataclass
class AliasInfo:
    alias_set: set[str]
    is_write: bool
    name: str | None


@dataclass
class SchemaInfo:
    args: list[AliasInfo]
    outs: list[AliasInfo]
    is_inplace_view_op: bool
    outs_write_aliases: list[str] | None
    read_only_alias_match_indexes: list[tuple[int, int]]


def _alias_of(argument) -> AliasInfo:
    info = argument.alias_info
    if info is None:
        return AliasInfo(alias_set=set(), is_write=False, name=argument.name)
    return AliasInfo(alias_set=set(info.before_set), is_write=info.is_write, name=argument.name)


def _get_write_alias(alias: AliasInfo) -> str | None:
    if not alias.alias_set or not alias.is_write:
        return None
    if len(alias.alias_set) != 1:
        raise AssertionError("Expected alias_set to contain exactly one element")
    return next(iter(alias.alias_set))


@functools.cache
def get_alias_info(func) -> SchemaInfo:
    """Returns which results of an operator are its arguments, or share memory with them."""
    schema = func._schema
    args, outs = [list(map(_alias_of, part)) for part in (schema.arguments, schema.returns)]
    shared = [
        (arg_index, out_index)
        for arg_index, arg in enumerate(args)
        for out_index, out in enumerate(outs)
        if arg.alias_set & out.alias_set and not arg.is_write
    ]
    written = [_get_write_alias(out) for out in outs]
    if any(written) and not all(written):
        raise RuntimeError("Unsupported schema: " + str(schema))
    return SchemaInfo(
        args=args,
        outs=outs,
        is_inplace_view_op=torch.Tag.inplace_view in func.tags,
        outs_write_aliases=written if any(written) else None,
        read_only_alias_match_indexes=shared,
    )


def _find_argument(func, args, kwargs, index) -> Any:
    name = func._schema.arguments[index].name
    return args[index] if index < len(args) else kwargs[name]


def _share_storage(func, arg, ret) -> None:
    for result in ret if isinstance(ret, list) else [ret]:
        if type(arg) is not type(result) and any(
            is_traceable_wrapper_subclass_type(kind) for kind in (type(arg), type(result))
        ):
            raise AssertionError(
                f"Called {str(func)} with input of type {type(arg)}\nand output of type {type(ret)}. "
                "But expected types to match."
            )
        with torch._C._DisableTorchDispatch():
            where = result.storage_offset(), result.shape, result.stride()
            torch.ops.aten.set_.source_Storage_storage_offset(result, arg.untyped_storage(), *where)


def return_and_correct_aliasing(func, args, kwargs, out):
    """Makes a wrapper subclass's results alias its arguments as the operator's schema states."""
    info = get_alias_info(func)
    outs = out if isinstance(out, tuple) else (out,)
    for arg_index, out_index in info.read_only_alias_match_indexes:
        _share_storage(func, args[arg_index], outs[out_index])
    if info.outs_write_aliases is None:
        return out
    if info.is_inplace_view_op:  # the operator itself gives the wrapper its new shape
        with torch._C._DisableTorchDispatch():
            func(*args, **(kwargs or {}))
    indices = [
        next(index for index, arg in enumerate(info.args) if alias in arg.alias_set)
        for alias in info.outs_write_aliases
    ]
    written = [_find_argument(func, args, kwargs or {}, index) for index in indices]
    return written[0] if len(written) == 1 else type(out)(written)
