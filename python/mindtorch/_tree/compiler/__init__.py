"""torch.compiler: queries and hints for a graph compiler. There is none: nothing is ever compiling."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from .._absent_device import define_refusing_functions
from .._root import torch

__all__ = [
    "compile", "assume_constant_result", "reset", "allow_in_graph", "substitute_in_graph", "list_backends", "disable",
    "set_stance", "cudagraph_mark_step_begin", "wrap_numpy", "is_compiling", "is_dynamo_compiling", "is_exporting",
    "save_cache_artifacts", "load_cache_artifacts", "keep_portable_guards_unsafe",
    "skip_guard_on_inbuilt_nn_modules_unsafe", "skip_guard_on_all_nn_modules_unsafe", "keep_tensor_guards_unsafe",
    "skip_guard_on_globals_unsafe", "skip_all_guards_unsafe", "nested_compile_region", "load_compiled_function",
    "set_default_backend", "get_default_backend", "set_enable_guard_collectives",
]

_NO_COMPILER = "torch.compiler.{name}: there is no graph compiler"


def compile(*args, **kwargs):
    """Returns a model unchanged, as `torch.compile`: there is no compiler.

    Args:
        *args, **kwargs: as `torch.compile`.

    Returns:
        callable: the model, or a decorator.

    Example:
        >>> @torch.compiler.compile
        ... def successor(x):
        ...     return x + 1
        >>> successor(torch.tensor(1))
        tensor(2)
    """
    return torch.compile(*args, **kwargs)


def reset() -> None:
    """Forgets what was compiled: nothing.

    Example:
        >>> torch.compiler.reset()
    """
    from .. import _dynamo

    _dynamo.reset()


def allow_in_graph(fn):
    """Returns the function unchanged; it would keep a compiler from looking into it.

    Args:
        fn (callable or sequence): the function.

    Returns:
        callable: `fn`.

    Example:
        >>> torch.compiler.allow_in_graph(torch.sin) is torch.sin
        True
    """
    from .. import _dynamo

    return _dynamo.allow_in_graph(fn)


def assume_constant_result(fn):
    """Returns the function unchanged; it would let a compiler take its result as constant.

    Args:
        fn (callable): the function.

    Returns:
        callable: `fn`.

    Example:
        >>> torch.compiler.assume_constant_result(lambda: 3)()
        3
    """
    from .. import _dynamo

    return _dynamo.assume_constant_result(fn)


def disable(fn=None, recursive=True, *, reason=None):
    """Returns the function unchanged, or a decorator that does; it would keep a compiler off.

    Args:
        fn (callable, optional): the function.
        recursive (bool): ignored. Default: ``True``.
        reason (str, optional): ignored.

    Returns:
        callable: `fn`, or a decorator.

    Example:
        >>> @torch.compiler.disable
        ... def f(x):
        ...     return x + 1
        >>> f(torch.tensor(1))
        tensor(2)
    """
    from .. import _dynamo

    return _dynamo.disable(fn, recursive, reason=reason)


def set_stance(
    stance: str = "default",
    *,
    skip_guard_eval_unsafe: bool = False,
    force_backend: str | Callable[..., Any] | None = None,
):
    """Sets how compiled functions run, which changes nothing here; also a context and a decorator.

    Args:
        stance (str): such as ``"default"`` or ``"force_eager"``. Default: ``"default"``.
        skip_guard_eval_unsafe (bool): ignored. Default: ``False``.
        force_backend (str or callable, optional): ignored.

    Returns:
        A context manager and decorator.

    Example:
        >>> with torch.compiler.set_stance("force_eager"):
        ...     x = torch.ones(1) + 1
    """
    from .. import _dynamo

    return _dynamo.set_stance(stance, skip_guard_eval_unsafe=skip_guard_eval_unsafe, force_backend=force_backend)


def substitute_in_graph(
    original_fn: Callable, *, can_constant_fold_through: bool = False, skip_signature_check: bool = False
) -> Callable:
    """Returns a decorator that changes nothing; its function would stand for another in a compiler's graph.

    Args:
        original_fn (callable): the other function.
        can_constant_fold_through (bool): ignored. Default: ``False``.
        skip_signature_check (bool): ignored. Default: ``False``.

    Returns:
        callable: the decorator.

    Example:
        >>> @torch.compiler.substitute_in_graph(len, skip_signature_check=True)
        ... def length(x):
        ...     return len(x)
        >>> length([1, 2])
        2
    """
    return lambda traceable_fn: traceable_fn


def list_backends(exclude_tags=("debug", "experimental")) -> list[str]:
    """Returns the names of compilers: none.

    Args:
        exclude_tags (sequence of str): ignored. Default: ``("debug", "experimental")``.

    Returns:
        list of str: empty.

    Example:
        >>> isinstance(torch.compiler.list_backends(), list)
        True
    """
    return []


def is_compiling() -> bool:
    """Returns whether a compiler is tracing the caller: False.

    Returns:
        bool: always False here.

    Example:
        >>> torch.compiler.is_compiling()
        False
    """
    return False


def is_dynamo_compiling() -> bool:
    """Returns whether a compiler is tracing the caller: False.

    Returns:
        bool: always False here.

    Example:
        >>> torch.compiler.is_dynamo_compiling()
        False
    """
    return False


def is_exporting() -> bool:
    """Returns whether an export is tracing the caller: False.

    Returns:
        bool: always False here.

    Example:
        >>> torch.compiler.is_exporting()
        False
    """
    return False


def _is_non_strict_tracing() -> bool:
    return False


def nested_compile_region(fn=None, *, options=None, max_reuse_entries: int = 8, reuse_hash_fn=None):
    """Returns a function unchanged; a compiler would compile it once and reuse the result.

    Args:
        fn (callable, optional): the function; without one the result is a decorator.
        options (optional): ignored.
        max_reuse_entries (int): ignored. Default: ``8``.
        reuse_hash_fn (callable, optional): ignored.

    Returns:
        callable: `fn`, or a decorator.

    Example:
        >>> @torch.compiler.nested_compile_region
        ... def layer(x):
        ...     return torch.relu(x)
        >>> layer(torch.tensor([-1.0, 2.0]))
        tensor([0., 2.])
    """
    return (lambda function: function) if fn is None else fn


def cudagraph_mark_step_begin():
    """Does nothing: it would say to CUDA graphs that an iteration begins.

    Returns:
        None.

    Example:
        >>> torch.compiler.cudagraph_mark_step_begin()
    """


def wrap_numpy(fn):
    """Lets a function of NumPy arrays take and return tensors.

    Args:
        fn (callable): the function.

    Returns:
        callable: gets tensors as arrays that share their memory, at any depth; arrays that it returns
            become
        tensors.

    Example:
        >>> import numpy
        >>> torch.compiler.wrap_numpy(numpy.square)(torch.tensor([1.0, 2.0]))
        tensor([1., 4.])
    """
    import functools

    from ..utils._pytree import tree_map_only

    @functools.wraps(fn)
    def wrapper(*args, **kwargs):
        import numpy

        args, kwargs = tree_map_only(torch.Tensor, lambda tensor: tensor.numpy(), (args, kwargs))
        return tree_map_only(numpy.ndarray, torch.as_tensor, fn(*args, **kwargs))

    return wrapper


def save_cache_artifacts():
    """Returns what a compiler cached: nothing.

    Returns:
        None.

    Example:
        >>> torch.compiler.save_cache_artifacts() is None
        True
    """
    return None


def keep_portable_guards_unsafe(guard_entries):
    """Selects guards of a compiled function that hold on other machines.

    Args:
        guard_entries (sequence): the guards.

    Returns:
        list of bool: whether to keep each.

    Example:
        >>> torch.compiler.keep_portable_guards_unsafe([])
        []
    """
    return [
        entry.guard_type in ("GLOBAL_STATE", "SHAPE_ENV")
        or (entry.guard_type == "TENSOR_MATCH" and not entry.is_global)
        for entry in guard_entries
    ]


def skip_guard_on_inbuilt_nn_modules_unsafe(guard_entries):
    """Selects guards of a compiled function, without those on modules of `torch.nn`.

    Args:
        guard_entries (sequence): the guards.

    Returns:
        list of bool: whether to keep each.

    Example:
        >>> torch.compiler.skip_guard_on_inbuilt_nn_modules_unsafe([])
        []
    """
    return [not entry.orig_guard.source.is_unspecialized_builtin_nn_module() for entry in guard_entries]


def skip_guard_on_all_nn_modules_unsafe(guard_entries):
    """Selects guards of a compiled function, without those on modules.

    Args:
        guard_entries (sequence): the guards.

    Returns:
        list of bool: whether to keep each.

    Example:
        >>> torch.compiler.skip_guard_on_all_nn_modules_unsafe([])
        []
    """
    return [not entry.orig_guard.source.is_unspecialized_nn_module() for entry in guard_entries]


def keep_tensor_guards_unsafe(guard_entries, keep_parameters=False):
    """Selects guards of a compiled function on tensors.

    Args:
        guard_entries (sequence): the guards.
        keep_parameters (bool): also those on parameters. Default: ``False``.

    Returns:
        list of bool: whether to keep each.

    Example:
        >>> torch.compiler.keep_tensor_guards_unsafe([])
        []
    """
    return [
        entry.guard_type == "TENSOR_MATCH" and (keep_parameters or not isinstance(entry.value, torch.nn.Parameter))
        for entry in guard_entries
    ]


def skip_guard_on_globals_unsafe(guard_entries):
    """Selects guards of a compiled function, without those on globals.

    Args:
        guard_entries (sequence): the guards.

    Returns:
        list of bool: whether to keep each.

    Example:
        >>> torch.compiler.skip_guard_on_globals_unsafe([])
        []
    """
    return [not entry.is_global for entry in guard_entries]


def skip_all_guards_unsafe(guard_entries):
    """Selects no guard of a compiled function.

    Args:
        guard_entries (sequence): the guards.

    Returns:
        list of bool: False for each.

    Example:
        >>> torch.compiler.skip_all_guards_unsafe([])
        []
    """
    return [False for entry in guard_entries]


@contextlib.contextmanager
def _compile_session_context():
    raise NotImplementedError(_NO_COMPILER.format(name="_compile_session_context"))
    yield


define_refusing_functions(
    __name__,
    (
        "load_cache_artifacts(serialized_artifacts)",
        "load_compiled_function(file, *, f_globals=None, external_data=None)",
        "set_default_backend(backend)",
        "get_default_backend()",
        "set_enable_guard_collectives(enabled)",
    ),
    NotImplementedError,
    _NO_COMPILER,
)

for _call in (
    'load_cache_artifacts(b"")',
    'load_compiled_function("model.pt2")',
    'set_default_backend("inductor")',
    "set_enable_guard_collectives(True)",
):
    _name = _call.partition("(")[0]
    globals()[_name].__doc__ += (
        f"\n\nExample:\n    >>> torch.compiler.{_call}\n    Traceback (most recent call last):\n"
        f"    NotImplementedError: {_NO_COMPILER.format(name=_name)}"
    )
del _name, _call
