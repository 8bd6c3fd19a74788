"""Decorators and queries of TorchScript for Python code; nothing is ever scripted."""

from __future__ import annotations

import collections.abc
import contextlib
import inspect
import types
import typing
import warnings
from collections.abc import Callable
from typing import Any, Final, Generic, TypeVar, Union, get_args, get_origin  # noqa: F401

from ._lazy import lazy_attributes

T = TypeVar("T")

# The functions that boolean_dispatch made, each with the functions that it selects from.
boolean_dispatched: dict = {}


def is_scripting() -> bool:
    """Whether the caller runs as TorchScript: always False."""
    return False


def is_final(ann) -> bool:
    return getattr(ann, "__module__", None) in ("typing", "typing_extensions") and get_origin(ann) is Final


class BroadcastingListCls:
    """`BroadcastingList2[int]` in an annotation: one value or a list of two."""

    def __getitem__(self, types):
        return None


BroadcastingList1 = BroadcastingListCls()
BroadcastingList2 = BroadcastingList3 = BroadcastingList4 = BroadcastingList1
BroadcastingList5 = BroadcastingList6 = BroadcastingList1


def _qualified_name(obj, mangle_name=True) -> str:
    name = getattr(obj, "__name__", None) or getattr(obj, "name", None)
    if not name:
        raise RuntimeError("Could not get name of python class object")
    name = "_lambda" if name == "<lambda>" else name
    module = obj.__module__
    if module is None:
        raise RuntimeError(f"Could not get qualified name for class '{name}': __module__ can't be None.")
    if mangle_name:
        module = "__torch__" if module == "__main__" else "__torch__." + module
    if "." in name:
        raise RuntimeError(
            f"Could not get qualified name for class '{name}': '{name}' is not a valid identifier"
        )
    return f"{module}.{name}"


def boolean_dispatch(arg_name, arg_index, default, if_true, if_false, module_name, func_name):
    """Returns a function that calls one of two, selected by a boolean argument (pooling with or without indices)."""

    def fn(*args, **kwargs):
        flag = kwargs.get(arg_name, args[arg_index] if arg_index < len(args) else default)
        return (if_true if flag else if_false)(*args, **kwargs)

    fn.__doc__ = if_true.__doc__ or if_false.__doc__
    if module_name is not None:
        fn.__module__ = module_name
    if func_name is not None:
        fn.__name__ = func_name
    boolean_dispatched[fn] = {
        "if_true": if_true,
        "if_false": if_false,
        "index": arg_index,
        "default": default,
        "arg_name": arg_name,
    }
    return fn


def _try_get_dispatched_fn(fn):
    return boolean_dispatched.get(fn) if callable(fn) else None


class FunctionModifiers:
    """The marks of functions for a TorchScript compiler."""

    UNUSED = "unused (ignored and replaced with raising of an exception)"
    IGNORE = "ignore (leave as a call to Python, cannot be torch.jit.save'd)"
    EXPORT = "export (compile this function even if nothing calls it)"
    DEFAULT = "default (compile if called from an exported function / forward)"
    COPY_TO_SCRIPT_WRAPPER = "if this method is not scripted, copy the python method onto the scripted model"
    _DROP = "_drop (function is fully ignored, declaration can be unscriptable)"


def _mark_function(fn, modifier):
    fn._torchscript_modifier = modifier
    return fn


def export(fn: Callable) -> Callable:
    """Marks a method that TorchScript is to compile even if nothing calls it.

    Here it only notes the mark: methods run eagerly with or without it.

    Args:
        fn (Callable): the method.

    Returns:
        Callable: `fn` itself.

    Example:
        >>> class Net(nn.Module):
        ...     @torch.jit.export
        ...     def double(self, x):
        ...         return x * 2
        >>> Net().double(torch.tensor(2))
        tensor(4)
    """
    return _mark_function(fn, FunctionModifiers.EXPORT)


