"""Observers: modules that see tensors pass and say how to quantize them."""

from abc import ABC, abstractmethod
from functools import partial

from ... import nn

__all__ = ["ObserverBase"]


class _PartialWrapper:
    """A class with some of its arguments; `callable_args` are called anew for each instance."""

    def __init__(self, p) -> None:
        self.p, self.callable_args = p, {}

    def __call__(self, *args, **keywords):
        made = {name: make() for name, make in self.callable_args.items() if name not in keywords}
        return self.p(*args, **keywords, **made)

    def __repr__(self):
        return repr(self.p) + repr(self.callable_args)

    def with_args(self, **kwargs):
        return _with_args(self, **kwargs)

    def with_callable_args(self, **kwargs):
        result = _PartialWrapper(self.p)
        result.callable_args = {**self.callable_args, **kwargs}
        return result


def _with_args(cls_or_self, **kwargs):
    return _PartialWrapper(partial(cls_or_self, **kwargs))


def _with_callable_args(cls_or_self, **kwargs):
    return _with_args(cls_or_self).with_callable_args(**kwargs)


class ObserverBase(ABC, nn.Module):
    """The base of observers: `forward` sees a tensor, `calculate_qparams` says what came of all of them."""

    def __init__(self, dtype, is_dynamic: bool = False) -> None:
        super().__init__()
        self.dtype, self.is_dynamic = dtype, is_dynamic

    @abstractmethod
    def forward(self, x):
        pass

    @abstractmethod
    def calculate_qparams(self, **kwargs):
        pass

    with_args = classmethod(_with_args)
    with_callable_args = classmethod(_with_callable_args)
