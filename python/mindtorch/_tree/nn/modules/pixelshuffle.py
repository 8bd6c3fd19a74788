"""Moves values between channels and pixels."""

from ..._root import torch
from .. import functional as F
from .module import Module

__all__ = ["PixelShuffle", "PixelUnshuffle"]


class PixelShuffle(Module):
    """Moves channels into pixels: ``(C * r^2, H, W)`` becomes ``(C, H * r, W * r)``.

    Each group of ``r^2`` channels fills an ``r`` by ``r`` block, row by row; the last step of a
    sub-pixel convolution (Shi et al. 2016, eq. 4).

    Args:
        upscale_factor (int): the factor `r`.

    Shape:
        - input: ``(*, C * r^2, H, W)``.
        - output: ``(*, C, H * r, W * r)``.

    Example:
        >>> nn.PixelShuffle(2)(torch.arange(4.0).view(4, 1, 1))
        tensor([[[0., 1.],
                 [2., 3.]]])
    """

    __constants__ = ["upscale_factor"]
    upscale_factor: int

    def __init__(self, upscale_factor: int) -> None:
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        return F.pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self):
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """Moves pixels into channels: ``(C, H * r, W * r)`` becomes ``(C * r^2, H, W)``; undoes PixelShuffle.

    Args:
        downscale_factor (int): the factor `r`.

    Shape:
        - input: ``(*, C, H * r, W * r)``.
        - output: ``(*, C * r^2, H, W)``.

    Example:
        >>> nn.PixelUnshuffle(2)(torch.arange(4.0).view(1, 2, 2)).flatten()
        tensor([0., 1., 2., 3.])
        >>> nn.PixelUnshuffle(2)(torch.randn(3, 2, 6, 8)).shape
        torch.Size([3, 8, 3, 4])
    """

    __constants__ = ["downscale_factor"]
    downscale_factor: int

    def __init__(self, downscale_factor: int) -> None:
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        return F.pixel_unshuffle(input, self.downscale_factor)

    def extra_repr(self):
        return f"downscale_factor={self.downscale_factor}"
