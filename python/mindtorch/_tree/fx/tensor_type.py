"""torch.fx.tensor_type: gradual types of tensors' shapes, for annotations that a graph keeps."""

from typing import Any

from ._compatibility import compatibility

__all__ = ["Dyn", "TensorType", "is_consistent", "is_more_precise"]


@compatibility(is_backward_compatible=False)
class TensorType:
    """Annotates a tensor by its sizes, some of which may be `Dyn`.

    ``TensorType[2, Dyn]`` is short for ``TensorType((2, Dyn))``.

    Args:
        dim (sequence): the sizes.

    Example:
        >>> from torch.fx.tensor_type import Dyn, TensorType
        >>> def f(x: TensorType((2, Dyn))):
        ...     return x + 1
        >>> next(iter(torch.fx.symbolic_trace(f).graph.nodes)).type
        TensorType[(2, Dyn)]
    """

    __hash__ = None

    def __init__(self, dim: Any) -> None:
        self.__origin__, self.__args__ = TensorType, dim

    def __repr__(self):
        return f"TensorType[{self.__args__}]"

    def __eq__(self, other):
        return isinstance(other, TensorType) and list(self.__args__) == list(other.__args__)

    def __class_getitem__(cls, sizes):
        return cls(sizes if isinstance(sizes, tuple) else (sizes,))


class _DynType:
    """The type of what is not known before the program runs."""

    def __init__(self):
        self.__name__ = "_DynType"

    def __eq__(self, other):
        return self.__class__ == other.__class__

    def __str__(self):
        return "Dyn"

    __repr__ = __str__


Dyn = _DynType()


def _sizes_agree(t1, t2, agree):
    if not (isinstance(t1, TensorType) and isinstance(t2, TensorType)):
        return False
    return len(t1.__args__) == len(t2.__args__) and all(map(agree, t1.__args__, t2.__args__))


@compatibility(is_backward_compatible=False)
def is_consistent(t1: object, t2: object) -> bool:
    """Tells whether a value could have both types.

    Args:
        t1, t2 (object): the types: `Dyn`, a TensorType, or any other, which is consistent with itself.

    Returns:
        bool: whether they agree where both are known.

    Example:
        >>> from torch.fx.tensor_type import Dyn, TensorType, is_consistent
        >>> is_consistent(TensorType((1, Dyn)), TensorType((Dyn, 3)))
        True
    """
    return bool(t1 == t2 or t1 == Dyn or t2 == Dyn) or _sizes_agree(t1, t2, is_consistent)


@compatibility(is_backward_compatible=False)
def is_more_precise(t1: object, t2: object) -> bool:
    """Tells whether the first type says all that the second does.

    Args:
        t1, t2 (object): the types, as of `is_consistent`.

    Returns:
        bool: whether they are equal where `t2` is known.

    Example:
        >>> from torch.fx.tensor_type import Dyn, TensorType, is_more_precise
        >>> is_more_precise(TensorType((1, 2)), TensorType((1, Dyn)))
        True
    """
    return bool(t1 == t2 or t2 == Dyn) or _sizes_agree(t1, t2, is_more_precise)
