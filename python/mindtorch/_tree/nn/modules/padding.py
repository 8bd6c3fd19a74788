"""Padding layers: one class per mode and number of dimensions."""

from ..._root import torch
from ..._method_copies import copies_methods
from .. import functional as F
from .batchnorm import _check_ranks
from .module import Module
from .utils import _ntuple, _pair, _quadruple

__all__ = [
    "CircularPad1d",
    "CircularPad2d",
    "CircularPad3d",
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "ZeroPad1d",
    "ZeroPad2d",
    "ZeroPad3d",
]

_sextuple = _ntuple(6)


@copies_methods("__init__")
class _PadNd(Module):
    """Two sides per dimension, the last dimension first; `_sides` expands a single number."""

    __constants__ = ["padding"]

    def __init__(self, padding: int | tuple[int, ...]) -> None:
        super().__init__()
        self.padding = self._sides(padding)

    def extra_repr(self):
        return f"{self.padding}"


class _CircularPadNd(_PadNd):
    def _check_input_dim(self, input):
        raise NotImplementedError

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        self._check_input_dim(input)
        return F.pad(input, self.padding, "circular")


class CircularPad1d(_CircularPadNd):
    """Continues a signal from its opposite end: padding by wrapping around.

    A padding may be at most the size of its dimension. Negative padding cuts elements off.

    Args:
        padding (int or tuple of two ints): elements to add, ``(left, right)``; one
            number holds for all sides.

    Shape:
        - input: ``(N, C, L)`` or ``(C, L)``.
        - output: the same dimensions, each larger by the sum of its two paddings.

    Example:
        >>> nn.CircularPad1d((2, 1))(torch.tensor([[1.0, 2.0, 3.0, 4.0]]))
        tensor([[3., 4., 1., 2., 3., 4., 1.]])
    """

    _sides = staticmethod(_pair)
    _check_input_dim = _check_ranks(2, 3)


class CircularPad2d(_CircularPadNd):
    """Continues an image from its opposite end: padding by wrapping around.

    A padding may be at most the size of its dimension. Negative padding cuts elements off.

    Args:
        padding (int or tuple of four ints): elements to add, ``(left, right, top, bottom)``; one
            number holds for all sides.

    Shape:
        - input: ``(N, C, H, W)`` or ``(C, H, W)``.
        - output: the same dimensions, each larger by the sum of its two paddings.

    Example:
        >>> nn.CircularPad2d((1, 2, 0, 3))(torch.ones(2, 3, 6, 6)).shape
        torch.Size([2, 3, 9, 9])
    """

    _sides = staticmethod(_quadruple)
    _check_input_dim = _check_ranks(3, 4)


class CircularPad3d(_CircularPadNd):
    """Continues a volume from its opposite end: padding by wrapping around.

    A padding may be at most the size of its dimension. Negative padding cuts elements off.

    Args:
        padding (int or tuple of six ints): elements to add,
            ``(left, right, top, bottom, front, back)``; one number holds for all sides.

    Shape:
        - input: ``(N, C, D, H, W)`` or ``(C, D, H, W)``.
        - output: the same dimensions, each larger by the sum of its two paddings.

    Example:
        >>> nn.CircularPad3d((1, 2, 0, 3, 1, 1))(torch.ones(2, 3, 6, 6, 6)).shape
        torch.Size([2, 3, 8, 9, 9])
    """

    _sides = staticmethod(_sextuple)
    _check_input_dim = _check_ranks(4, 5)


@copies_methods("__init__")
class _ConstantPadNd(Module):
    __constants__ = ["padding", "value"]
    value: float

    def __init__(self, padding: int | tuple[int, ...], value: float) -> None:
        super().__init__()
        self.value = value
        self.padding = self._sides(padding)

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self):
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPadNd):
    """Puts one value around a signal: padding by a constant.

    Negative padding cuts elements off.

    Args:
        padding (int or tuple of two ints): elements to add, ``(left, right)``; one
            number holds for all sides.
        value (float): what the padding holds.

    Shape:
        - input: ``(N, C, L)`` or ``(C, L)``.
        - output: the same dimensions, each larger by the sum of its two paddings.

    Example:
        >>> nn.ConstantPad1d((2, 1), 9.0)(torch.tensor([[1.0, 2.0, 3.0, 4.0]]))
        tensor([[9., 9., 1., 2., 3., 4., 9.]])
    """

    _sides = staticmethod(_pair)


