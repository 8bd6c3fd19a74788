"""Replaces functions during a trace: replacements, how to undo them, and the marks of torch.fx.wrap."""

from __future__ import annotations

import builtins
import contextlib
import functools
import sys
from collections.abc import Callable
from typing import Any

from .node import map_aggregate

_MISSING = object()

_wrapped_fns_to_patch: dict = {}  # (id of the globals, name) -> the globals
_wrapped_methods_to_patch: list = []  # (class, name)


class _Patcher:
    """Replaces entries of dicts and attributes of classes; restores all, the latest first."""

    def __init__(self):
        self.patches = []  # (restore or remove, owner, name, original)
        self.visited = set()

    def patch(self, frame_dict, name, new_fn):
        """Sets `new_fn` under `name` of a dict."""
        new_fn.__fx_already_patched = True
        self.patches.append((frame_dict.__setitem__, frame_dict.__delitem__, name, frame_dict.get(name, _MISSING)))
        frame_dict[name] = new_fn

    def patch_method(self, cls, name, new_fn, deduplicate=True):
        """Makes `new_fn` the method `name`, unless it was replaced before."""
        new_fn.__fx_already_patched = deduplicate
        former = getattr(cls, name)
        if getattr(former, "__fx_already_patched", False):
            return
        restore = functools.partial(setattr, cls)
        self.patches.append((restore, functools.partial(delattr, cls), name, vars(cls).get(name, _MISSING)))
        setattr(cls, name, new_fn)

    def visit_once(self, thing):
        """Whether this is the first query about `thing`."""
        known = id(thing) in self.visited
        self.visited.add(id(thing))
        return not known

    def revert_all_patches(self):
        """Restores all originals."""
        while self.patches:
            restore, remove, name, former = self.patches.pop()
            if former is _MISSING:
                remove(name)
            else:
                restore(name, former)
        self.visited.clear()

    def __enter__(self):
        return self

    def __exit__(self, *exc_info):
        self.revert_all_patches()


@contextlib.contextmanager
def _new_patcher():
    with _Patcher() as patcher:
        yield patcher


def _find_proxy(*objects):
    """Returns a proxy among these nested values, or None."""
    from .proxy import Proxy

    found = []

    def collect_proxy(item):
        if isinstance(item, Proxy):
            found.append(item)

    map_aggregate(objects, collect_proxy)
    return found[-1] if found else None


def _create_wrapped_func(orig_fn):
    """Wraps `orig_fn`: a call with a proxy among its arguments is recorded as one node."""

    @functools.wraps(orig_fn)
    def wrapper(*args, **kwargs):
        proxy = _find_proxy(args, kwargs)
        if proxy is None:
            return orig_fn(*args, **kwargs)
        recorded = proxy.tracer.create_proxy("call_function", orig_fn, args, kwargs)
        recorded.node.meta["is_wrapped"] = True
        return recorded

    return wrapper


def _create_wrapped_method(cls, name):
    """Wraps the method `name` of `cls`: a call with a proxy among its arguments is recorded as one node."""
    orig_fn = getattr(cls, name)

    @functools.wraps(orig_fn)
    def wrapper(*args, **kwargs):
        proxy = _find_proxy(args, kwargs)
        if proxy is None:
            return orig_fn(*args, **kwargs)
        return proxy.tracer.create_proxy("call_method", name, args, kwargs)

    return wrapper


def _wrap_once(patcher, names, name, function):
    """Records calls of a function under this name as nodes, unless it does so already."""
    if not getattr(function, "__fx_already_patched", False):
        patcher.patch(names, name, _create_wrapped_func(function))


def _patch_wrapped_functions(patcher):
    """Replaces everything registered with torch.fx.wrap; a name that is not a global must be a builtin's."""

    for (_, name), names in list(_wrapped_fns_to_patch.items()):
        found = names.get(name, getattr(builtins, name, None))
        if found is not None:
            _wrap_once(patcher, names, name, found)
    for cls, name in _wrapped_methods_to_patch:
        patcher.patch_method(cls, name, _create_wrapped_method(cls, name))


def _autowrap_check(patcher, frame_dict, function_ids):
    """Replaces the functions with these ids in the globals of a module, once."""
    if not patcher.visit_once(frame_dict):
        return
    for name, value in list(frame_dict.items()):
        if not name.startswith("_") and callable(value) and id(value) in function_ids:
            _wrap_once(patcher, frame_dict, name, value)


def wrap(fn_or_name: str | Callable[..., Any]) -> str | Callable[..., Any]:
    """Marks a function to be recorded as one call instead of being traced through.

    Must be called at the top level of the module whose globals have the function; calls of it from that
    module then become one node where a proxy is among their arguments. May be used as a decorator.

    Args:
        fn_or_name (Callable or str): the function, or its name, which may be a builtin's.

    Returns:
        Callable or str: `fn_or_name` itself.

    Raises:
        NotImplementedError: when called inside a function or class.
        RuntimeError: when `fn_or_name` is neither.

    Example:
        >>> _ = torch.fx.wrap("len")
        >>> [node.op for node in torch.fx.symbolic_trace(lambda x: x * len(x)).graph.nodes]
        ['placeholder', 'call_function', 'call_function', 'output']
    """
    if not callable(fn_or_name) and not isinstance(fn_or_name, str):
        raise RuntimeError("Unsupported type for global function! Must be either a callable or string name")
    name = fn_or_name if isinstance(fn_or_name, str) else fn_or_name.__name__
    caller = sys._getframe(1)
    if caller.f_code.co_name != "<module>":
        raise NotImplementedError("wrap must be called at the top level of a module")
    _wrapped_fns_to_patch[(id(caller.f_globals), name)] = caller.f_globals
    return fn_or_name


wrap.__module__ = f"{__package__}._symbolic_trace"  # generated code, and pickles of it, look it up here
