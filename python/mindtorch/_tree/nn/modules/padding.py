"""Padding layers: one class per mode and number of dimensions."""

from ..._lending import lends
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


@lends("__init__")
class _PadNd(Module):
    """Two sides per dimension, the last dimension first; `_sides` expands a single number."""

    __constants__ = ["padding"]

    def __init__(self, padding):
        super().__init__()
        self.padding = self._sides(padding)

    def extra_repr(self):
        return f"{self.padding}"


class _CircularPadNd(_PadNd):
    def _check_input_dim(self, input):
        raise NotImplementedError

    def forward(self, input):
        self._check_input_dim(input)
        return F.pad(input, self.padding, "circular")


class CircularPad1d(_CircularPadNd):
    """Continues a signal from its other end."""

    _sides = staticmethod(_pair)
    _check_input_dim = _check_ranks(2, 3)


class CircularPad2d(_CircularPadNd):
    """Continues an image from its other edges."""

    _sides = staticmethod(_quadruple)
    _check_input_dim = _check_ranks(3, 4)


class CircularPad3d(_CircularPadNd):
    """Continues a volume from its other faces."""

    _sides = staticmethod(_sextuple)
    _check_input_dim = _check_ranks(4, 5)


@lends("__init__")
class _ConstantPadNd(Module):
    __constants__ = ["padding", "value"]
    value: float

    def __init__(self, padding, value):
        super().__init__()
        self.value = value
        self.padding = self._sides(padding)

    def forward(self, input):
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self):
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPadNd):
    """Puts `value` around a signal."""

    _sides = staticmethod(_pair)


class ConstantPad2d(_ConstantPadNd):
    """Puts `value` around an image."""

    _sides = staticmethod(_quadruple)


class ConstantPad3d(_ConstantPadNd):
    """Puts `value` around a volume."""

    _sides = staticmethod(_sextuple)


class _ReflectionPadNd(_PadNd):
    def forward(self, input):
        return F.pad(input, self.padding, "reflect")


class ReflectionPad1d(_ReflectionPadNd):
    """Mirrors a signal at its ends."""

    _sides = staticmethod(_pair)


class ReflectionPad2d(_ReflectionPadNd):
    """Mirrors an image at its edges."""

    _sides = staticmethod(_quadruple)


class ReflectionPad3d(_ReflectionPadNd):
    """Mirrors a volume at its faces."""

    _sides = staticmethod(_sextuple)


class _ReplicationPadNd(_PadNd):
    def forward(self, input):
        return F.pad(input, self.padding, "replicate")


class ReplicationPad1d(_ReplicationPadNd):
    """Repeats the ends of a signal."""

    _sides = staticmethod(_pair)


class ReplicationPad2d(_ReplicationPadNd):
    """Repeats the edges of an image."""

    _sides = staticmethod(_quadruple)


class ReplicationPad3d(_ReplicationPadNd):
    """Repeats the faces of a volume."""

    _sides = staticmethod(_sextuple)


@lends("__init__")
class _ZeroPad:
    """Constant padding with zero, which repr does not mention."""

    def __init__(self, padding):
        super().__init__(padding, 0.0)

    def extra_repr(self):
        return f"{self.padding}"


class ZeroPad1d(_ZeroPad, ConstantPad1d):
    """Puts zeros around a signal."""


class ZeroPad2d(_ZeroPad, ConstantPad2d):
    """Puts zeros around an image."""


class ZeroPad3d(_ZeroPad, ConstantPad3d):
    """Puts zeros around a volume."""
