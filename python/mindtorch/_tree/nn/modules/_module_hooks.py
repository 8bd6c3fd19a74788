"""Hooks of Module: the global registries, registration on one module, and the call that runs them."""

import functools
import warnings
import weakref
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from ... import _C
from ..._root import torch
from ...utils.hooks import BackwardHook, RemovableHandle

_global_buffer_registration_hooks = OrderedDict()
_global_module_registration_hooks = OrderedDict()
_global_parameter_registration_hooks = OrderedDict()
_global_backward_pre_hooks = OrderedDict()
_global_backward_hooks = OrderedDict()
_global_is_full_backward_hook = None
_global_forward_pre_hooks = OrderedDict()
_global_forward_hooks = OrderedDict()
_global_forward_hooks_always_called = OrderedDict()
_global_forward_hooks_with_kwargs = OrderedDict()


def _has_any_global_hook():
    return bool(
        _global_backward_pre_hooks
        or _global_backward_hooks
        or _global_forward_pre_hooks
        or _global_forward_hooks
        or _global_forward_hooks_always_called
        or _global_forward_hooks_with_kwargs
    )


def _register(registry, hook, *flags):
    handle = RemovableHandle(registry, extra_dict=list(flags) or None)
    registry[handle.id] = hook
    return handle


def _set_flag(flags, handle, is_set):
    if is_set:
        flags[handle.id] = True


def register_module_buffer_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Registers a hook that runs whenever a buffer is added to any module.

    A global hook: it serves every module of the process, for debugging and profiling.

    Args:
        hook (callable): called as ``hook(module, name, buffer)``; returns ``None`` or the buffer to add
            in its place.

    Returns:
        RemovableHandle: its `remove()` removes the hook.

    Example:
        >>> from torch.nn.modules.module import register_module_buffer_registration_hook
        >>> names = []
        >>> handle = register_module_buffer_registration_hook(lambda m, name, b: names.append(name))
        >>> nn.Module().register_buffer("mean", torch.zeros(1))
        >>> names
        ['mean']
        >>> handle.remove()
    """
    return _register(_global_buffer_registration_hooks, hook)


def register_module_module_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Registers a hook that runs whenever a module is added to any module.

    A global hook: it serves every module of the process, for debugging and profiling.

    Args:
        hook (callable): called as ``hook(module, name, submodule)``; returns ``None`` or what
            is added in its place.

    Returns:
        RemovableHandle: its `remove()` removes the hook.

    Example:
        >>> from torch.nn.modules.module import register_module_module_registration_hook
        >>> names = []
        >>> handle = register_module_module_registration_hook(lambda m, name, sub: names.append(name))
        >>> _ = nn.Sequential(nn.ReLU(), nn.Tanh())
        >>> names
        ['0', '1']
        >>> handle.remove()
    """
    return _register(_global_module_registration_hooks, hook)


def register_module_parameter_registration_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Registers a hook that runs whenever a parameter is added to any module.

    A global hook: it serves every module of the process, for debugging and profiling.

    Args:
        hook (callable): called as ``hook(module, name, param)``; returns ``None`` or the parameter to add
            in its place.

    Returns:
        RemovableHandle: its `remove()` removes the hook.

    Example:
        >>> from torch.nn.modules.module import register_module_parameter_registration_hook
        >>> names = []
        >>> handle = register_module_parameter_registration_hook(lambda m, name, p: names.append(name))
        >>> _ = nn.Linear(2, 3)
        >>> names
        ['weight', 'bias']
        >>> handle.remove()
    """
    return _register(_global_parameter_registration_hooks, hook)


def register_module_forward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Registers a hook that runs before the `forward` of every module.

    A global hook: it serves every module of the process, for debugging and profiling.

    Args:
        hook (callable): called as ``hook(module, args)``; returns ``None`` or new arguments.

    Returns:
        RemovableHandle: its `remove()` removes the hook.

    Example:
        >>> from torch.nn.modules.module import register_module_forward_pre_hook
        >>> handle = register_module_forward_pre_hook(lambda module, args: (args[0] + 1,))
        >>> nn.Identity()(torch.zeros(2))
        tensor([1., 1.])
        >>> handle.remove()
    """
    return _register(_global_forward_pre_hooks, hook)