class ConstantPad2d(_ConstantPadNd):
    """Puts one value around an image: padding by a constant.

    Negative padding cuts elements off.

    Args:
        padding (int or tuple of four ints): elements to add, ``(left, right, top, bottom)``; one
            number holds for all sides.
        value (float): what the padding holds.

    Shape:
        - input: ``(N, C, H, W)`` or ``(C, H, W)``.
        - output: the same dimensions, each larger by the sum of its two paddings.

    Example:
        >>> nn.ConstantPad2d((1, 2, 0, 3), 0.5)(torch.ones(2, 3, 6, 6)).shape
        torch.Size([2, 3, 9, 9])
    """

    _sides = staticmethod(_quadruple)


class ConstantPad3d(_ConstantPadNd):
    """Puts one value around a volume: padding by a constant.

    Negative padding cuts elements off.

    Args:
        padding (int or tuple of six ints): elements to add,
            ``(left, right, top, bottom, front, back)``; one number holds for all sides.
        value (float): what the padding holds.

    Shape:
        - input: ``(N, C, D, H, W)`` or ``(C, D, H, W)``.
        - output: the same dimensions, each larger by the sum of its two paddings.

    Example:
        >>> nn.ConstantPad3d((1, 2, 0, 3, 1, 1), 0.5)(torch.ones(2, 3, 6, 6, 6)).shape
        torch.Size([2, 3, 8, 9, 9])
    """

    _sides = staticmethod(_sextuple)


class _ReflectionPadNd(_PadNd):
    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        return F.pad(input, self.padding, "reflect")


class ReflectionPad1d(_ReflectionPadNd):
    """Mirrors a signal at its ends, which are not repeated: padding by reflection.

    A padding has to be smaller than its dimension. Negative padding cuts elements off.

    Args:
        padding (int or tuple of two ints): elements to add, ``(left, right)``; one
            number holds for all sides.

    Shape:
        - input: ``(N, C, L)`` or ``(C, L)``.
        - output: the same dimensions, each larger by the sum of its two paddings.

    Example:
        >>> nn.ReflectionPad1d((2, 1))(torch.tensor([[1.0, 2.0, 3.0, 4.0]]))
        tensor([[3., 2., 1., 2., 3., 4., 3.]])
    """

    _sides = staticmethod(_pair)


class ReflectionPad2d(_ReflectionPadNd):
    """Mirrors an image at its ends, which are not repeated: padding by reflection.

    A padding has to be smaller than its dimension. Negative padding cuts elements off.

    Args:
        padding (int or tuple of four ints): elements to add, ``(left, right, top, bottom)``; one
            number holds for all sides.

    Shape:
        - input: ``(N, C, H, W)`` or ``(C, H, W)``.
        - output: the same dimensions, each larger by the sum of its two paddings.

    Example:
        >>> nn.ReflectionPad2d((1, 2, 0, 3))(torch.ones(2, 3, 6, 6)).shape
        torch.Size([2, 3, 9, 9])
    """

    _sides = staticmethod(_quadruple)


class ReflectionPad3d(_ReflectionPadNd):
    """Mirrors a volume at its ends, which are not repeated: padding by reflection.

    A padding has to be smaller than its dimension. Negative padding cuts elements off.

    Args:
        padding (int or tuple of six ints): elements to add,
            ``(left, right, top, bottom, front, back)``; one number holds for all sides.

    Shape:
        - input: ``(N, C, D, H, W)`` or ``(C, D, H, W)``.
        - output: the same dimensions, each larger by the sum of its two paddings.

    Example:
        >>> nn.ReflectionPad3d((1, 2, 0, 3, 1, 1))(torch.ones(2, 3, 6, 6, 6)).shape
        torch.Size([2, 3, 8, 9, 9])
    """

    _sides = staticmethod(_sextuple)


class _ReplicationPadNd(_PadNd):
    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        return F.pad(input, self.padding, "replicate")


