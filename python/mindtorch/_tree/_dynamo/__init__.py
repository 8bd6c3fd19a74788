"""torch._dynamo without a graph compiler: its marks are accepted, and everything runs eagerly."""

import contextlib

from .._absent_modules import define_absent_modules
from .._absent_device import define_refusing_functions
from . import config, eval_frame  # noqa: F401
from .eval_frame import OptimizedModule, is_dynamo_supported  # noqa: F401

__all__ = [
    "allow_in_graph",
    "assume_constant_result",
    "disable",
    "disallow_in_graph",
    "forbid_in_graph",
    "graph_break",
    "is_compiling",
    "list_backends",
    "mark_dynamic",
    "mark_static",
    "mark_static_address",
    "maybe_mark_dynamic",
    "nonstrict_trace",
    "reset",
    "run",
    "set_stance",
]


def is_compiling() -> bool:
    return False


def is_inductor_supported() -> bool:
    return False


def list_backends(exclude_tags=("debug", "experimental")) -> list[str]:
    return []


def reset() -> None:
    """Does nothing: there is no compiled code to forget."""


def reset_code_caches() -> None:
    """Does nothing: there is no compiled code to forget."""


def graph_break(msg="") -> None:
    """Does nothing: there is no graph to end."""


def _mark_function(fn):
    if isinstance(fn, (list, tuple)):
        return [_mark_function(entry) for entry in fn]
    if not callable(fn):
        raise AssertionError("allow_in_graph expects a callable")
    return fn


def allow_in_graph(fn):
    """Returns the function: a compiler would skip it."""
    return _mark_function(fn)


def disallow_in_graph(fn):
    return _mark_function(fn)


def forbid_in_graph(fn):
    return _mark_function(fn)


def nonstrict_trace(traceable_fn):
    return _mark_function(traceable_fn)


def assume_constant_result(fn):
    """Returns the function: a compiler would treat its result as a constant."""
    fn._dynamo_marked_constant = True
    return fn


def disable(fn=None, recursive=True, *, reason=None, wrapping=True):
    """Returns the function: a compiler would skip it. Also a decorator with arguments."""
    if fn is None:
        return lambda function: disable(function, recursive, reason=reason)
    if not callable(fn):
        raise AssertionError("torch._dynamo.disable expects a callable")
    return fn


def run(fn=None):
    """Returns the function, which runs eagerly: a compiler would use only existing code."""
    return run if fn is None else fn


def skip_frame(msg=""):
    """Does nothing: a compiler would skip the caller."""


_STANCES = ("default", "eager_then_compile", "aot_eager_then_compile", "force_eager", "eager_on_recompile",
            "fail_on_recompile")  # fmt: skip


class set_stance(contextlib.ContextDecorator):
    """Chooses when to compile. Without a compiler, all choices act as "force_eager"."""

    def __init__(self, stance: str = "default", *, skip_guard_eval_unsafe: bool = False, force_backend=None):
        if stance not in _STANCES:
            raise RuntimeError(f"invalid torch.compile stance '{stance}'")
        self.stance = stance

    def __enter__(self):
        return None

    def __exit__(self, *exc_info):
        return None


def mark_dynamic(t, index, hint_override=None, min=None, max=None, specialize_on=None):
    """Records on a tensor which dimensions vary, as a compiler would read it."""
    _add_to_marked_dims(t, "_dynamo_dynamic_indices", index)


def maybe_mark_dynamic(t, index):
    _add_to_marked_dims(t, "_dynamo_weak_dynamic_indices", index)


def mark_static(t, index=None):
    if index is None and not hasattr(t, "dim"):
        t._dynamo_marked_static = True
        return
    _add_to_marked_dims(t, "_dynamo_static_indices", range(t.dim()) if index is None else index)


def mark_static_address(t, guard=False):
    """Records on a tensor that its address does not change."""
    if not hasattr(t, "data_ptr"):
        raise TypeError(f"mark_static_address expects a tensor but received {type(t).__name__}")
    t._dynamo_static_input_type = "guarded" if guard else "unguarded"


def _add_to_marked_dims(tensor, attribute, index):
    noted = set(getattr(tensor, attribute, ()))
    noted.update([index] if isinstance(index, int) else index)
    setattr(tensor, attribute, noted)


define_refusing_functions(
    __name__,
    (
        "explain(f, *extra_args, **extra_kwargs)",
        "export(f, *extra_args, **extra_kwargs)",
        "optimize(*args, **kwargs)",
        "optimize_assert(*args, **kwargs)",
        "replay(filename)",
        "lookup_backend(compiler_fn)",
        "register_backend(compiler_fn=None, name=None, tags=())",
    ),
    NotImplementedError,
    "torch._dynamo.{name}: there is no graph compiler",
)

define_absent_modules(__name__)