def register_module_forward_hook(
    hook: Callable[..., Any], *, with_kwargs: bool = False, always_call: bool = False
) -> RemovableHandle:
    """Registers a hook that runs after the `forward` of every module.

    A global hook: it serves every module of the process, for debugging and profiling.

    Args:
        hook (callable): called as ``hook(module, args, output)``, or ``hook(module, args, kwargs,
            output)`` with `with_kwargs`; returns ``None`` or the new output.
        with_kwargs (bool): whether keyword arguments are passed. Default: ``False``.
        always_call (bool): whether it runs even if `forward` raised. Default: ``False``.

    Returns:
        RemovableHandle: its `remove()` removes the hook.

    Example:
        >>> from torch.nn.modules.module import register_module_forward_hook
        >>> handle = register_module_forward_hook(lambda module, args, output: output * 3)
        >>> nn.Identity()(torch.ones(2))
        tensor([3., 3.])
        >>> handle.remove()
    """
    handle = _register(_global_forward_hooks, hook, _global_forward_hooks_always_called)
    _set_flag(_global_forward_hooks_with_kwargs, handle, with_kwargs)
    _set_flag(_global_forward_hooks_always_called, handle, always_call)
    return handle


def _set_global_backward_hook_kind(is_full):
    global _global_is_full_backward_hook
    if _global_is_full_backward_hook is (not is_full):
        raise RuntimeError(
            "Cannot use both regular backward hooks and full backward hooks as a "
            "global Module hook. Please use only one of them."
        )
    _global_is_full_backward_hook = is_full


def register_module_backward_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Registers a backward hook of the old kind for every module; deprecated.

    It sees the gradients of the last operation of each `forward` only. A process uses this kind or
    `register_module_full_backward_hook`, not both, even after the hooks were removed.

    Args:
        hook (callable): called as ``hook(module, grad_input, grad_output)``; returns ``None``
            or what replaces `grad_input`.

    Returns:
        RemovableHandle: its `remove()` removes the hook.

    Raises:
        RuntimeError: when a global full backward hook was registered.

    Example:
        >>> from torch.nn.modules.module import register_module_backward_hook
        >>> def watch(module, grad_input, grad_output):
        ...     print(type(module).__name__)
        >>> def debug():  # to be called once, at the start of a program
        ...     return register_module_backward_hook(watch)
    """
    _set_global_backward_hook_kind(is_full=False)
    return _register(_global_backward_hooks, hook)


def register_module_full_backward_pre_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Registers a hook that runs before the gradients of any module are computed.

    A global hook: it serves every module of the process, for debugging and profiling.

    Args:
        hook (callable): called as ``hook(module, grad_output)``; returns ``None`` or what replaces
            `grad_output`.

    Returns:
        RemovableHandle: its `remove()` removes the hook.

    Example:
        >>> from torch.nn.modules.module import register_module_full_backward_pre_hook
        >>> handle = register_module_full_backward_pre_hook(lambda module, grad_output: None)
        >>> handle.remove()
    """
    return _register(_global_backward_pre_hooks, hook)


def register_module_full_backward_hook(hook: Callable[..., Any]) -> RemovableHandle:
    """Registers a hook that runs once the gradients of the inputs of any module are computed.

    A global hook: it serves every module of the process, for debugging and profiling.

    Args:
        hook (callable): called as ``hook(module, grad_input, grad_output)``; returns ``None``
            or what replaces `grad_input`.

    Returns:
        RemovableHandle: its `remove()` removes the hook.

    Example:
        >>> from torch.nn.modules.module import register_module_full_backward_hook
        >>> seen = []
        >>> handle = register_module_full_backward_hook(lambda m, gi, go: seen.append(type(m).__name__))
        >>> nn.Tanh()(torch.ones(1, requires_grad=True)).backward()
        >>> seen
        ['Tanh']
        >>> handle.remove()
    """
    _set_global_backward_hook_kind(is_full=True)
    return _register(_global_backward_hooks, hook)


class _WrappedHook:
    """A hook that gets its module as first argument, without keeping it alive."""

    def __init__(self, hook: Callable, module: "torch.nn.Module | None" = None) -> None:
        self.hook = hook
        functools.update_wrapper(self, hook)
        self.with_module = module is not None
        if self.with_module:
            self.module = weakref.ref(module)

    def __call__(self, *args, **kwargs):
        if not self.with_module:
            return self.hook(*args, **kwargs)
        module = self.module()
        if module is None:
            raise RuntimeError("You are trying to call the hook of a dead Module!")
        return self.hook(module, *args, **kwargs)

    def __getstate__(self):
        state = {"hook": self.hook, "with_module": self.with_module}
        if self.with_module:
            state["module"] = self.module()
        return state

    def __setstate__(self, state):
        self.hook = state["hook"]
        self.with_module = state["with_module"]
        if self.with_module:
            if state["module"] is None:
                raise RuntimeError("You are trying to revive the hook of a dead Module!")
            self.module = weakref.ref(state["module"])