def unused(fn: Callable) -> Callable:
    """Marks a function or property that TorchScript is to leave out.

    Compiled code that calls it would raise. Here it only notes the mark: nothing is compiled, and calls run.

    Args:
        fn (Callable or property): what to mark.

    Returns:
        Callable or property: `fn` itself.

    Example:
        >>> @torch.jit.unused
        ... def debug(x):
        ...     return x.sum()
        >>> debug(torch.ones(3))
        tensor(3.)
    """
    if isinstance(fn, property):
        for accessor in (fn.fget, fn.fset):
            if accessor:
                _mark_function(accessor, FunctionModifiers.UNUSED)
        return fn
    return _mark_function(fn, FunctionModifiers.UNUSED)


def ignore(drop=False, **kwargs):
    """Marks a function that TorchScript is to leave as a call to Python.

    A decorator, with or without arguments. Here it only notes the mark.

    Args:
        drop (bool or Callable): the function itself, when used without arguments; True is the deprecated
            way to ask for what torch.jit.unused does. Default: ``False``.
        **kwargs: `drop_on_export`, deprecated, means the same.

    Returns:
        Callable: the function, or a decorator.

    Raises:
        RuntimeError: when `drop` is neither a bool nor callable.

    Example:
        >>> @torch.jit.ignore
        ... def log(x):
        ...     return float(x)
        >>> log(torch.tensor(1.5))
        1.5
    """
    if callable(drop):
        return _mark_function(drop, FunctionModifiers.IGNORE)
    if not isinstance(drop, bool):
        raise RuntimeError(f"Argument to @torch.jit.ignore must be a bool or a function but got {drop}")
    on_export = kwargs.pop("drop_on_export", None)
    if on_export or drop:
        which = "drop_on_export=True" if on_export else "True"
        warnings.warn(
            f"ignore({which}) has been deprecated. TorchScript will now drop the function call on compilation. Use "
            "torch.jit.unused now. {}",
            stacklevel=2,
            category=FutureWarning,
        )
        drop = True
    return lambda fn: _mark_function(fn, FunctionModifiers.UNUSED if drop else FunctionModifiers.IGNORE)


def _drop(fn: Callable) -> Callable:
    return _mark_function(fn, FunctionModifiers._DROP)


def _copy_to_script_wrapper(fn: Callable) -> Callable:
    return _mark_function(fn, FunctionModifiers.COPY_TO_SCRIPT_WRAPPER)


class _IgnoreContextManager(contextlib.AbstractContextManager):
    """Marks a block that TorchScript would run in Python."""

    def __init__(self, **kwargs):
        pass

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any) -> None:
        pass


def get_torchscript_modifier(fn):
    if not callable(fn):
        return None
    return getattr(getattr(fn, "__func__", fn), "_torchscript_modifier", FunctionModifiers.DEFAULT)


def copy_torchscript_modifier(orig, new) -> None:
    modifier = get_torchscript_modifier(orig)
    if modifier is not None:
        new._torchscript_modifier = modifier


def should_drop(fn) -> bool:
    return get_torchscript_modifier(fn) in (FunctionModifiers.UNUSED, FunctionModifiers._DROP)


def is_ignored_fn(fn) -> bool:
    return should_drop(fn) or get_torchscript_modifier(fn) == FunctionModifiers.IGNORE


def _is_drop_fn(fn) -> bool:
    return get_torchscript_modifier(fn) == FunctionModifiers._DROP


def module_has_exports(mod):
    members = (getattr(mod, name) for name in dir(mod) if hasattr(mod, name))
    return any(callable(member) and get_torchscript_modifier(member) == FunctionModifiers.EXPORT for member in members)


def is_static_fn(cls, fn) -> bool:
    return isinstance(inspect.getattr_static(cls, fn, default=None), staticmethod)


def get_static_fn(cls, fn):
    return inspect.getattr_static(cls, fn).__func__


_overloaded_fns: dict[str, list[Callable]] = {}
_overloaded_methods: dict[str, dict[str, list[Callable]]] = {}


