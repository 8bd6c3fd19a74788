"""Patches of images as columns, and back."""

from ..._root import torch
from .. import functional as F
from .module import Module

__all__ = ["Fold", "Unfold"]


class Fold(Module):
    """Sums columns of patches back into images: the transpose of Unfold.

    Where patches overlap, their values add up; it is no inverse. Dividing by
    ``fold(unfold(ones))`` makes it one.

    Args:
        output_size (int or tuple of two ints): height and width of the images.
        kernel_size (int or tuple of two ints): size of the patches.
        dilation (int or tuple of two ints): distance between elements of a patch. Default: ``1``.
        padding (int or tuple of two ints): zeros that were around the image. Default: ``0``.
        stride (int or tuple of two ints): step between patches. Default: ``1``.

    Shape:
        - input: ``(N, C * prod(kernel_size), L)`` or without `N`; `L` is the number of patches.
        - output: ``(N, C, *output_size)`` or without `N`.

    Example:
        >>> columns = nn.Unfold(2)(torch.ones(1, 1, 3, 3))
        >>> nn.Fold((3, 3), 2)(columns)  # in how many patches each pixel is
        tensor([[[[1., 2., 1.],
                  [2., 4., 2.],
                  [1., 2., 1.]]]])
    """

    __constants__ = ["output_size", "kernel_size", "dilation", "padding", "stride"]

    def __init__(
        self,
        output_size: int | tuple[int, ...],
        kernel_size: int | tuple[int, ...],
        dilation: int | tuple[int, ...] = 1,
        padding: int | tuple[int, ...] = 0,
        stride: int | tuple[int, ...] = 1,
    ) -> None:
        super().__init__()
        self.output_size = output_size
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        return F.fold(input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self):
        return (
            f"output_size={self.output_size}, kernel_size={self.kernel_size}, "
            f"dilation={self.dilation}, padding={self.padding}, stride={self.stride}"
        )


class Unfold(Module):
    """Takes sliding patches of images and lays each out as a column.

    Args:
        kernel_size (int or tuple of two ints): size of the patches.
        dilation (int or tuple of two ints): distance between elements of a patch. Default: ``1``.
        padding (int or tuple of two ints): zeros added on all sides. Default: ``0``.
        stride (int or tuple of two ints): step between patches. Default: ``1``.

    Shape:
        - input: ``(N, C, H, W)`` or without `N`.
        - output: ``(N, C * prod(kernel_size), L)`` or without `N`, where `L` is the product of
          ``floor((size + 2 * padding - dilation * (kernel_size - 1) - 1) / stride) + 1`` over the
          spatial dimensions.

    Example:
        >>> nn.Unfold(2)(torch.arange(9.0).view(1, 1, 3, 3))
        tensor([[[0., 1., 3., 4.],
                 [1., 2., 4., 5.],
                 [3., 4., 6., 7.],
                 [4., 5., 7., 8.]]])
    """

    __constants__ = ["kernel_size", "dilation", "padding", "stride"]

    def __init__(
        self,
        kernel_size: int | tuple[int, ...],
        dilation: int | tuple[int, ...] = 1,
        padding: int | tuple[int, ...] = 0,
        stride: int | tuple[int, ...] = 1,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        return F.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self):
        return f"kernel_size={self.kernel_size}, dilation={self.dilation}, padding={self.padding}, stride={self.stride}"
