"""torch.jit.trace: runs the example as a tracer would, and returns the function, which runs eagerly."""

from __future__ import annotations

import functools

from .._root import torch
from ._script import ScriptModule, _deprecated


class TracerWarning(Warning):
    """A warning about code that a trace may handle incorrectly."""


class TracingCheckError(Exception):
    """Raised if a trace and its function disagree."""


_tracing = False


def is_tracing() -> bool:
    """Returns whether `trace` is running its example now."""
    return _tracing


class _Tracing:
    def __enter__(self):
        global _tracing
        self.previous, _tracing = _tracing, True

    def __exit__(self, *exc_info):
        global _tracing
        _tracing = self.previous


class TracedModule(ScriptModule):
    """Calls the module that was traced; parameters, buffers and submodules are that module's own.

    Args:
        orig (Module): the module.
        method_names (tuple of str): the methods that were traced. Default: ``("forward",)``.
    """

    def __init__(self, orig, method_names=("forward",)):
        super().__init__()
        self.__dict__["_orig"] = orig
        for name, parameter in orig._parameters.items():
            self.register_parameter(name, parameter)
        for name, buffer in orig._buffers.items():
            self.register_buffer(name, buffer, persistent=name not in orig._non_persistent_buffers_set)
        for name, child in orig._modules.items():
            self.add_module(name, child)
        self.training = orig.training
        for name in method_names:
            if name != "forward":
                self.__dict__[name] = getattr(orig, name)

    def forward(self, *args, **kwargs):
        return self._orig(*args, **kwargs)

    @property
    def original_name(self):
        return type(self._orig).__name__

    def train(self, mode=True):
        self._orig.train(mode)
        return super().train(mode)


class TopLevelTracedModule(TracedModule):
    """The module that `trace` and `trace_module` return.

    Args:
        orig (Module): the module that was traced.
        method_names (tuple of str): the methods that were traced. Default: ``("forward",)``.
    """


def _run_example(func, example_inputs, example_kwarg_inputs):
    if example_inputs is None and example_kwarg_inputs is None:
        raise RuntimeError("example_kwarg_inputs should be a dict")
    if isinstance(example_inputs, torch.Tensor):
        example_inputs = (example_inputs,)
    if isinstance(example_inputs, dict):
        example_inputs, example_kwarg_inputs = None, example_inputs
    with _Tracing():
        return func(*(example_inputs or ()), **(example_kwarg_inputs or {}))


def trace(
    func,
    example_inputs=None,
    optimize=None,
    check_trace=True,
    check_inputs=None,
    check_tolerance=1e-5,
    strict=True,
    _force_outplace=False,
    _module_class=None,
    _compilation_unit=None,
    example_kwarg_inputs=None,
    _store_inputs=True,
):
    """Runs a function or module on an example, and returns what runs eagerly.

    There is no recorded graph: the result still follows the branches of the Python code, and nothing is
    compiled or checked. A module's result is a ScriptModule that shares its parameters. Deprecated, with a
    DeprecationWarning.

    Args:
        func (Callable or Module): what to trace.
        example_inputs (tuple, Tensor or dict, optional): the arguments of the run; a dict gives named ones.
        optimize (None): deprecated; has no effect.
        check_trace, check_inputs, check_tolerance: how a trace would be checked; ignored.
        strict (bool): refuses a dict as the result. Default: ``True``.
        example_kwarg_inputs (dict, optional): named arguments of the run.
        _force_outplace, _module_class, _compilation_unit, _store_inputs: not looked at.

    Returns:
        Callable or ScriptModule: runs `func`.

    Raises:
        RuntimeError: when there is no example, or the result is a dict and `strict` is True.

    Example:
        >>> linear = nn.Linear(3, 2)
        >>> traced = torch.jit.trace(linear, torch.ones(1, 3))
        >>> torch.equal(traced(torch.ones(4, 3)), linear(torch.ones(4, 3)))
        True
    """
    _deprecated("trace", optimize)
    output = _run_example(func, example_inputs, example_kwarg_inputs)
    if strict and isinstance(output, dict):
        raise RuntimeError(
            "Encountering a dict at the output of the tracer might cause the trace to be incorrect, this is only valid "
            "if the container structure does not change based on the module's inputs. Consider using a constant "
            "container instead (e.g. for `list`, use a `tuple` instead. for `dict`, use a `NamedTuple` instead). If "
            "you absolutely need this and know the side effects, pass strict=False to trace() to allow this behavior."
        )
    if isinstance(func, torch.nn.Module):
        return func if isinstance(func, ScriptModule) else TopLevelTracedModule(func)

    @functools.wraps(func)
    def traced(*args, **kwargs):
        return func(*args, **kwargs)

    return traced


def trace_module(
    mod,
    inputs,
    optimize=None,
    check_trace=True,
    check_inputs=None,
    check_tolerance=1e-5,
    strict=True,
    _force_outplace=False,
    _module_class=None,
    _compilation_unit=None,
    example_inputs_is_kwarg=False,
    _store_inputs=True,
):
    """Runs several methods of a module on examples, and returns a module that has them.

    As `trace`: nothing is recorded or compiled.

    Args:
        mod (Module): the module.
        inputs (dict): for each method's name, its example: a tuple or a Tensor.
        optimize (None): deprecated; has no effect.
        example_inputs_is_kwarg (bool): the examples are dicts of named arguments. Default: ``False``.
        check_trace, check_inputs, check_tolerance, strict: not looked at.
        _force_outplace, _module_class, _compilation_unit, _store_inputs: not looked at.

    Returns:
        ScriptModule: calls `mod`.

    Raises:
        AttributeError: when `mod` is no Module, or `inputs` no dict.

    Example:
        >>> traced = torch.jit.trace_module(nn.ReLU(), {"forward": torch.ones(2)})
        >>> traced(torch.tensor([-1.0, 1.0]))
        tensor([0., 1.])
    """
    _deprecated("trace_method", optimize)
    if not isinstance(mod, torch.nn.Module):
        raise AttributeError("expected torch.nn.Module as the first argument")
    if not isinstance(inputs, dict):
        raise AttributeError("expected a dictionary of (method_name, input) pairs")
    for name, example in inputs.items():
        method = mod if name == "forward" else getattr(mod, name)
        if example_inputs_is_kwarg:
            _run_example(method, None, example)
        else:
            _run_example(method, example, None)
    return TopLevelTracedModule(mod, tuple(inputs))


def _script_if_tracing(fn):
    return fn
