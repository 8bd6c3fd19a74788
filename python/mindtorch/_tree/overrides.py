"""torch.overrides: __torch_function__ for functions written in Python, and the modes that intercept every call."""

import __future__
import collections
import contextlib
import functools
import sys
import types
import warnings

from ._C import (
    _has_torch_function as has_torch_function,
)
from ._C import (
    _get_function_stack_at,
    _has_torch_function_unary as has_torch_function_unary,
    _has_torch_function_variadic as has_torch_function_variadic,
    _is_torch_function_mode_enabled,
    _len_torch_function_stack,
    _pop_torch_function_stack,
    _push_on_torch_function_stack,
)
from . import _C

__all__ = [
    "get_ignored_functions",
    "get_overridable_functions",
    "get_testing_overrides",
    "handle_torch_function",
    "has_torch_function",
    "resolve_name",
    "is_tensor_like",
    "is_tensor_method_or_property",
    "wrap_torch_function",
    "enable_reentrant_dispatch",
    "redispatch_function",
]

torch = sys.modules[__package__]


def _disable_user_warnings(func, regex=".*is deprecated, please use.*", module="torch"):
    """Wraps `func` so that it can touch deprecated attributes silently."""

    @functools.wraps(func)
    def quiet(*args, **kwargs):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", category=UserWarning, message=regex, module=module)
            return func(*args, **kwargs)

    return quiet


def wrap_torch_function(dispatcher):
    """Decorates a function so that `__torch_function__` of what `dispatcher(*args)` returns is consulted first."""

    def decorate(func):
        @functools.wraps(func)
        def wrapped(*args, **kwargs):
            relevant = dispatcher(*args, **kwargs)
            if has_torch_function(relevant):
                return handle_torch_function(wrapped, relevant, *args, **kwargs)
            return func(*args, **kwargs)

        return wrapped

    return decorate


def _get_overloaded_args(relevant_args, get_type_fn=None):
    """One argument per type that overrides __torch_function__, subclasses before their bases, else left to right."""
    if not _C._is_torch_function_enabled():
        return []
    type_of = get_type_fn or type
    chosen = []
    seen = set()
    for arg in relevant_args:
        kind = type_of(arg)
        method = getattr(kind, "__torch_function__", None)
        if kind in seen or method is None or method is _C._disabled_torch_function_impl:
            continue
        seen.add(kind)
        place = next((i for i, other in enumerate(chosen) if issubclass(kind, type_of(other))), len(chosen))
        chosen.insert(place, arg)
    return chosen


def handle_torch_function(public_api, relevant_args, *args, **kwargs):
    """Calls the modes' and then the arguments' `__torch_function__` for `public_api(*args, **kwargs)`."""
    overloaded = _get_overloaded_args(relevant_args)
    overloaded_types = tuple(type(arg) for arg in overloaded)

    if _is_torch_function_mode_enabled():
        with _pop_mode_temporarily() as mode:
            result = mode.__torch_function__(public_api, overloaded_types, args, kwargs)
        if result is not NotImplemented:
            return result

    for arg in overloaded:
        method = arg.__torch_function__
        if getattr(method, "__self__", None) is arg and method is not _C._disabled_torch_function_impl:
            warnings.warn(
                "Defining your `__torch_function__ as a plain method is deprecated and "
                "will be an error in future, please define it as a classmethod.",
                DeprecationWarning,
                stacklevel=2,
            )
        result = method(public_api, overloaded_types, args, kwargs)
        if result is not NotImplemented:
            return result

    message = (
        f"no implementation found for '{public_api.__module__}.{public_api.__name__}' on types that implement "
        f"__torch_function__: {[type(arg) for arg in overloaded]}"
    )
    if _is_torch_function_mode_enabled():
        message += f" nor in mode {_get_current_function_mode()}"
    raise TypeError(message)


def is_tensor_like(inp):
    """Whether `inp` is a Tensor or has `__torch_function__`."""
    return type(inp) is torch.Tensor or hasattr(inp, "__torch_function__")


class TorchFunctionMode:
    """While entered, sees every overridable call in its `__torch_function__`."""

    inner: "TorchFunctionMode"

    def __init__(self):
        pass

    def __torch_function__(self, func, types, args=(), kwargs=None):
        raise NotImplementedError

    def __enter__(self):
        _push_mode(self)
        return self

    def __exit__(self, exc_type, exc_val, exc_tb):
        _pop_mode()

    @classmethod
    def push(cls, *args, **kwargs):
        """Deprecated: use the mode itself, by `with`."""
        warnings.warn(
            "`Mode.push()` is no longer necessary and can be replaced with just `with Mode()`", stacklevel=2
        )
        return cls(*args, **kwargs)


