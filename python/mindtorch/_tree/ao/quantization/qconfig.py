"""How a part of a model is to be quantized."""

from collections import namedtuple

from ... import nn

__all__ = ["QConfig"]


class QConfig(namedtuple("QConfig", ["activation", "weight"])):
    """The classes (not instances) that observe activations and weights."""

    __slots__ = ()

    def __new__(cls, activation, weight):
        if isinstance(activation, nn.Module) or isinstance(weight, nn.Module):
            raise ValueError(
                "QConfig received observer instance, please pass observer class instead. "
                "Use MyObserver.with_args(x=1) to override arguments to constructor if needed"
            )
        return super().__new__(cls, activation, weight)
