"""Context managers that also decorate functions, generators included (no_grad and similar)."""

from __future__ import annotations

import functools
import sys
import warnings
from collections.abc import Callable
from typing import Any, Self, TypeVar

FuncType = Callable[..., Any]
F = TypeVar("F", bound=FuncType)


# inspect's CO_GENERATOR; importing inspect would cost more than the rest of this file.
_CO_GENERATOR = 0x20


def _is_generator_function(func) -> bool:
    while isinstance(func, functools.partial):
        func = func.func
    code = getattr(getattr(func, "__func__", func), "__code__", None)
    return code is not None and bool(code.co_flags & _CO_GENERATOR)


def _wrap_generator(ctx_factory, func):
    """Enters the context only while the generator's own code runs, never while it is suspended."""

    @functools.wraps(func)
    def generator_context(*args, **kwargs):
        gen = func(*args, **kwargs)
        step, payload = gen.send, (None,)
        while True:
            try:
                with ctx_factory():
                    produced = step(*payload)
            except StopIteration as stop:
                return stop.value
            try:
                received = yield produced
            except GeneratorExit:
                with ctx_factory():
                    gen.close()
                raise
            except BaseException:
                step, payload = gen.throw, sys.exc_info()
            else:
                step, payload = gen.send, (received,)

    return generator_context


def context_decorator(ctx, func):
    """Wraps `func` so that each call runs inside `ctx`, a context manager or a factory of them."""
    is_factory = callable(ctx)
    if is_factory and hasattr(ctx, "__enter__"):
        raise AssertionError(
            f"Passed in {ctx} is both callable and also a valid context manager (has __enter__), making it ambiguous "
            "which interface to use.  If you intended to pass a context manager factory, rewrite your call as "
            "context_decorator(lambda: ctx()); if you intended to pass a context manager directly, rewrite your call "
            "as context_decorator(lambda: ctx)"
        )
    if isinstance(func, type):
        raise RuntimeError(
            "Cannot decorate classes; it is ambiguous whether or not only the constructor or all methods should have "
            "the context manager applied; additionally, decorating a class at definition-site will prevent use of the "
            "identifier as a conventional type.  To specify which methods to decorate, decorate each of them "
            "individually."
        )
    make_context = ctx if is_factory else lambda: ctx
    if _is_generator_function(func):
        return _wrap_generator(make_context, func)

    # The name that warnings print for a decorated callable without a name.
    @functools.wraps(func)
    def decorate_context(*args, **kwargs):
        with make_context():
            return func(*args, **kwargs)

    return decorate_context


class _DecoratorContextManager:
    """Base class: `clone` makes a new context for every call of the decorated function."""

    def __call__(self, orig_func: F) -> F:
        func = orig_func
        if isinstance(orig_func, type):
            warnings.warn(
                "Decorating classes is deprecated and will be disabled in future versions. You should only decorate "
                "functions or methods. To preserve the current behavior of class decoration, you can directly decorate "
                "the `__init__` method and nothing else.",
                FutureWarning,
                stacklevel=2,
            )

            def func(*args, **kwargs):
                return orig_func(*args, **kwargs)

        return context_decorator(self.clone, func)

    def __enter__(self) -> None:
        raise NotImplementedError

    def __exit__(self, exc_type: Any, exc_value: Any, traceback: Any) -> None:
        raise NotImplementedError

    def clone(self):
        return self.__class__()


class _NoParamDecoratorContextManager(_DecoratorContextManager):
    """Allows `@no_grad` as well as `@no_grad()`."""

    def __new__(cls, orig_func: F | None = None) -> Self | F:
        return super().__new__(cls) if orig_func is None else cls()(orig_func)