def _first_tensor(value):
    """Returns the output's tensor whose grad_fn gets old-style backward hooks."""
    while not isinstance(value, torch.Tensor):
        if isinstance(value, dict):
            value = next(v for v in value.values() if isinstance(v, torch.Tensor))
        else:
            value = value[0]
    return value


def _warn_old_hook(text):
    warnings.warn(text, FutureWarning, stacklevel=4)


def _as_tensors(value):
    """Returns `value` as a tuple of tensors, or None if it is neither a tensor nor a flat tuple of them."""
    if isinstance(value, torch.Tensor):
        return (value,)
    if isinstance(value, tuple) and all(isinstance(v, torch.Tensor) for v in value):
        return value
    return None


class _HookMethods:
    """Registration of hooks on one module, and `__call__`."""

    def register_full_backward_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Registers a hook that runs before the gradients of this module are computed.

        Args:
            hook (callable): called as ``hook(module, grad_output)``, a tuple of the gradients of the
                outputs; returns ``None`` or replacements.
            prepend (bool): whether it runs before the hooks registered so far. Default: ``False``.

        Returns:
            RemovableHandle: its `remove()` removes the hook.
        """
        handle = _register(self._backward_pre_hooks, hook)
        if prepend:
            self._backward_pre_hooks.move_to_end(handle.id, last=False)
        return handle

    def _set_backward_hook_kind(self, is_full):
        if self._is_full_backward_hook is (not is_full):
            raise RuntimeError(
                "Cannot use both regular backward hooks and full backward hooks on a "
                "single Module. Please use only one of them."
            )
        self._is_full_backward_hook = is_full

    def register_backward_hook(self, hook: Callable[..., Any]) -> RemovableHandle:
        """Registers a backward hook of the old kind; deprecated, use `register_full_backward_hook`.

        It sees the gradients of the last operation of `forward` only.

        Args:
            hook (callable): called as ``hook(module, grad_input, grad_output)``.

        Returns:
            RemovableHandle: its `remove()` removes the hook.

        Raises:
            RuntimeError: when the module has a full backward hook.
        """
        self._set_backward_hook_kind(is_full=False)
        return _register(self._backward_hooks, hook)

    def register_full_backward_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Registers a hook that runs once the gradients of this module's inputs are computed.

        Hooks may not change inputs and outputs in place. Gradients of non-tensors are ``None``.

        Args:
            hook (callable): called as ``hook(module, grad_input, grad_output)``, tuples of the
                gradients of the positional inputs and of the outputs; returns ``None`` or what
                replaces `grad_input`.
            prepend (bool): whether it runs before the hooks registered so far. Default: ``False``.

        Returns:
            RemovableHandle: its `remove()` removes the hook.

        Raises:
            RuntimeError: when the module has a backward hook of the old kind.

        Example:
            >>> seen = []
            >>> layer = nn.Linear(2, 1)
            >>> _ = layer.register_full_backward_hook(lambda m, grad_in, grad_out: seen.append(grad_out))
            >>> layer(torch.ones(1, 2, requires_grad=True)).backward()
            >>> seen
            [(tensor([[1.]]),)]
        """
        self._set_backward_hook_kind(is_full=True)
        handle = _register(self._backward_hooks, hook)
        if prepend:
            self._backward_hooks.move_to_end(handle.id, last=False)
        return handle

    def _get_backward_hooks(self):
        """Returns (full hooks, old-style hooks), the global ones first."""
        both = []
        for full in (True, False):
            found = []
            if _global_is_full_backward_hook is full:
                found.extend(_global_backward_hooks.values())
            if self._is_full_backward_hook is full:
                found.extend(self._backward_hooks.values())
            both.append(found)
        return tuple(both)

    def _get_backward_pre_hooks(self):
        return [*_global_backward_pre_hooks.values(), *self._backward_pre_hooks.values()]

    def _maybe_warn_non_full_backward_hook(self, inputs, result, grad_fn):
        """Warns if an old-style backward hook will miss gradients."""
        outputs = _as_tensors(result)
        if outputs is None:
            return _warn_old_hook(
                "Using non-full backward hooks on a Module that does not return a "
                "single Tensor or a tuple of Tensors is deprecated and will be removed "
                "in future versions. This hook will be missing some of the grad_output. "
                "Please use register_full_backward_hook to get the documented behavior."
            )
        taken = _as_tensors(inputs)
        if taken is None:
            return _warn_old_hook(
                "Using non-full backward hooks on a Module that does not take as input a "
                "single Tensor or a tuple of Tensors is deprecated and will be removed "
                "in future versions. This hook will be missing some of the grad_input. "
                "Please use register_full_backward_hook to get the documented behavior."
            )
        made_by = {t.grad_fn for t in outputs if t.grad_fn is not None}
        if len(made_by) > 1:
            return _warn_old_hook(
                "Using a non-full backward hook when outputs are generated by different autograd Nodes "
                "is deprecated and will be removed in future versions. This hook will be missing some grad_output. "
                "Please use register_full_backward_hook to get the documented behavior."
            )
        if grad_fn not in made_by:
            return _warn_old_hook(
                "Using a non-full backward hook when outputs are nested in python data structure "
                "is deprecated and will be removed in future versions. This hook will be missing some grad_output."
            )
        if {t.grad_fn for t in taken if t.grad_fn is not None} != {edge[0] for edge in grad_fn.next_functions}:
            _warn_old_hook(
                "Using a non-full backward hook when the forward contains multiple autograd Nodes "
                "is deprecated and will be removed in future versions. This hook will be missing some grad_input. "
                "Please use register_full_backward_hook to get the documented behavior."
            )

    def register_forward_pre_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False
    ) -> RemovableHandle:
        """Registers a hook that runs before each `forward` and may change its arguments.

        Args:
            hook (callable): called as ``hook(module, args)``; returns ``None``, or new arguments: a
                tuple, or one value. With `with_kwargs` it is ``hook(module, args, kwargs)`` and
                returns ``None`` or a pair ``(args, kwargs)``.
            prepend (bool): whether it runs before the hooks registered so far; hooks of
                `register_module_forward_pre_hook` come first always. Default: ``False``.
            with_kwargs (bool): whether keyword arguments are passed. Default: ``False``.

        Returns:
            RemovableHandle: its `remove()` removes the hook.

        Example:
            >>> layer = nn.Identity()
            >>> handle = layer.register_forward_pre_hook(lambda module, args: args[0] * 2)
            >>> layer(torch.ones(2))
            tensor([2., 2.])
            >>> handle.remove()
        """
        handle = _register(self._forward_pre_hooks, hook, self._forward_pre_hooks_with_kwargs)
        if with_kwargs:
            self._forward_pre_hooks_with_kwargs[handle.id] = True
        if prepend:
            self._forward_pre_hooks.move_to_end(handle.id, last=False)
        return handle

    def register_forward_hook(
        self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> RemovableHandle:
        """Registers a hook that runs after each `forward` and may replace its output.

        Args:
            hook (callable): called as ``hook(module, args, output)``, or ``hook(module, args, kwargs,
                output)`` with `with_kwargs`; returns ``None`` or the new output.
            prepend (bool): whether it runs before the hooks registered so far; hooks of
                `register_module_forward_hook` come first always. Default: ``False``.
            with_kwargs (bool): whether keyword arguments are passed. Default: ``False``.
            always_call (bool): whether it runs even if `forward` raised, with output ``None``. Default:
                ``False``.

        Returns:
            RemovableHandle: its `remove()` removes the hook.

        Example:
            >>> shapes = []
            >>> layer = nn.Linear(2, 3)
            >>> handle = layer.register_forward_hook(lambda m, args, output: shapes.append(output.shape))
            >>> _ = layer(torch.ones(4, 2))
            >>> shapes
            [torch.Size([4, 3])]
        """
        handle = _register(
            self._forward_hooks, hook, self._forward_hooks_with_kwargs, self._forward_hooks_always_called
        )
        _set_flag(self._forward_hooks_with_kwargs, handle, with_kwargs)
        _set_flag(self._forward_hooks_always_called, handle, always_call)
        if prepend:
            self._forward_hooks.move_to_end(handle.id, last=False)
        return handle

    def _slow_forward(self, *input, **kwargs):
        """Calls forward while a trace is recorded: adds the module's scope to the trace."""
        tracing = _C._get_tracing_state()
        names = torch.jit._trace._trace_module_map if tracing else None
        scope = names.get(self) if names is not None else None
        if not scope:
            return self.forward(*input, **kwargs)
        tracing.push_scope(scope)
        try:
            return self.forward(*input, **kwargs)
        finally:
            tracing.pop_scope()

    def _wrapped_call_impl(self, *args, **kwargs):
        compiled = self._compiled_call_impl
        if compiled is not None:
            return compiled(*args, **kwargs)
        return self._call_impl(*args, **kwargs)

    def _call_impl(self, *args, **kwargs):
        forward = self._slow_forward if _C._get_tracing_state() else self.forward
        if not (
            self._backward_hooks
            or self._backward_pre_hooks
            or self._forward_hooks
            or self._forward_pre_hooks
            or _global_backward_pre_hooks
            or _global_backward_hooks
            or _global_forward_hooks
            or _global_forward_pre_hooks
        ):
            return forward(*args, **kwargs)
        return _HookedCall(self, args, kwargs).run(forward)


class _HookedCall:
    """One call of a module with hooks; stores what always-called hooks need if the call fails."""

    def __init__(self, module, args, kwargs) -> None:
        self.module = module
        self.args = args
        self.kwargs = kwargs
        self.result = None
        self.served = set()

    def run(self, forward):
        try:
            return self._run_with_hooks(forward)
        except Exception:
            self._call_always_hooks_after_error(
                _global_forward_hooks, _global_forward_hooks_always_called, (), "global module"
            )
            mine = self.module
            self._call_always_hooks_after_error(
                mine._forward_hooks, mine._forward_hooks_always_called, mine._forward_hooks_with_kwargs, "module"
            )
            raise

    def _run_with_hooks(self, forward):
        module = self.module
        before = after = old = ()
        if module._backward_pre_hooks or _global_backward_pre_hooks:
            before = module._get_backward_pre_hooks()
        if module._backward_hooks or _global_backward_hooks:
            after, old = module._get_backward_hooks()
        self._call_pre_hooks()
        boundary = BackwardHook(module, list(after), list(before)) if after or before else None
        if boundary:
            self.args = boundary.setup_input_hook(self.args)
        self.result = forward(*self.args, **self.kwargs)
        self._call_forward_hooks()
        if boundary:
            if not isinstance(self.result, (torch.Tensor, tuple)):
                warnings.warn(
                    "For backward hooks to be called, module output should be a Tensor or a tuple of Tensors "
                    f"but received {type(self.result)}",
                    stacklevel=5,
                )
            self.result = boundary.setup_output_hook(self.result)
        if old:
            grad_fn = _first_tensor(self.result).grad_fn
            if grad_fn is not None:
                for hook in old:
                    grad_fn.register_hook(_WrappedHook(hook, module))
                module._maybe_warn_non_full_backward_hook(self.args, self.result, grad_fn)
        return self.result

    def _call_pre_hooks(self):
        module = self.module
        for key, hook in (*_global_forward_pre_hooks.items(), *module._forward_pre_hooks.items()):
            if key in module._forward_pre_hooks_with_kwargs:
                changed = hook(module, self.args, self.kwargs)
                if changed is None:
                    continue
                if not (isinstance(changed, tuple) and len(changed) == 2):
                    raise RuntimeError(
                        f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {changed}."
                    )
                self.args, self.kwargs = changed
            else:
                changed = hook(module, self.args)
                if changed is not None:
                    self.args = changed if isinstance(changed, tuple) else (changed,)

    def _call_forward_hook(self, hook, with_kwargs):
        passed = (self.args, self.kwargs, self.result) if with_kwargs else (self.args, self.result)
        changed = hook(self.module, *passed)
        if changed is not None:
            self.result = changed

    def _call_forward_hooks(self):
        module = self.module
        for key, hook in (*_global_forward_hooks.items(), *module._forward_hooks.items()):
            if key in module._forward_hooks_always_called or key in _global_forward_hooks_always_called:
                self.served.add(key)
            self._call_forward_hook(
                hook, key in module._forward_hooks_with_kwargs or key in _global_forward_hooks_with_kwargs
            )

    def _call_always_hooks_after_error(self, hooks, always, with_kwargs, whose):
        for key, hook in hooks.items():
            if key not in always or key in self.served:
                continue
            try:
                self._call_forward_hook(hook, key in with_kwargs)
            except Exception as error:
                warnings.warn(
                    f"{whose} forward hook with ``always_call=True`` raised an exception that was silenced "
                    f"as another error was raised in forward: {error!s}",
                    stacklevel=5,
                )