def _overload(func: Callable) -> Callable:
    """Records a typed declaration of a function that is defined afterwards."""
    _overloaded_fns.setdefault(_qualified_name(func), []).append(func)
    return func


def _overload_method(func: Callable) -> Callable:
    """Records a typed declaration of a method that is defined afterwards."""
    owner = func.__qualname__.rpartition(".")[0]
    _overloaded_methods.setdefault(_qualified_name(func), {}).setdefault(owner, []).append(func)
    return func


def _get_fn_overloads(qual_name):
    return _overloaded_fns.get(qual_name)


def _clear_fn_overloads(qual_name) -> None:
    del _overloaded_fns[qual_name]


class _Await(Generic[T]):
    """A value that is computed when something waits for it."""


def raise_error_container_parameter_missing(target_type) -> None:
    """Raises for `List` in place of `List[int]`."""
    if target_type.endswith("ict"):
        raise RuntimeError(
            f"Attempted to use {target_type} without contained types. Please add contained type, e.g. "
            f"{target_type}[int, int]"
        )
    raise RuntimeError(
        f"Attempted to use {target_type} without a contained type. Please add a contained type, e.g. "
        f"{target_type}[int]"
    )


_BARE = {
    dict: "dict",
    list: "list",
    tuple: "tuple",
    typing.Dict: "Dict",
    typing.List: "List",
    typing.Optional: "Optional",
    typing.Tuple: "Tuple",
}


def check_args_exist(target_type) -> None:
    if target_type in _BARE:
        raise_error_container_parameter_missing(_BARE[target_type])


def _is_instance_of_type(obj, kind) -> bool:
    return container_checker(obj, kind) if get_origin(kind) else isinstance(obj, kind)


def container_checker(obj, target_type) -> bool:
    """isinstance for a parametrised container, element by element."""
    origin, args = get_origin(target_type), get_args(target_type)
    if origin in (Union, types.UnionType):
        return obj is None or any(_is_instance_of_type(obj, kind) for kind in args)
    if origin not in (list, dict, tuple):
        return False
    if isinstance(obj, (list, dict, tuple)) and not obj:
        warnings.warn(
            "The inner type of a container is lost when calling torch.jit.isinstance in eager mode. For example, "
            "List[int] would become list and therefore falsely return True for List[float] or List[str].",
            stacklevel=3,
        )
    if not isinstance(obj, origin):
        return False
    if origin is list:
        return all(_is_instance_of_type(item, args[0]) for item in obj)
    if origin is dict:
        return all(isinstance(key, args[0]) and _is_instance_of_type(value, args[1]) for key, value in obj.items())
    return len(obj) == len(args) and all(map(_is_instance_of_type, obj, args))


def _isinstance(obj, target_type) -> bool:
    """torch.jit.isinstance: also accepts parametrised types such as List[int]."""
    if isinstance(target_type, collections.abc.Container):
        if not isinstance(target_type, tuple):
            raise RuntimeError("The second argument to `torch.jit.isinstance` must be a type or a tuple of types")
        return any(_isinstance(obj, kind) for kind in target_type)
    if get_origin(target_type):
        return container_checker(obj, target_type)
    check_args_exist(target_type)
    return isinstance(obj, target_type)


def is_tuple(ann) -> bool:
    return get_origin(ann) is tuple


def is_list(ann) -> bool:
    return get_origin(ann) is list


def is_dict(ann) -> bool:
    return get_origin(ann) is dict


def is_union(ann):
    return get_origin(ann) in (Union, types.UnionType)


def is_optional(ann):
    return is_union(ann) and len(get_args(ann)) == 2 and type(None) in get_args(ann)


def is_rref_instance(obj) -> bool:
    return False


def _is_exception(obj) -> bool:
    return inspect.isclass(obj) and issubclass(obj, Exception)


__getattr__ = lazy_attributes(__name__, names={"Future": "futures"})
