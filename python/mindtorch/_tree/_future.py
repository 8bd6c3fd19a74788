"""torch.Future, fork and wait: the base of torch.futures and torch.jit."""

from __future__ import annotations

import sys
import threading
import traceback
from collections.abc import Callable
from typing import Any

from ._root import torch


def raise_incompatible_arguments(name: str, signature: str, *arguments) -> None:
    invoked = ", ".join(map(repr, arguments))
    raise TypeError(
        f"{name}(): incompatible function arguments. The following argument types are supported:\n"
        f"    1. {signature}\n\nInvoked with: {invoked}"
    )


def _callback_error(error: BaseException) -> str:
    """Returns torch's text for a callback that raised: the error, and the calls that led to it, innermost first."""
    calls = traceback.extract_tb(error.__traceback__)[::-1]
    at = "".join(f"  {call.filename}({call.lineno}): {call.name}\n" for call in calls)
    return f"Got the following error when running the callback: {type(error).__name__}: {error}\n\nAt:\n{at}"


def _check_devices(devices) -> None:
    devices = [torch.device(device) for device in devices]
    for device in devices:
        if device.type != devices[0].type:
            raise ValueError(
                f"Expected all devices to be of the same type, but got a mismatch between {devices[0]} and {device}"
            )
        if device.index is None:
            raise ValueError(f"Expected devices to have indices, got {device}")
    if devices and devices[0].type not in ("cpu", "meta"):
        raise RuntimeError(f"PyTorch is not linked with support for {devices[0].type} devices")


class Future:
    """A value that will be there later; what `torch.jit.fork` returns, and the base of `torch.futures.Future`.

    Its methods may be called from any thread.

    Args:
        devices (list): devices of the value; all of one kind and with indices.

    Raises:
        ValueError: when devices differ in kind or have no index.

    Example:
        >>> future = torch.jit.fork(torch.add, torch.tensor(1), torch.tensor(2))
        >>> future.wait()
        tensor(3)
    """

    __module__ = "torch"

    def __init__(self, devices: list[int | str | torch.device] | None) -> None:
        _check_devices(devices)
        self._lock = threading.Lock()
        self._event = threading.Event()
        self._result: Any = None
        self._unwrap: Callable | None = None
        self._callbacks: list[Callable] = []

    def done(self) -> bool:
        """Returns whether the value, or an error in its place, is available.

        Returns:
            bool: True once complete.
        """
        return self._event.is_set()

    def wait(self) -> Any:
        """Waits until the future is complete, then returns the value or raises the error.

        Returns:
            The value.
        """
        self._event.wait()
        return self.value()

    def value(self) -> Any:
        """Returns the value of a complete future, or raises its error.

        Returns:
            The value.

        Raises:
            RuntimeError: when the future is not complete.
        """
        if not self._event.is_set():
            raise RuntimeError(
                'completed() INTERNAL ASSERT FAILED at "/__w/pytorch/pytorch/aten/src/ATen/core/'
                'ivalue_inl.h":1016, please report a bug to PyTorch. '
            )
        if self._unwrap is not None:
            self._unwrap(self._result)
        return self._result

    def set_result(self, result: Any) -> None:
        """Completes the future and runs its callbacks in this thread, in the order in which they were added.

        Args:
            result (Any): the value.

        Raises:
            RuntimeError: when the future is complete already.
        """
        with self._lock:
            if self._event.is_set():
                raise RuntimeError(
                    "Attempting to mark a completed Future as complete again. Note that a Future can only be marked "
                    "completed once."
                )
            self._result = result
            self._event.set()
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback()

    def _set_unwrap_func(self, function: Callable) -> None:
        """Calls `function` with the value on each read, and raises its errors."""
        self._unwrap = function

    def _call_when_done(self, callback: Callable[[], None]) -> None:
        with self._lock:
            if not self._event.is_set():
                self._callbacks.append(callback)
                return
        callback()

    def add_done_callback(self, callback: Callable[[Future[Any]], None]) -> None:
        """Registers a function that is called once the future is complete, or at once where it is.

        Args:
            callback (callable): ``callback(future)``; an exception is printed and goes no further.

        Raises:
            TypeError: when it cannot be called.
        """
        if not callable(callback):
            signature = "(self: torch._C.Future, arg0: collections.abc.Callable) -> None"
            raise_incompatible_arguments("add_done_callback", signature, self, callback)

        def run_callback():
            try:
                callback(self)
            except Exception as error:
                print(_callback_error(error), file=sys.stderr)

        self._call_when_done(run_callback)

    def then(self, callback: Callable[[Future[Any]], Any]) -> Future[Any]:
        """Returns a future of a function's result for this future, once that is complete.

        Args:
            callback (callable): ``callback(future)``; its result, or its exception as a RuntimeError, is
                the value of the new future.

        Returns:
            Future: the new future.

        Raises:
            TypeError: when it cannot be called.
        """
        if not callable(callback):
            signature = "(self: torch._C.Future, arg0: collections.abc.Callable) -> torch._C.Future"
            raise_incompatible_arguments("then", signature, self, callback)
        following = Future([])

        def run_callback_to_future():
            try:
                result = callback(self)
            except Exception as error:
                following._set_error(RuntimeError(_callback_error(error)))
            else:
                following.set_result(result)

        self._call_when_done(run_callback_to_future)
        return following

    def _set_error(self, error: Exception) -> None:
        def raise_error(_):
            raise error

        self._set_unwrap_func(raise_error)
        self.set_result(error)

    def __reduce__(self):
        raise RuntimeError("Can not pickle torch.futures.Future")


def fork(*args, **kwargs):
    """Calls a function now, as torch does outside of TorchScript, and returns a complete future.

    Args:
        *args: the function, then its positional arguments.
        **kwargs: its keyword arguments.

    Returns:
        Future: of the result.

    Raises:
        TypeError: when the first argument cannot be called.

    Example:
        >>> torch.jit.wait(torch.jit.fork(torch.neg, torch.tensor(2)))
        tensor(-2)
    """
    if not args:
        raise RuntimeError(
            '!args.empty() INTERNAL ASSERT FAILED at "/__w/pytorch/pytorch/torch/csrc/jit/python/init.cpp":2267, '
            "please report a bug to PyTorch. "
        )
    function, *rest = args
    if not callable(function):
        raise TypeError(f"Object of type '{type(function).__name__}' is not an instance of 'function'")
    future = Future([])
    future.set_result(function(*rest, **kwargs))
    return future


def wait(*args):
    """Waits for a future and returns its value, or raises its error.

    Args:
        *args: the future, one argument.

    Returns:
        The value.

    Raises:
        TypeError: for other types.

    Example:
        >>> torch.jit.wait(torch.jit.fork(torch.neg, torch.tensor(2)))
        tensor(-2)
    """
    if len(args) != 1 or not isinstance(args[0], Future):
        raise_incompatible_arguments("wait", "(arg0: torch._C.Future) -> object", *args)
    return args[0].wait()


fork.__module__ = wait.__module__ = torch.__name__
