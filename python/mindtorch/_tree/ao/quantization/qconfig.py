"""How to quantize a part of a model."""

from collections import namedtuple

from ... import nn

__all__ = ["QConfig"]


class QConfig(namedtuple("QConfig", ["activation", "weight"])):
    """Says how a part of a model is quantized: what observes its activations and its weights.

    Args:
        activation (Callable): makes the observer of activations: a class, or one with arguments given by
            with_args; not an instance.
        weight (Callable): makes the observer of weights.

    Raises:
        ValueError: when one is an instance.

    Example:
        >>> qconfig = torch.ao.quantization.QConfig(activation=nn.Identity, weight=nn.Identity)
        >>> qconfig.weight()
        Identity()
    """

    __slots__ = ()

    def __new__(cls, activation, weight):
        if isinstance(activation, nn.Module) or isinstance(weight, nn.Module):
            raise ValueError(
                "QConfig received observer instance, please pass observer class instead. "
                "Use MyObserver.with_args(x=1) to override arguments to constructor if needed"
            )
        return super().__new__(cls, activation, weight)
