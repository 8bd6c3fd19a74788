"""Upsampling layers."""

from ..._root import torch
from .. import functional as F
from .module import Module

__all__ = ["Upsample", "UpsamplingNearest2d", "UpsamplingBilinear2d"]


class Upsample(Module):
    """Resamples the spatial dimensions to a size, or by a factor; give one of the two.

    Args:
        size (int or tuple of ints, optional): the output's spatial size. Default: ``None``.
        scale_factor (float or tuple of floats, optional): output size over input size. Default:
            ``None``.
        mode (str): ``"nearest"``, ``"linear"`` (signals), ``"bilinear"`` or ``"bicubic"`` (images),
            ``"trilinear"`` (volumes), or another of `F.interpolate`. Default: ``"nearest"``.
        align_corners (bool, optional): whether the centres of the corner elements of input and
            output coincide; else the corners of the whole do. For the linear and cubic modes.
            Default: ``None``, as ``False``.
        recompute_scale_factor (bool, optional): whether the factor is computed anew from the
            rounded output size. Default: ``None``.

    Shape:
        - input: ``(N, C, L)``, ``(N, C, H, W)`` or ``(N, C, D, H, W)``.
        - output: the same dimensions, each spatial one `size` or ``floor(size * scale_factor)``.

    Example:
        >>> nn.Upsample(scale_factor=2)(torch.tensor([[[1.0, 2.0]]]))
        tensor([[[1., 1., 2., 2.]]])
        >>> nn.Upsample(size=3, mode="linear", align_corners=True)(torch.tensor([[[1.0, 2.0]]]))
        tensor([[[1.0000, 1.5000, 2.0000]]])
    """

    __constants__ = ["size", "scale_factor", "mode", "align_corners", "name", "recompute_scale_factor"]
    name: str
    mode: str

    def __init__(
        self, size: int | tuple[int, ...] | None = None, scale_factor: float | tuple[float, ...] | None = None,
        mode: str = "nearest", align_corners: bool | None = None, recompute_scale_factor: bool | None = None,
    ) -> None:  # fmt: skip
        super().__init__()
        if isinstance(scale_factor, tuple):
            scale_factor = tuple(map(float, scale_factor))
        else:
            scale_factor = float(scale_factor) if scale_factor else None
        self.name, self.size, self.scale_factor, self.mode = type(self).__name__, size, scale_factor, mode
        self.align_corners, self.recompute_scale_factor = align_corners, recompute_scale_factor

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        return F.interpolate(
            input,
            self.size,
            self.scale_factor,
            self.mode,
            self.align_corners,
            recompute_scale_factor=self.recompute_scale_factor,
        )

    def __setstate__(self, state):
        state.setdefault("recompute_scale_factor", True)  # compatibility with older versions
        super().__setstate__(state)

    def extra_repr(self):
        if self.scale_factor is not None:
            target = f"scale_factor={self.scale_factor!r}"
        else:
            target = f"size={self.size!r}"
        return f"{target}, mode={self.mode!r}"


class UpsamplingNearest2d(Upsample):
    """Resamples images by nearest neighbours: Upsample in its nearest mode. Prefer `F.interpolate`.

    Args:
        size (int or tuple of ints, optional): the output's spatial size. Default: ``None``.
        scale_factor (float or tuple of floats, optional): output size over input size. Default:
            ``None``.

    Shape:
        - input: ``(N, C, H, W)``.
        - output: ``(N, C, H_out, W_out)``.

    Example:
        >>> nn.UpsamplingNearest2d(scale_factor=2)(torch.tensor([[[[1.0, 2.0]]]]))
        tensor([[[[1., 1., 2., 2.],
                  [1., 1., 2., 2.]]]])
    """

    def __init__(
        self, size: int | tuple[int, int] | None = None, scale_factor: float | tuple[float, float] | None = None
    ) -> None:
        super().__init__(size, scale_factor, mode="nearest")


class UpsamplingBilinear2d(Upsample):
    """Resamples images bilinearly with aligned corners: Upsample in that mode. Prefer `F.interpolate`.

    Args:
        size (int or tuple of ints, optional): the output's spatial size. Default: ``None``.
        scale_factor (float or tuple of floats, optional): output size over input size. Default:
            ``None``.

    Shape:
        - input: ``(N, C, H, W)``.
        - output: ``(N, C, H_out, W_out)``.

    Example:
        >>> nn.UpsamplingBilinear2d(size=(1, 3))(torch.tensor([[[[1.0, 2.0]]]]))
        tensor([[[[1.0000, 1.5000, 2.0000]]]])
    """

    def __init__(
        self, size: int | tuple[int, int] | None = None, scale_factor: float | tuple[float, float] | None = None
    ) -> None:
        super().__init__(size, scale_factor, mode="bilinear", align_corners=True)
