"""torch.compiler: questions and hints for a graph compiler. There is none: nothing is ever compiling."""

import contextlib

from .._absent_device import refuse_all
from .._root import torch

__all__ = [
    "compile",
    "assume_constant_result",
    "reset",
    "allow_in_graph",
    "substitute_in_graph",
    "list_backends",
    "disable",
    "set_stance",
    "cudagraph_mark_step_begin",
    "wrap_numpy",
    "is_compiling",
    "is_dynamo_compiling",
    "is_exporting",
    "save_cache_artifacts",
    "load_cache_artifacts",
    "keep_portable_guards_unsafe",
    "skip_guard_on_inbuilt_nn_modules_unsafe",
    "skip_guard_on_all_nn_modules_unsafe",
    "keep_tensor_guards_unsafe",
    "skip_guard_on_globals_unsafe",
    "skip_all_guards_unsafe",
    "nested_compile_region",
    "load_compiled_function",
    "set_default_backend",
    "get_default_backend",
    "set_enable_guard_collectives",
]

_NO_COMPILER = "torch.compiler.{name}: there is no graph compiler"


def compile(*args, **kwargs):
    """As torch.compile."""
    return torch.compile(*args, **kwargs)


def reset() -> None:
    """Forgets what was compiled."""
    from .. import _dynamo

    _dynamo.reset()


def allow_in_graph(fn):
    """Gives the function back: no compiler here."""
    from .. import _dynamo

    return _dynamo.allow_in_graph(fn)


def assume_constant_result(fn):
    """Gives the function back: no compiler here."""
    from .. import _dynamo

    return _dynamo.assume_constant_result(fn)


def disable(fn=None, recursive=True, *, reason=None):
    """Gives the function back, or a decorator that does."""
    from .. import _dynamo

    return _dynamo.disable(fn, recursive, reason=reason)


def set_stance(stance: str = "default", *, skip_guard_eval_unsafe: bool = False, force_backend=None):
    """How compiled functions run; changes nothing here. Also a context and a decorator."""
    from .. import _dynamo

    return _dynamo.set_stance(
        stance, skip_guard_eval_unsafe=skip_guard_eval_unsafe, force_backend=force_backend
    )


def substitute_in_graph(original_fn, *, can_constant_fold_through=False, skip_signature_check=False):
    """The decorated function would stand for `original_fn` in a graph; there are no graphs."""
    return lambda traceable_fn: traceable_fn


def list_backends(exclude_tags=("debug", "experimental")) -> list[str]:
    """Empty: no compiler here."""
    return []


def is_compiling() -> bool:
    """False: no compiler here."""
    return False


def is_dynamo_compiling() -> bool:
    """False: no compiler here."""
    return False


def is_exporting() -> bool:
    """False: no compiler here."""
    return False


def _is_non_strict_tracing() -> bool:
    return False


def nested_compile_region(fn=None, *, options=None, max_reuse_entries=8, reuse_hash_fn=None):
    """Marks a function that a compiler would compile once and reuse."""
    return (lambda function: function) if fn is None else fn


def cudagraph_mark_step_begin():
    """Tells CUDA graphs that an iteration begins; there are none."""


def wrap_numpy(fn):
    """Lets a function of NumPy arrays take and give tensors."""
    import functools

    from ..utils._pytree import tree_map_only

    @functools.wraps(fn)
    def wrapped(*args, **kwargs):
        import numpy

        args, kwargs = tree_map_only(torch.Tensor, lambda tensor: tensor.numpy(), (args, kwargs))
        return tree_map_only(numpy.ndarray, torch.as_tensor, fn(*args, **kwargs))

    return wrapped


def save_cache_artifacts():
    """What a compiler cached: nothing."""
    return None


def keep_portable_guards_unsafe(guard_entries):
    """Keeps guards that hold on other machines."""
    return [
        entry.guard_type in ("GLOBAL_STATE", "SHAPE_ENV")
        or (entry.guard_type == "TENSOR_MATCH" and not entry.is_global)
        for entry in guard_entries
    ]


def skip_guard_on_inbuilt_nn_modules_unsafe(guard_entries):
    """Drops guards on torch.nn's modules."""
    return [not entry.orig_guard.source.is_unspecialized_builtin_nn_module() for entry in guard_entries]


def skip_guard_on_all_nn_modules_unsafe(guard_entries):
    """Drops guards on modules."""
    return [not entry.orig_guard.source.is_unspecialized_nn_module() for entry in guard_entries]


def keep_tensor_guards_unsafe(guard_entries, keep_parameters=False):
    """Keeps guards on tensors, on parameters if asked to."""
    return [
        entry.guard_type == "TENSOR_MATCH"
        and (keep_parameters or not isinstance(entry.value, torch.nn.Parameter))
        for entry in guard_entries
    ]


def skip_guard_on_globals_unsafe(guard_entries):
    """Drops guards on globals."""
    return [not entry.is_global for entry in guard_entries]


def skip_all_guards_unsafe(guard_entries):
    """Drops all guards."""
    return [False for entry in guard_entries]


@contextlib.contextmanager
def _compile_session_context():
    raise NotImplementedError(_NO_COMPILER.format(name="_compile_session_context"))
    yield


refuse_all(
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
