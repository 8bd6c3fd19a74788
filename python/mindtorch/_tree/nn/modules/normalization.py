"""Layer, group, RMS and local response normalisation."""

import numbers

from ..._root import torch
from .. import functional as F
from .. import init
from ._functions import CrossMapLRN2d as _cross_map_lrn2d
from ._optional import register_optional_parameter
from .module import Module

__all__ = ["LocalResponseNorm", "CrossMapLRN2d", "LayerNorm", "GroupNorm", "RMSNorm"]


class LocalResponseNorm(Module):
    """Divides each value by a power of the mean square of its neighbours across channels.

    ``b_c = a_c / (k + alpha / size * sum a_j^2) ^ beta``, the sum over `size` channels around `c`,
    zeros beyond the first and last (Krizhevsky et al. 2012, section 3.3, with `alpha` divided by
    `size`).

    Args:
        size (int): number of channels in the sum.
        alpha (float): factor of the mean square. Default: ``1e-4``.
        beta (float): the exponent. Default: ``0.75``.
        k (float): added to the mean square. Default: ``1.0``.

    Shape:
        - input: ``(N, C, *)`` of at least three dimensions.
        - output: as the input.

    Raises:
        ValueError: for fewer than three dimensions.

    Example:
        >>> layer = nn.LocalResponseNorm(1, alpha=1.0, beta=1.0, k=0.0)
        >>> layer(torch.tensor([[[2.0], [4.0]]]))  # x / x^2
        tensor([[[0.5000],
                 [0.2500]]])
    """

    __constants__ = ["size", "alpha", "beta", "k"]

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1.0) -> None:
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self):
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"


class CrossMapLRN2d(Module):
    """Is LocalResponseNorm for images in the form of older models, with a backward of its own.

    Values near the first channel differ from `LocalResponseNorm`: the sum over channels keeps
    channel 0. Use `LocalResponseNorm` in new models.

    Args:
        size (int): number of channels in the sum.
        alpha (float): factor of the mean square. Default: ``1e-4``.
        beta (float): the exponent. Default: ``0.75``.
        k (float): added to the mean square. Default: ``1``.

    Shape:
        - input: ``(N, C, H, W)``.
        - output: as the input.

    Raises:
        ValueError: when the input has not four dimensions.

    Example:
        >>> nn.CrossMapLRN2d(3)(torch.randn(2, 5, 4, 4)).shape
        torch.Size([2, 5, 4, 4])
    """

    def __init__(self, size: int, alpha: float = 1e-4, beta: float = 0.75, k: float = 1) -> None:
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        return _cross_map_lrn2d.apply(input, self.size, self.alpha, self.beta, self.k)

    def extra_repr(self):
        return f"{self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"


class _Affine(Module):
    """Scale one and shift zero, each optional."""

    def reset_parameters(self) -> None:
        """Sets the scale to one and the shift to zero."""
        if self.weight is not None:
            init.ones_(self.weight)
        if getattr(self, "bias", None) is not None:
            init.zeros_(self.bias)


def _as_shape(normalized_shape):
    return (normalized_shape,) if isinstance(normalized_shape, numbers.Integral) else tuple(normalized_shape)


class LayerNorm(_Affine):
    """Normalises over the last dimensions of each sample: ``y = (x - mean) / sqrt(var + eps) * weight + bias``.

    Mean and biased variance are computed over the dimensions of `normalized_shape`, for each
    leading index separately, in both training and evaluation (Ba et al. 2016, "Layer
    Normalization", eq. 4).

    Args:
        normalized_shape (int, list or torch.Size): sizes of the last dimensions; an int is one.
        eps (float): added to the variance. Default: ``1e-5``.
        elementwise_affine (bool): whether a scale and a shift per element are learned. Default:
            ``True``.
        bias (bool): whether the shift is there where `elementwise_affine` is. Default: ``True``.
        device (torch.device, str or int, optional): where the parameters are made. Default: the
            current default device.
        dtype (torch.dtype, optional): dtype of the parameters, floating point or complex. Default:
            ``torch.get_default_dtype()``.

    Shape:
        - input: ``(*, *normalized_shape)``.
        - output: as the input.

    Attributes:
        weight (Parameter or None): `normalized_shape`, ones.
        bias (Parameter or None): `normalized_shape`, zeros.

    Example:
        >>> nn.LayerNorm(2)(torch.tensor([[1.0, 3.0], [10.0, 30.0]]))
        tensor([[-1.0000,  1.0000],
                [-1.0000,  1.0000]], grad_fn=<NativeLayerNormBackward0>)
        >>> nn.LayerNorm([4, 6])(torch.randn(3, 4, 6)).shape
        torch.Size([3, 4, 6])
    """

    __constants__ = ["normalized_shape", "eps", "elementwise_affine"]
    normalized_shape: tuple[int, ...]
    eps: float
    elementwise_affine: bool

    def __init__(
        self,
        normalized_shape: int | list[int] | torch.Size,
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device=None,
        dtype=None,
    ) -> None:
        super().__init__()
        self.normalized_shape = _as_shape(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        factory = {"device": device, "dtype": dtype}
        register_optional_parameter(self, "weight", self.normalized_shape, is_wanted=elementwise_affine, **factory)
        register_optional_parameter(
            self, "bias", self.normalized_shape, is_wanted=elementwise_affine and bias, **factory
        )
        self.reset_parameters()

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self):
        return (
            f"{self.normalized_shape}, eps={self.eps}, "
            f"elementwise_affine={self.elementwise_affine}, bias={self.bias is not None}"
        )


