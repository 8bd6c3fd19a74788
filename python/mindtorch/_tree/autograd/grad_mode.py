"""Modes of gradient recording, as contexts and decorators."""

from __future__ import annotations

from typing import Any

from .._method_copies import copies_methods
from .. import _C
from .._root import torch
from ..utils._contextlib import F, _DecoratorContextManager, _NoParamDecoratorContextManager

__all__ = [
    "no_grad",
    "enable_grad",
    "set_grad_enabled",
    "inference_mode",
    "set_multithreading_enabled",
    "enforce_grad_layout_policy",
]


class no_grad(_NoParamDecoratorContextManager):
    """Computes without recording for backward, as a context or a decorator.

    Results have ``requires_grad=False``, whatever their inputs; factory functions such as
    ``torch.zeros(..., requires_grad=True)`` and Parameters are not affected. Only this thread is.

    Args:
        orig_func (callable, optional): a function to decorate.

    Example:
        >>> x = torch.ones(1, requires_grad=True)
        >>> with torch.no_grad():
        ...     y = x * 2
        >>> y.requires_grad
        False
    """

    def __init__(self) -> None:
        self.prev = False

    def __enter__(self) -> None:
        self.prev = _C.is_grad_enabled()
        _C._set_grad_enabled(False)

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any) -> None:
        _C._set_grad_enabled(self.prev)


class enable_grad(_NoParamDecoratorContextManager):
    """Records for backward again inside a `no_grad` region, as a context or a decorator.

    Args:
        orig_func (callable, optional): a function to decorate.

    Example:
        >>> x = torch.ones(1, requires_grad=True)
        >>> with torch.no_grad(), torch.enable_grad():
        ...     y = x * 2
        >>> y.requires_grad
        True
    """

    def __enter__(self) -> None:
        self.prev = _C.is_grad_enabled()
        _C._set_grad_enabled(True)

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any) -> None:
        _C._set_grad_enabled(self.prev)


@copies_methods("__init__")
class _Switch(_DecoratorContextManager):
    """A mode that is set at construction and reset at exit, or before a function is decorated."""

    def __init__(self, mode: bool) -> None:
        self.prev = self._get()
        self.mode = mode
        self._set(mode)

    def __call__(self, orig_func: F) -> F:
        self._set(self.prev)
        return super().__call__(orig_func)

    def __enter__(self) -> None:
        self._set(self.mode)

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any) -> None:
        self._set(self.prev)

    def clone(self):
        """Returns a new switch to the same mode; decorated functions make one per call.

        Returns:
            The switch.
        """
        return self.__class__(self.mode)


class set_grad_enabled(_Switch):
    """Turns recording for backward on or off: at once, or for a block or a decorated function.

    Args:
        mode (bool): whether to record.

    Example:
        >>> x = torch.ones(1, requires_grad=True)
        >>> with torch.set_grad_enabled(False):
        ...     y = x * 2
        >>> y.requires_grad
        False
    """

    _get = staticmethod(_C.is_grad_enabled)
    _set = staticmethod(_C._set_grad_enabled)

    def __str__(self) -> str:
        return f"{torch.typename(self)}(mode={self.mode})"

    __repr__ = __str__


class inference_mode(_DecoratorContextManager):
    """Like `no_grad`, but tensors made inside can never take part in autograd; a context or a decorator.

    That saves version counters and view tracking. Such tensors raise when they are saved for backward
    or changed in place in a recorded computation outside.

    Args:
        mode (bool): whether to enter the mode; with a function, decorates it. Default: ``True``.

    Example:
        >>> with torch.inference_mode():
        ...     y = torch.ones(1) * 2
        >>> y.is_inference()
        True
    """

    def __new__(cls, mode=True):
        return super().__new__(cls) if isinstance(mode, bool) else cls()(mode)

    def __init__(self, mode: bool = True) -> None:
        self.mode = mode

    def __enter__(self) -> None:
        self._inference_mode_context = _enter_inference_mode(self.mode)

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any) -> None:
        self._inference_mode_context.__exit__(exc_type, exc_value, traceback)

    def clone(self) -> "inference_mode":
        """Returns a new context of the same mode; decorated functions make one per call.

        Returns:
            inference_mode: the context.
        """
        return self.__class__(self.mode)


def _enter_inference_mode(mode):
    context = _C._InferenceMode(mode)
    context.__enter__()
    return context


def _exit_inference_mode(mode):
    mode.__exit__(None, None, None)


class set_multithreading_enabled(_Switch):
    """Lets one backward use several threads, or forbids it: at once, or for a block.

    Args:
        mode (bool): whether several threads may be used.

    Example:
        >>> with torch.autograd.set_multithreading_enabled(False):
        ...     x = torch.ones(1, requires_grad=True)
        ...     (x * 2).backward()
        >>> x.grad
        tensor([2.])
    """

    _get = staticmethod(_C._is_multithreading_enabled)
    _set = staticmethod(_C._set_multithreading_enabled)

    def __call__(self, orig_func: F) -> F:
        return _DecoratorContextManager.__call__(self, orig_func)

    def __enter__(self) -> None:
        pass


class enforce_grad_layout_policy(_Switch):
    """Chooses whether accumulated gradients take the strides of their parameter: at once, or for a block.

    Args:
        enable (bool): whether to enforce the layout. Default: ``True``.

    Example:
        >>> with torch.autograd.enforce_grad_layout_policy(False):
        ...     x = torch.ones(1, requires_grad=True)
        ...     (x * 2).backward()
        >>> x.grad
        tensor([2.])
    """

    _get = staticmethod(_C._is_grad_layout_enforcement_enabled)
    _set = staticmethod(_C._set_grad_layout_enforcement_enabled)

    def __init__(self, enable: bool = True) -> None:
        super().__init__(enable)

    def __enter__(self) -> None:
        pass


class _force_original_view_tracking(_Switch):
    """Replays views of bases by their own functions instead of as_strided."""

    _get = staticmethod(_C._is_view_replay_enabled)
    _set = staticmethod(_C._set_view_replay_enabled)


class _unsafe_preserve_version_counter(_DecoratorContextManager):
    """Hides in-place changes made inside the block from the checks of saved tensors."""

    def __init__(self, tensors: torch.Tensor | tuple[torch.Tensor, ...]) -> None:
        self.tensors = tensors if isinstance(tensors, tuple) else (tensors,)
        if isinstance(tensors, list):
            raise AssertionError("Expected tensors to be a tuple")
        self.prev_versions = tuple(tensor._version for tensor in self.tensors)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *args) -> None:
        _C._autograd._unsafe_set_version_counter(self.tensors, self.prev_versions)
