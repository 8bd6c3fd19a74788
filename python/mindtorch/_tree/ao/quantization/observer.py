"""Observers: modules that record statistics of tensors and compute how to quantize them."""

from abc import ABC, abstractmethod
from functools import partial

from ... import nn

__all__ = ["ObserverBase"]


class _PartialWrapper:
    """A class with some of its arguments; `callable_args` are called for each instance."""

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
    """Makes a constructor of a class with some of its arguments given.

    Args:
        cls_or_self (type): the class.
        **kwargs: the arguments.

    Returns:
        Callable: takes the others, gives an instance; has with_args and with_callable_args too.
    """
    return _PartialWrapper(partial(cls_or_self, **kwargs))


def _with_callable_args(cls_or_self, **kwargs):
    """Makes a constructor of a class that computes some of its arguments for each instance.

    Args:
        cls_or_self (type): the class.
        **kwargs: functions without parameters, which give the arguments.

    Returns:
        Callable: takes the others, gives an instance; has with_args and with_callable_args too.
    """
    return _with_args(cls_or_self).with_callable_args(**kwargs)


class ObserverBase(ABC, nn.Module):
    """The base of observers: modules that record statistics of tensors and compute how to quantize them.

    Subclasses define forward, which observes a tensor and returns it, and calculate_qparams.

    Args:
        dtype (torch.dtype): the dtype that values are quantized to.
        is_dynamic (bool): scales are computed for each input when the model runs. Default: ``False``.

    Example:
        >>> class Largest(torch.ao.quantization.ObserverBase):
        ...     largest = 0.0
        ...     def forward(self, x):
        ...         self.largest = max(self.largest, x.abs().max().item())
        ...         return x
        ...     def calculate_qparams(self):
        ...         return self.largest / 127, 0
        >>> make = Largest.with_args(dtype=torch.int8)
        >>> observer = make()
        >>> _ = observer(torch.tensor([-127.0, 2.0]))
        >>> observer.calculate_qparams()
        (1.0, 0)
    """

    def __init__(self, dtype, is_dynamic: bool = False) -> None:
        super().__init__()
        self.dtype, self.is_dynamic = dtype, is_dynamic

    @abstractmethod
    def forward(self, x):
        """Observes the tensor `x` and returns it; subclasses define it."""
        pass

    @abstractmethod
    def calculate_qparams(self, **kwargs):
        """Computes scale and zero point from the observed values; subclasses define it and `kwargs`."""
        pass

    with_args = classmethod(_with_args)
    with_callable_args = classmethod(_with_callable_args)
