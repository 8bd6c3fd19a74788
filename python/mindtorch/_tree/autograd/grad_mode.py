"""Switches of gradient recording, usable as contexts and as decorators."""

from typing import Any

from .._lending import lends
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
    """Computes without recording for backward."""

    def __init__(self) -> None:
        self.prev = False

    def __enter__(self) -> None:
        self.prev = _C.is_grad_enabled()
        _C._set_grad_enabled(False)

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any) -> None:
        _C._set_grad_enabled(self.prev)


class enable_grad(_NoParamDecoratorContextManager):
    """Records again inside a `no_grad` region."""

    def __enter__(self) -> None:
        self.prev = _C.is_grad_enabled()
        _C._set_grad_enabled(True)

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any) -> None:
        _C._set_grad_enabled(self.prev)


@lends("__init__")
class _Switch(_DecoratorContextManager):
    """A mode that takes effect when constructed and is undone at exit, or before a function is decorated."""

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
        return self.__class__(self.mode)


class set_grad_enabled(_Switch):
    """Turns recording on or off, at once and for the block."""

    _get = staticmethod(_C.is_grad_enabled)
    _set = staticmethod(_C._set_grad_enabled)

    def __str__(self) -> str:
        return f"{torch.typename(self)}(mode={self.mode})"

    __repr__ = __str__


class inference_mode(_DecoratorContextManager):
    """Like `no_grad`, and what is made inside can never take part in autograd."""

    def __new__(cls, mode=True):
        return super().__new__(cls) if isinstance(mode, bool) else cls()(mode)

    def __init__(self, mode: bool = True) -> None:
        self.mode = mode

    def __enter__(self) -> None:
        self._inference_mode_context = _enter_inference_mode(self.mode)

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any) -> None:
        self._inference_mode_context.__exit__(exc_type, exc_value, traceback)

    def clone(self) -> "inference_mode":
        return self.__class__(self.mode)


def _enter_inference_mode(mode):
    context = _C._InferenceMode(mode)
    context.__enter__()
    return context


def _exit_inference_mode(mode):
    mode.__exit__(None, None, None)


class set_multithreading_enabled(_Switch):
    """Lets the engine use several threads for one backward, or forbids it."""

    _get = staticmethod(_C._is_multithreading_enabled)
    _set = staticmethod(_C._set_multithreading_enabled)

    def __call__(self, orig_func: F) -> F:
        return _DecoratorContextManager.__call__(self, orig_func)

    def __enter__(self) -> None:
        pass


class enforce_grad_layout_policy(_Switch):
    """Chooses whether accumulated gradients take their parameter's layout."""

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
    """Hides in-place changes made inside the block from saved-tensor checks."""

    def __init__(self, tensors) -> None:
        self.tensors = tensors if isinstance(tensors, tuple) else (tensors,)
        if isinstance(tensors, list):
            raise AssertionError("Expected tensors to be a tuple")
        self.prev_versions = tuple(tensor._version for tensor in self.tensors)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *args) -> None:
        _C._autograd._unsafe_set_version_counter(self.tensors, self.prev_versions)