class BaseTorchFunctionMode(TorchFunctionMode):
    """A mode that passes every call on."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


def _get_current_function_mode_stack():
    return [_get_function_stack_at(i) for i in range(_len_torch_function_stack())]


def _get_current_function_mode():
    depth = _len_torch_function_stack()
    return _get_function_stack_at(depth - 1) if depth else None


def _push_mode(mode):
    _push_on_torch_function_stack(mode)


def _pop_mode():
    return _pop_torch_function_stack()


@contextlib.contextmanager
def _pop_mode_temporarily():
    mode = _pop_mode()
    try:
        yield mode
    finally:
        _push_mode(mode)


@contextlib.contextmanager
def _enable_torch_function():
    state = _C._get_torch_function_state()
    _C._set_torch_function_state(_C._TorchFunctionState.ENABLED)
    try:
        yield
    finally:
        _C._set_torch_function_state(state)


@contextlib.contextmanager
def enable_reentrant_dispatch():
    """Inside `__torch_dispatch__`, lets calls be dispatched from the top again."""
    with _C._RestorePythonTLSSnapshot():
        yield


def redispatch_function(func, types, args, kwargs):
    """Calls `func` past one level of `__torch_function__`; calls inside it are still intercepted."""
    return _C._skip_one_hop_torch_function(func, types, args, kwargs)


def _takes_no_tensor(func_name):
    schemas = _C._jit_get_schemas_for_operator(f"aten::{func_name}")
    return bool(schemas) and not any("Tensor" in str(a.type) for s in schemas for a in s.arguments if a.name != "out")


@functools.cache
def get_ignored_functions():
    """Public functions that `__torch_function__` cannot override: they take no tensor, or set global state."""
    from . import _overridable

    names = set(_overridable.IGNORED)
    names.update(name for name in dir(_C._VariableFunctions) if name[0] != "_" and _takes_no_tensor(name))
    found = {_overridable.find(torch, name) for name in names}
    tensor_only = {getattr(torch.Tensor, name, None) for name in _overridable.IGNORED_METHODS}
    return (found | tensor_only) - {None}


@functools.cache
def get_default_nowrap_functions():
    """Functions whose results `Tensor.__torch_function__` leaves as they are."""
    Tensor = torch.Tensor
    getters = ("_base", "grad", "_grad")
    return {getattr(Tensor, name).__get__ for name in getters if hasattr(Tensor, name)}


@functools.cache
def _get_overridable_functions():
    from . import _overridable

    groups = collections.defaultdict(list)
    names = {}
    ignored = get_ignored_functions()
    for prefix, namespace, members in _overridable.namespaces(torch):
        is_tensor = namespace is torch.Tensor
        for member in members:
            func = getattr(namespace, member, None)
            if func is None or isinstance(func, (types.ModuleType, __future__._Feature)):
                continue
            if is_tensor:
                hidden = False
                if member == "__weakref__" or getattr(object, member, None) == func:
                    continue
            else:
                hidden = member.startswith("_") or member.endswith("_") or not member[0].islower()
                if member.startswith("__") or member == "unique_dim":
                    continue
            if not callable(func):
                if hasattr(func, "__get__"):
                    names[func.__get__] = f"{prefix}.{member}.__get__"
                    names[func.__set__] = f"{prefix}.{member}.__set__"
                    if not hidden and func.__get__ not in ignored:
                        groups[func].append(func.__get__)
                continue
            names[func] = f"{prefix}.{member}"
            if not hidden and func not in ignored:
                groups[namespace].append(func)
    return groups, names


@_disable_user_warnings
def get_overridable_functions():
    """A dictionary from namespace to the functions in it that `__torch_function__` can override."""
    return _get_overridable_functions()[0]


@_disable_user_warnings
def get_testing_overrides():
    """A dictionary from each overridable function to a stand-in that takes the same call and returns -1."""
    from . import _overridable

    return {f: _overridable.stand_in(f) for group in get_overridable_functions().values() for f in group}


@_disable_user_warnings
def resolve_name(f):
    """The dotted name of a function as it is handed to `__torch_function__`, or None."""
    from ._ops import OpOverload, OpOverloadPacket

    if isinstance(f, (OpOverload, OpOverloadPacket)):
        return str(f)
    return _get_overridable_functions()[1].get(f)


@functools.cache
def _get_tensor_methods():
    return set(get_overridable_functions()[torch.Tensor])


@_disable_user_warnings
def is_tensor_method_or_property(func):
    """Whether `func`, as handed to `__torch_function__`, is a method of Tensor or the getter of a property."""
    return func in _get_tensor_methods() or func.__name__ == "__get__"
