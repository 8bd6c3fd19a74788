"""Gradients of convolutions as functions of their own."""

from .._root import torch
from .modules.utils import _pair, _single, _triple


def _backward(ntuple, grad_output, input, weight, stride, padding, dilation, groups, wanted):
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


def _shape_only(like, size):
    """Stands for a tensor of which only the shape matters."""
    return like.new_empty(1).expand(size)


def conv1d_input(input_size, weight, grad_output, stride=1, padding=0, dilation=1, groups=1):
    """Gradient of conv1d with respect to its input."""
    input = _shape_only(grad_output, input_size)
    return _backward(_single, grad_output, input, weight, stride, padding, dilation, groups, 0)


def conv1d_weight(input, weight_size, grad_output, stride=1, padding=0, dilation=1, groups=1):
    """Gradient of conv1d with respect to its weight."""
    weight = _shape_only(grad_output, weight_size)
    return _backward(_single, grad_output, input, weight, stride, padding, dilation, groups, 1)


def conv2d_input(input_size, weight, grad_output, stride=1, padding=0, dilation=1, groups=1):
    """Gradient of conv2d with respect to its input."""
    input = _shape_only(grad_output, input_size)
    return _backward(_pair, grad_output, input, weight, stride, padding, dilation, groups, 0)


def conv2d_weight(input, weight_size, grad_output, stride=1, padding=0, dilation=1, groups=1):
    """Gradient of conv2d with respect to its weight."""
    weight = _shape_only(grad_output, weight_size)
    return _backward(_pair, grad_output, input, weight, stride, padding, dilation, groups, 1)


def conv3d_input(input_size, weight, grad_output, stride=1, padding=0, dilation=1, groups=1):
    """Gradient of conv3d with respect to its input."""
    input = _shape_only(grad_output, input_size)
    return _backward(_triple, grad_output, input, weight, stride, padding, dilation, groups, 0)


def conv3d_weight(input, weight_size, grad_output, stride=1, padding=0, dilation=1, groups=1):
    """Gradient of conv3d with respect to its weight."""
    weight = _shape_only(grad_output, weight_size)
    return _backward(_triple, grad_output, input, weight, stride, padding, dilation, groups, 1)
