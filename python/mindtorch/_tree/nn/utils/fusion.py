"""Folds batch normalisation into the layer before it, for inference."""

from __future__ import annotations

import copy

from ..._root import torch
from ..parameter import Parameter

__all__ = ["fuse_conv_bn_eval", "fuse_conv_bn_weights", "fuse_linear_bn_eval", "fuse_linear_bn_weights"]


def _check_fusable(layer, bn):
    if layer.training or bn.training:
        raise AssertionError("Fusion only for eval!")


def _check_statistics(bn):
    if bn.running_mean is None or bn.running_var is None:
        raise AssertionError("bn.running_mean and bn.running_var must not be None")


def fuse_conv_bn_eval(conv: torch.nn.Module, bn: torch.nn.Module, transpose: bool = False) -> torch.nn.Module:
    """Folds a batch normalisation into the convolution before it, for inference.

    Args:
        conv (Module): a convolution, in evaluation mode.
        bn (Module): the batch normalisation after it, in evaluation mode.
        transpose (bool): whether `conv` is a transposed convolution. Default: ``False``.

    Returns:
        Module: a copy of `conv` that does what both do.

    Raises:
        AssertionError: when one is in training mode or has no running statistics.

    Example:
        >>> conv, bn = nn.Conv2d(3, 4, 3).eval(), nn.BatchNorm2d(4).eval()
        >>> x = torch.randn(1, 3, 5, 5)
        >>> torch.allclose(nn.utils.fuse_conv_bn_eval(conv, bn)(x), bn(conv(x)), atol=1e-5)
        True
    """
    _check_fusable(conv, bn)
    fused = copy.deepcopy(conv)
    _check_statistics(bn)
    fused.weight, fused.bias = fuse_conv_bn_weights(
        fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias, transpose
    )
    return fused


def fuse_conv_bn_weights(
    conv_w: torch.Tensor,
    conv_b: torch.Tensor | None,
    bn_rm: torch.Tensor,
    bn_rv: torch.Tensor,
    bn_eps: float,
    bn_w: torch.Tensor | None,
    bn_b: torch.Tensor | None,
    transpose: bool = False,
) -> tuple[Parameter, Parameter]:
    """Returns weight and bias of the convolution that `fuse_conv_bn_eval` makes.

    Args:
        conv_w (Tensor): the convolution's weight.
        conv_b (Tensor or None): its bias.
        bn_rm, bn_rv (Tensor): running mean and variance.
        bn_eps (float): added to the variance.
        bn_w, bn_b (Tensor or None): scale and shift.
        transpose (bool): whether the convolution is a transposed one. Default: ``False``.

    Returns:
        tuple of two Parameters: weight and bias.

    Example:
        >>> zero, one = torch.zeros(1), torch.ones(1)
        >>> w, b = nn.utils.fuse_conv_bn_weights(
        ...     torch.ones(1, 1, 1), None, zero, one, 0.0, 2 * one, None)
        >>> w.item(), b.item()
        (2.0, 0.0)
    """
    weight_dtype = conv_w.dtype
    bias_dtype = weight_dtype if conv_b is None else conv_b.dtype
    conv_b = torch.zeros_like(bn_rm) if conv_b is None else conv_b
    bn_w = torch.ones_like(bn_rm) if bn_w is None else bn_w
    bn_b = torch.zeros_like(bn_rm) if bn_b is None else bn_b
    inverse_std = torch.rsqrt(bn_rv + bn_eps)
    channels = [1, -1] if transpose else [-1, 1]  # dimension of the output channels
    scale = (bn_w * inverse_std).reshape(channels + [1] * (conv_w.dim() - 2))
    weight = (conv_w * scale).to(dtype=weight_dtype)
    bias = ((conv_b - bn_rm) * inverse_std * bn_w + bn_b).to(dtype=bias_dtype)
    return Parameter(weight, conv_w.requires_grad), Parameter(bias, conv_b.requires_grad)


def fuse_linear_bn_eval(linear: torch.nn.Module, bn: torch.nn.Module) -> torch.nn.Module:
    """Folds a batch normalisation into the linear layer before it, for inference.

    Args:
        linear (Module): a linear layer, in evaluation mode.
        bn (Module): the batch normalisation after it, in evaluation mode.

    Returns:
        Module: a copy of `linear` that does what both do.

    Raises:
        AssertionError: when one is in training mode, has no running statistics, or sizes differ.

    Example:
        >>> linear, bn = nn.Linear(3, 4).eval(), nn.BatchNorm1d(4).eval()
        >>> x = torch.randn(2, 3)
        >>> torch.allclose(nn.utils.fuse_linear_bn_eval(linear, bn)(x), bn(linear(x)), atol=1e-5)
        True
    """
    _check_fusable(linear, bn)
    fused = copy.deepcopy(linear)
    # Normalisation uses dimension 1, the layer the last one: both must be the features.
    if linear.out_features != bn.num_features and bn.num_features != 1:
        raise AssertionError(
            "To fuse, linear.out_features == bn.num_features or bn.num_features == 1, "
            f"got linear.out_features={linear.out_features} and bn.num_features={bn.num_features}"
        )
    _check_statistics(bn)
    fused.weight, fused.bias = fuse_linear_bn_weights(
        fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias
    )
    return fused


def fuse_linear_bn_weights(
    linear_w: torch.Tensor,
    linear_b: torch.Tensor | None,
    bn_rm: torch.Tensor,
    bn_rv: torch.Tensor,
    bn_eps: float,
    bn_w: torch.Tensor,
    bn_b: torch.Tensor,
) -> tuple[Parameter, Parameter]:
    """Returns weight and bias of the linear layer that `fuse_linear_bn_eval` makes.

    Args:
        linear_w (Tensor): the layer's weight.
        linear_b (Tensor or None): its bias.
        bn_rm, bn_rv (Tensor): running mean and variance.
        bn_eps (float): added to the variance.
        bn_w, bn_b (Tensor): scale and shift.

    Returns:
        tuple of two Parameters: weight and bias.

    Example:
        >>> one = torch.ones(1)
        >>> w, b = nn.utils.fuse_linear_bn_weights(torch.ones(1, 1), None, one, one, 0.0, 2 * one, one)
        >>> w.item(), b.item()
        (2.0, -1.0)
    """
    weight_dtype = linear_w.dtype
    bias_dtype = weight_dtype if linear_b is None else linear_b.dtype
    linear_b = torch.zeros_like(bn_rm) if linear_b is None else linear_b
    scale = bn_w * torch.rsqrt(bn_rv + bn_eps)
    weight = linear_w * scale.unsqueeze(-1).to(dtype=weight_dtype)
    bias = ((linear_b - bn_rm) * scale + bn_b).to(dtype=bias_dtype)
    return Parameter(weight, linear_w.requires_grad), Parameter(bias, linear_b.requires_grad)
