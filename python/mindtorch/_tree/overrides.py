"""torch.overrides: __torch_function__ for functions written in Python, and modes that intercept every call."""

import __future__
import collections
import contextlib
import functools
import sys
import types
import warnings
from collections.abc import Callable, Iterable
from typing import Any

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
    """Wraps `func` so that it can access deprecated attributes without warnings."""

    @functools.wraps(func)
    def call_without_warnings(*args, **kwargs):
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", category=UserWarning, message=regex, module=module)
            return func(*args, **kwargs)

    return call_without_warnings


def wrap_torch_function(dispatcher: Callable) -> Callable:
    """Decorates a function so that ``__torch_function__`` of some of its arguments is called first.

    Args:
        dispatcher (callable): takes the function's arguments, returns those to ask.

    Returns:
        callable: the decorator.

    Example:
        >>> @torch.overrides.wrap_torch_function(lambda x: (x,))
        ... def double(x):
        ...     return x * 2
        >>> double(torch.tensor([1.0]))
        tensor([2.])
    """

    def decorate(func):
        @functools.wraps(func)
        def wrapper(*args, **kwargs):
            relevant = dispatcher(*args, **kwargs)
            if has_torch_function(relevant):
                return handle_torch_function(wrapper, relevant, *args, **kwargs)
            return func(*args, **kwargs)

        return wrapper

    return decorate


def _get_overloaded_args(relevant_args, get_type_fn=None):
    """Returns one argument per type that overrides __torch_function__: subclasses before their bases, else left to
    right."""
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


def handle_torch_function(public_api: Callable, relevant_args: Iterable[Any], *args: Any, **kwargs: Any) -> Any:
    """Calls the ``__torch_function__`` of modes, then of arguments, until one gives a result.

    Overridable functions call it when `has_torch_function` returns True. Calls subclasses before their bases,
    otherwise from left to right.

    Args:
        public_api (callable): the function as users call it.
        relevant_args (iterable): the arguments to ask.
        *args, **kwargs: all arguments.

    Returns:
        The first result that is not NotImplemented.

    Raises:
        TypeError: when all return NotImplemented.

    Example:
        >>> class Loud:
        ...     @classmethod
        ...     def __torch_function__(cls, func, types, args=(), kwargs=None):
        ...         return func.__name__
        >>> torch.overrides.handle_torch_function(torch.add, (Loud(),), Loud(), 1)
        'add'
    """
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
    """Returns whether an object is a Tensor or has ``__torch_function__``.

    Args:
        inp (Any): the object.

    Returns:
        bool: whether functions of torch take it.

    Example:
        >>> torch.overrides.is_tensor_like(torch.ones(1)), torch.overrides.is_tensor_like([1])
        (True, False)
    """
    return type(inp) is torch.Tensor or hasattr(inp, "__torch_function__")


class TorchFunctionMode:
    """A mode that intercepts every overridable call of torch while it is entered.

    A subclass defines ``__torch_function__(self, func, types, args=(), kwargs=None)``, which calls
    ``func(*args, **(kwargs or {}))`` to go on; inside, the mode is off. Modes nest, the innermost
    first.

    Example:
        >>> class Counting(torch.overrides.TorchFunctionMode):
        ...     calls = 0
        ...     def __torch_function__(self, func, types, args=(), kwargs=None):
        ...         Counting.calls += 1
        ...         return func(*args, **(kwargs or {}))
        >>> with Counting():
        ...     _ = torch.add(torch.ones(1), 1)
        >>> Counting.calls
        2
    """

    inner: "TorchFunctionMode"

    def __init__(self) -> None:
        """Takes no arguments; a subclass may."""

    def __enter__(self):
        _push_mode(self)
        return self

    def __exit__(self, exc_type, exc_val, exc_tb):
        _pop_mode()

    def __torch_function__(self, func, types, args=(), kwargs=None):
        raise NotImplementedError

    @classmethod
    def push(cls, *args, **kwargs):
        """Makes a mode; deprecated: call the class itself.

        Args:
            *args, **kwargs: for the class.

        Returns:
            TorchFunctionMode: the mode.
        """
        warnings.warn("`Mode.push()` is no longer necessary and can be replaced with just `with Mode()`", stacklevel=2)
        return cls(*args, **kwargs)


class BaseTorchFunctionMode(TorchFunctionMode):
    """A mode that passes every call on; a base for modes that look at some calls only.

    Example:
        >>> with torch.overrides.BaseTorchFunctionMode():
        ...     x = torch.ones(1) + 1
        >>> x
        tensor([2.])
    """

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
    """Lets calls inside ``__torch_dispatch__`` be dispatched from the top again, autograd included.

    Returns:
        A context manager.

    Raises:
        RuntimeError: on entry, outside of ``__torch_dispatch__``.

    Example:
        >>> scale = torch.tensor(2.0, requires_grad=True)
        >>> class Scaled(torch.Tensor):
        ...     @staticmethod
        ...     def __new__(cls, inner):
        ...         return torch.Tensor._make_wrapper_subclass(cls, inner.shape)
        ...     def __init__(self, inner):
        ...         self.inner = inner
        ...     @classmethod
        ...     def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        ...         with torch.overrides.enable_reentrant_dispatch():
        ...             return scale * func(args[0].inner)
        >>> torch.neg(Scaled(torch.ones(2)))
        tensor([-2., -2.], grad_fn=<MulBackward0>)
    """
    with _C._RestorePythonTLSSnapshot():
        yield


