"""Gradients of convolutions as functions of their own."""

from __future__ import annotations

from .._root import torch
from .modules.utils import _pair, _single, _triple


def _compute_one_gradient(ntuple, grad_output, input, weight, stride, padding, dilation, groups, wanted):
    mask = tuple(i == wanted for i in range(3))
    return torch.ops.aten.convolution_backward(
        grad_output,
        input,
        weight,
        None,
        ntuple(stride),
        ntuple(padding),
        ntuple(dilation),
        False,
        [0],
        groups,
        mask,
    )[wanted]


def _make_shape_only_tensor(like, size):
    """Represents a tensor of which only the shape matters."""
    return like.new_empty(1).expand(size)


def conv1d_input(input_size, weight, grad_output, stride=1, padding=0, dilation=1, groups=1):
    """Computes the gradient of the input of `conv1d` from that of its output.

    Args:
        input_size (sequence of int): shape of the input, ``(N, C, L)``.
        weight (Tensor): the weight.
        grad_output (Tensor): the gradient of the output.
        stride (int or tuple): of the convolution. Default: ``1``.
        padding (int or tuple): of the convolution. Default: ``0``.
        dilation (int or tuple): of the convolution. Default: ``1``.
        groups (int): of the convolution. Default: ``1``.

    Returns:
        Tensor: of shape `input_size`.

    Example:
        >>> weight = torch.ones(1, 1, 2)
        >>> nn.grad.conv1d_input((1, 1, 3), weight, torch.ones(1, 1, 2)).sum()  # 2 * 2
        tensor(4.)
    """
    input = _make_shape_only_tensor(grad_output, input_size)
    return _compute_one_gradient(_single, grad_output, input, weight, stride, padding, dilation, groups, 0)


def conv1d_weight(input, weight_size, grad_output, stride=1, padding=0, dilation=1, groups=1):
    """Computes the gradient of the weight of `conv1d` from that of its output.

    Args:
        input (Tensor): the input.
        weight_size (sequence of int): shape of the weight.
        grad_output (Tensor): the gradient of the output.
        stride (int or tuple): of the convolution. Default: ``1``.
        padding (int or tuple): of the convolution. Default: ``0``.
        dilation (int or tuple): of the convolution. Default: ``1``.
        groups (int): of the convolution. Default: ``1``.

    Returns:
        Tensor: of shape `weight_size`.

    Example:
        >>> x = torch.ones(1, 1, 3)
        >>> nn.grad.conv1d_weight(x, (1, 1, 2), torch.ones(1, 1, 2)).flatten()[0]
        tensor(2.)
    """
    weight = _make_shape_only_tensor(grad_output, weight_size)
    return _compute_one_gradient(_single, grad_output, input, weight, stride, padding, dilation, groups, 1)


def conv2d_input(input_size, weight, grad_output, stride=1, padding=0, dilation=1, groups=1):
    """Computes the gradient of the input of `conv2d` from that of its output.

    Args:
        input_size (sequence of int): shape of the input, ``(N, C, H, W)``.
        weight (Tensor): the weight.
        grad_output (Tensor): the gradient of the output.
        stride (int or tuple): of the convolution. Default: ``1``.
        padding (int or tuple): of the convolution. Default: ``0``.
        dilation (int or tuple): of the convolution. Default: ``1``.
        groups (int): of the convolution. Default: ``1``.

    Returns:
        Tensor: of shape `input_size`.

    Example:
        >>> weight = torch.ones(1, 1, 2, 2)
        >>> nn.grad.conv2d_input((1, 1, 3, 3), weight, torch.ones(1, 1, 2, 2)).sum()  # 4 * 4
        tensor(16.)
    """
    input = _make_shape_only_tensor(grad_output, input_size)
    return _compute_one_gradient(_pair, grad_output, input, weight, stride, padding, dilation, groups, 0)


def conv2d_weight(input, weight_size, grad_output, stride=1, padding=0, dilation=1, groups=1):
    """Computes the gradient of the weight of `conv2d` from that of its output.

    Args:
        input (Tensor): the input.
        weight_size (sequence of int): shape of the weight.
        grad_output (Tensor): the gradient of the output.
        stride (int or tuple): of the convolution. Default: ``1``.
        padding (int or tuple): of the convolution. Default: ``0``.
        dilation (int or tuple): of the convolution. Default: ``1``.
        groups (int): of the convolution. Default: ``1``.

    Returns:
        Tensor: of shape `weight_size`.

    Example:
        >>> x = torch.ones(1, 1, 3, 3)
        >>> nn.grad.conv2d_weight(x, (1, 1, 2, 2), torch.ones(1, 1, 2, 2)).flatten()[0]
        tensor(4.)
    """
    weight = _make_shape_only_tensor(grad_output, weight_size)
    return _compute_one_gradient(_pair, grad_output, input, weight, stride, padding, dilation, groups, 1)


def conv3d_input(input_size, weight, grad_output, stride=1, padding=0, dilation=1, groups=1):
    """Computes the gradient of the input of `conv3d` from that of its output.

    Args:
        input_size (sequence of int): shape of the input, ``(N, C, D, H, W)``.
        weight (Tensor): the weight.
        grad_output (Tensor): the gradient of the output.
        stride (int or tuple): of the convolution. Default: ``1``.
        padding (int or tuple): of the convolution. Default: ``0``.
        dilation (int or tuple): of the convolution. Default: ``1``.
        groups (int): of the convolution. Default: ``1``.

    Returns:
        Tensor: of shape `input_size`.

    Example:
        >>> weight = torch.ones(1, 1, 2, 2, 2)
        >>> nn.grad.conv3d_input((1, 1, 3, 3, 3), weight, torch.ones(1, 1, 2, 2, 2)).sum()  # 8 * 8
        tensor(64.)
    """
    input = _make_shape_only_tensor(grad_output, input_size)
    return _compute_one_gradient(_triple, grad_output, input, weight, stride, padding, dilation, groups, 0)


def conv3d_weight(input, weight_size, grad_output, stride=1, padding=0, dilation=1, groups=1):
    """Computes the gradient of the weight of `conv3d` from that of its output.

    Args:
        input (Tensor): the input.
        weight_size (sequence of int): shape of the weight.
        grad_output (Tensor): the gradient of the output.
        stride (int or tuple): of the convolution. Default: ``1``.
        padding (int or tuple): of the convolution. Default: ``0``.
        dilation (int or tuple): of the convolution. Default: ``1``.
        groups (int): of the convolution. Default: ``1``.

    Returns:
        Tensor: of shape `weight_size`.

    Example:
        >>> x = torch.ones(1, 1, 3, 3, 3)
        >>> nn.grad.conv3d_weight(x, (1, 1, 2, 2, 2), torch.ones(1, 1, 2, 2, 2)).flatten()[0]
        tensor(8.)
    """
    weight = _make_shape_only_tensor(grad_output, weight_size)
    return _compute_one_gradient(_triple, grad_output, input, weight, stride, padding, dilation, groups, 1)