class GroupNorm(_Affine):
    """Normalises groups of channels of each sample (Wu and He 2018, "Group Normalization", eq. 1).

    ``y = (x - mean) / sqrt(var + eps) * weight + bias``, with mean and biased variance over the
    ``num_channels / num_groups`` channels of a group and all that follows them. One group for all
    channels is a layer normalisation, one per channel an instance normalisation.

    Args:
        num_groups (int): number of groups.
        num_channels (int): number of channels `C`, a multiple of `num_groups`.
        eps (float): added to the variance. Default: ``1e-5``.
        affine (bool): whether a scale and a shift per channel are learned. Default: ``True``.
        device (torch.device, str or int, optional): where the parameters are made. Default: the
            current default device.
        dtype (torch.dtype, optional): dtype of the parameters, floating point or complex. Default:
            ``torch.get_default_dtype()``.
        bias (bool): whether the shift is there where `affine` is. Default: ``True``.

    Shape:
        - input: ``(N, C, *)``.
        - output: as the input.

    Attributes:
        weight (Parameter or None): ``(num_channels,)``, ones.
        bias (Parameter or None): ``(num_channels,)``, zeros.

    Raises:
        ValueError: when `num_channels` is no multiple of `num_groups`.

    Example:
        >>> nn.GroupNorm(2, 8)(torch.randn(3, 8, 5)).shape
        torch.Size([3, 8, 5])
    """

    __constants__ = ["num_groups", "num_channels", "eps", "affine"]
    num_groups: int
    num_channels: int
    eps: float
    affine: bool

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device=None,
        dtype=None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        if num_channels % num_groups != 0:
            raise ValueError(f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})")
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        register_optional_parameter(self, "weight", num_channels, is_wanted=affine, device=device, dtype=dtype)
        register_optional_parameter(self, "bias", num_channels, is_wanted=affine and bias, device=device, dtype=dtype)
        self.reset_parameters()

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self):
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, "
            f"affine={self.affine}, bias={self.bias is not None}"
        )


class RMSNorm(_Affine):
    """Divides by the root mean square over the last dimensions: ``y = x / sqrt(mean(x^2) + eps) * weight``.

    No mean is subtracted and there is no shift (Zhang and Sennrich 2019, eq. 4).

    Args:
        normalized_shape (int, list or torch.Size): sizes of the last dimensions; an int is one.
        eps (float, optional): added to the mean square. Default: ``None``, the machine epsilon of
            the dtype.
        elementwise_affine (bool): whether a scale per element is learned. Default: ``True``.
        device (torch.device, str or int, optional): where the parameters are made. Default: the
            current default device.
        dtype (torch.dtype, optional): dtype of the parameters, floating point or complex. Default:
            ``torch.get_default_dtype()``.

    Shape:
        - input: ``(*, *normalized_shape)``.
        - output: as the input.

    Attributes:
        weight (Parameter or None): `normalized_shape`, ones.

    Example:
        >>> nn.RMSNorm(2, elementwise_affine=False)(torch.tensor([[1.0, 7.0]]))  # root mean square 5
        tensor([[0.2000, 1.4000]])
    """

    __constants__ = ["normalized_shape", "eps", "elementwise_affine"]
    normalized_shape: tuple[int, ...]
    elementwise_affine: bool

    def __init__(
        self,
        normalized_shape: int | list[int] | torch.Size,
        eps: float | None = None,
        elementwise_affine: bool = True,
        device=None,
        dtype=None,
    ) -> None:
        super().__init__()
        self.normalized_shape = _as_shape(normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        shape = self.normalized_shape
        register_optional_parameter(self, "weight", shape, is_wanted=elementwise_affine, device=device, dtype=dtype)
        self.reset_parameters()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `x`; the class documents shapes and formula."""
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self):
        return f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"