def redispatch_function(func, types, args, kwargs):
    """Calls a function past one level of ``__torch_function__``; calls inside it are still intercepted.

    Args:
        func (callable): the function.
        types, args, kwargs: as ``__torch_function__`` got them.

    Returns:
        What the function returned.

    Example:
        >>> class Named(torch.Tensor):
        ...     @classmethod
        ...     def __torch_function__(cls, func, types, args=(), kwargs=None):
        ...         print(func.__name__)
        ...         return torch.overrides.redispatch_function(func, types, args, kwargs or {})
        >>> _ = torch.sum(torch.ones(2).as_subclass(Named))
        sum
    """
    return _C._skip_one_hop_torch_function(func, types, args, kwargs)


def _takes_no_tensors(func_name):
    schemas = _C._jit_get_schemas_for_operator(f"aten::{func_name}")
    return bool(schemas) and not any("Tensor" in str(a.type) for s in schemas for a in s.arguments if a.name != "out")


@functools.cache
def get_ignored_functions():
    """Returns the public functions that ``__torch_function__`` cannot override.

    They take no tensor, or set global state.

    Returns:
        set of callable: the functions.

    Example:
        >>> torch.manual_seed in torch.overrides.get_ignored_functions()
        True
    """
    from . import _overridable

    names = set(_overridable.IGNORED)
    names.update(name for name in dir(_C._VariableFunctions) if name[0] != "_" and _takes_no_tensors(name))
    found = {_overridable.find_by_dotted_path(torch, name) for name in names}
    tensor_only = {getattr(torch.Tensor, name, None) for name in _overridable.IGNORED_METHODS}
    return (found | tensor_only) - {None}


@functools.cache
def get_default_nowrap_functions():
    """Returns functions whose results ``Tensor.__torch_function__`` leaves as they are.

    Returns:
        set of callable: getters such as that of `grad`.

    Example:
        >>> torch.Tensor.grad.__get__ in torch.overrides.get_default_nowrap_functions()
        True
    """
    Tensor = torch.Tensor
    getters = ("_base", "grad", "_grad")
    return {getattr(Tensor, name).__get__ for name in getters if hasattr(Tensor, name)}


@functools.cache
def _get_overridable_functions():
    from . import _overridable

    groups = collections.defaultdict(list)
    names = {}
    ignored = get_ignored_functions()
    for prefix, namespace, members in _overridable.list_namespaces(torch):
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
def get_overridable_functions() -> dict[Any, list[Callable]]:
    """Returns the functions that ``__torch_function__`` can override, by namespace.

    Returns:
        dict: from namespace (module or class) to a list of functions.

    Example:
        >>> torch.add in torch.overrides.get_overridable_functions()[torch]
        True
    """
    return _get_overridable_functions()[0]


@_disable_user_warnings
def get_testing_overrides():
    """Returns, for each overridable function, a substitute with the same signature that returns -1.

    Returns:
        dict: from function to substitute.

    Example:
        >>> torch.overrides.get_testing_overrides()[torch.abs](torch.ones(1))
        -1
    """
    from . import _overridable

    return {
        f: _overridable.make_stub_returning_minus_one(f)
        for group in get_overridable_functions().values()
        for f in group
    }


@_disable_user_warnings
def resolve_name(f):
    """Returns the dotted name of a function as it is given to ``__torch_function__``.

    Args:
        f (callable): the function.

    Returns:
        str or None: the name; None for unknown functions.

    Example:
        >>> torch.overrides.resolve_name(torch.Tensor.add)
        'torch.Tensor.add'
    """
    from ._ops import OpOverload, OpOverloadPacket

    if isinstance(f, (OpOverload, OpOverloadPacket)):
        return str(f)
    return _get_overridable_functions()[1].get(f)


@functools.cache
def _get_tensor_methods():
    return set(get_overridable_functions()[torch.Tensor])


@_disable_user_warnings
def is_tensor_method_or_property(func: Callable) -> bool:
    """Returns whether a function given to ``__torch_function__`` is a method or property of Tensor.

    Args:
        func (callable): the function.

    Returns:
        bool: whether it is one.

    Example:
        >>> torch.overrides.is_tensor_method_or_property(torch.Tensor.add)
        True
    """
    return func in _get_tensor_methods() or func.__name__ == "__get__"