class ReplicationPad1d(_ReplicationPadNd):
    """Repeats the outermost elements of a signal: padding by replication.

    Negative padding cuts elements off.

    Args:
        padding (int or tuple of two ints): elements to add, ``(left, right)``; one
            number holds for all sides.

    Shape:
        - input: ``(N, C, L)`` or ``(C, L)``.
        - output: the same dimensions, each larger by the sum of its two paddings.

    Example:
        >>> nn.ReplicationPad1d((2, 1))(torch.tensor([[1.0, 2.0, 3.0, 4.0]]))
        tensor([[1., 1., 1., 2., 3., 4., 4.]])
    """

    _sides = staticmethod(_pair)


class ReplicationPad2d(_ReplicationPadNd):
    """Repeats the outermost elements of an image: padding by replication.

    Negative padding cuts elements off.

    Args:
        padding (int or tuple of four ints): elements to add, ``(left, right, top, bottom)``; one
            number holds for all sides.

    Shape:
        - input: ``(N, C, H, W)`` or ``(C, H, W)``.
        - output: the same dimensions, each larger by the sum of its two paddings.

    Example:
        >>> nn.ReplicationPad2d((1, 2, 0, 3))(torch.ones(2, 3, 6, 6)).shape
        torch.Size([2, 3, 9, 9])
    """

    _sides = staticmethod(_quadruple)


class ReplicationPad3d(_ReplicationPadNd):
    """Repeats the outermost elements of a volume: padding by replication.

    Negative padding cuts elements off.

    Args:
        padding (int or tuple of six ints): elements to add,
            ``(left, right, top, bottom, front, back)``; one number holds for all sides.

    Shape:
        - input: ``(N, C, D, H, W)`` or ``(C, D, H, W)``.
        - output: the same dimensions, each larger by the sum of its two paddings.

    Example:
        >>> nn.ReplicationPad3d((1, 2, 0, 3, 1, 1))(torch.ones(2, 3, 6, 6, 6)).shape
        torch.Size([2, 3, 8, 9, 9])
    """

    _sides = staticmethod(_sextuple)


@copies_methods("__init__")
class _ZeroPad:
    """Constant padding with zero, which repr does not mention."""

    def __init__(self, padding: int | tuple[int, ...]) -> None:
        super().__init__(padding, 0.0)

    def extra_repr(self):
        return f"{self.padding}"


class ZeroPad1d(_ZeroPad, ConstantPad1d):
    """Puts zeros around a signal: padding by zeros.

    Negative padding cuts elements off.

    Args:
        padding (int or tuple of two ints): elements to add, ``(left, right)``; one
            number holds for all sides.

    Shape:
        - input: ``(N, C, L)`` or ``(C, L)``.
        - output: the same dimensions, each larger by the sum of its two paddings.

    Example:
        >>> nn.ZeroPad1d((2, 1))(torch.tensor([[1.0, 2.0, 3.0, 4.0]]))
        tensor([[0., 0., 1., 2., 3., 4., 0.]])
    """


class ZeroPad2d(_ZeroPad, ConstantPad2d):
    """Puts zeros around an image: padding by zeros.

    Negative padding cuts elements off.

    Args:
        padding (int or tuple of four ints): elements to add, ``(left, right, top, bottom)``; one
            number holds for all sides.

    Shape:
        - input: ``(N, C, H, W)`` or ``(C, H, W)``.
        - output: the same dimensions, each larger by the sum of its two paddings.

    Example:
        >>> nn.ZeroPad2d((1, 2, 0, 3))(torch.ones(2, 3, 6, 6)).shape
        torch.Size([2, 3, 9, 9])
    """


class ZeroPad3d(_ZeroPad, ConstantPad3d):
    """Puts zeros around a volume: padding by zeros.

    Negative padding cuts elements off.

    Args:
        padding (int or tuple of six ints): elements to add,
            ``(left, right, top, bottom, front, back)``; one number holds for all sides.

    Shape:
        - input: ``(N, C, D, H, W)`` or ``(C, D, H, W)``.
        - output: the same dimensions, each larger by the sum of its two paddings.

    Example:
        >>> nn.ZeroPad3d((1, 2, 0, 3, 1, 1))(torch.ones(2, 3, 6, 6, 6)).shape
        torch.Size([2, 3, 8, 9, 9])
    """
