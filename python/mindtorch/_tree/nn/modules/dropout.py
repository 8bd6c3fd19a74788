"""Dropout layers."""

from ..._root import torch
from .. import functional as F
from .module import Module

__all__ = ["Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout", "FeatureAlphaDropout"]


class _DropoutNd(Module):
    """Base class with the dropout probability, and whether the result overwrites the input."""

    __constants__ = ["p", "inplace"]
    p: float
    inplace: bool

    def __init__(self, p: float = 0.5, inplace: bool = False) -> None:
        if p < 0 or p > 1:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
        super().__init__()
        self.p, self.inplace = p, inplace

    def extra_repr(self):
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_DropoutNd):
    """Zeroes elements at random in training and scales the others by ``1 / (1 - p)``.

    Each element is dropped with probability `p`, independently, anew at each call (Hinton et al.
    2012). The scaling keeps the expected value; evaluation mode returns the input itself.

    Args:
        p (float): probability, from 0 to 1. Default: ``0.5``.
        inplace (bool): whether the result overwrites the input. Default: ``False``.

    Shape:
        - input: any; the output has the same shape.

    Raises:
        ValueError: when `p` is not between 0 and 1.

    Example:
        >>> layer = nn.Dropout(0.2)
        >>> torch.manual_seed(0)
        <torch._C.Generator object at ...>
        >>> sorted(set(layer(torch.ones(100)).tolist()))
        [0.0, 1.25]
        >>> layer.eval()(torch.ones(3))
        tensor([1., 1., 1.])
    """

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        return F.dropout(input, self.p, self.training, self.inplace)


class Dropout1d(_DropoutNd):
    """Zeroes whole channels of signals at random in training and scales the others by ``1 / (1 - p)``.

    Neighbouring elements of a channel are often similar, so that dropping single ones would change
    little (Tompson et al. 2014, section 3.2). Evaluation mode returns the input.

    Args:
        p (float): probability, from 0 to 1. Default: ``0.5``.
        inplace (bool): whether the result overwrites the input. Default: ``False``.

    Shape:
        - input: ``(N, C, L)`` or ``(C, L)``; the output has the same shape.

    Raises:
        ValueError: when `p` is not between 0 and 1.

    Example:
        >>> y = nn.Dropout1d(0.5)(torch.ones(8, 4, 6))
        >>> bool((y == y[:, :, :1]).all())  # channels are dropped as a whole
        True
    """

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        return F.dropout1d(input, self.p, self.training, self.inplace)


class Dropout2d(_DropoutNd):
    """Zeroes whole channels of images at random in training and scales the others by ``1 / (1 - p)``.

    Neighbouring pixels of a channel are often similar, so that dropping single ones would change
    little (Tompson et al. 2014, section 3.2). Evaluation mode returns the input. An input of three
    dimensions is read as ``(N, C, L)`` and warns.

    Args:
        p (float): probability, from 0 to 1. Default: ``0.5``.
        inplace (bool): whether the result overwrites the input. Default: ``False``.

    Shape:
        - input: ``(N, C, H, W)``; the output has the same shape.

    Raises:
        ValueError: when `p` is not between 0 and 1.

    Example:
        >>> y = nn.Dropout2d(0.5)(torch.ones(8, 4, 6, 6))
        >>> bool((y == y[:, :, :1, :1]).all())  # channels are dropped as a whole
        True
    """

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        return F.dropout2d(input, self.p, self.training, self.inplace)


class Dropout3d(_DropoutNd):
    """Zeroes whole channels of volumes at random in training and scales the others by ``1 / (1 - p)``.

    Neighbouring voxels of a channel are often similar, so that dropping single ones would change
    little (Tompson et al. 2014, section 3.2). Evaluation mode returns the input.

    Args:
        p (float): probability, from 0 to 1. Default: ``0.5``.
        inplace (bool): whether the result overwrites the input. Default: ``False``.

    Shape:
        - input: ``(N, C, D, H, W)`` or ``(C, D, H, W)``; the output has the same shape.

    Raises:
        ValueError: when `p` is not between 0 and 1.

    Example:
        >>> y = nn.Dropout3d(0.5)(torch.ones(8, 4, 3, 3, 3))
        >>> bool((y == y[:, :, :1, :1, :1]).all())  # channels are dropped as a whole
        True
    """

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        return F.dropout3d(input, self.p, self.training, self.inplace)


class AlphaDropout(_DropoutNd):
    """Drops elements in training such that mean 0 and variance 1 are kept, for SELU networks.

    A dropped element becomes the limit of SELU at minus infinity, and an affine map restores mean
    and variance (Klambauer et al. 2017, section "New Dropout Technique").

    Args:
        p (float): probability, from 0 to 1. Default: ``0.5``.
        inplace (bool): has no effect here. Default: ``False``.

    Shape:
        - input: any; the output has the same shape.

    Raises:
        ValueError: when `p` is not between 0 and 1.

    Example:
        >>> torch.manual_seed(0)
        <torch._C.Generator object at ...>
        >>> y = nn.AlphaDropout(0.3)(torch.randn(100000))
        >>> round(abs(y.mean().item()), 1), round(y.std().item(), 1)
        (0.0, 1.0)
    """

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        return F.alpha_dropout(input, self.p, self.training)


class FeatureAlphaDropout(_DropoutNd):
    """Drops whole channels in training as AlphaDropout drops elements.

    A channel that is dropped takes one value; an affine map restores mean 0 and variance 1
    (Klambauer et al. 2017).

    Args:
        p (float): probability, from 0 to 1. Default: ``0.5``.
        inplace (bool): has no effect here. Default: ``False``.

    Shape:
        - input: ``(N, C, *)``; the output has the same shape.

    Raises:
        ValueError: when `p` is not between 0 and 1.

    Example:
        >>> y = nn.FeatureAlphaDropout(0.5)(torch.ones(8, 4, 6))
        >>> bool((y == y[:, :, :1]).all())  # channels are dropped as a whole
        True
    """

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        return F.feature_alpha_dropout(input, self.p, self.training)
