"""Converts weights of convolutions to another memory format."""

from __future__ import annotations

from ..._root import torch
from ..modules.conv import Conv2d, Conv3d, ConvTranspose2d, ConvTranspose3d

__all__ = ["convert_conv2d_weight_memory_format", "convert_conv3d_weight_memory_format"]


def _convert_parameters(module, kinds, memory_format):
    for layer in module.modules():
        if isinstance(layer, kinds):
            weight = layer.weight.detach().clone(memory_format=memory_format)
            # Sets the strides even if a size of 1 leaves them undetermined.
            layer.weight.data = weight.resize_(weight.size(), memory_format=memory_format)
    return module


def convert_conv2d_weight_memory_format(module: torch.nn.Module, memory_format: torch.memory_format) -> torch.nn.Module:
    """Lays out the weights of all 2-D convolutions inside a module, transposed ones too, in another format.

    Args:
        module (Module): changed in place.
        memory_format (torch.memory_format): as ``torch.channels_last``.

    Returns:
        Module: `module`.

    Example:
        >>> format = torch.channels_last
        >>> layer = nn.utils.convert_conv2d_weight_memory_format(nn.Conv2d(4, 8, 3), format)
        >>> layer.weight.is_contiguous(memory_format=format)
        True
    """
    return _convert_parameters(module, (Conv2d, ConvTranspose2d), memory_format)


def convert_conv3d_weight_memory_format(module: torch.nn.Module, memory_format: torch.memory_format) -> torch.nn.Module:
    """Lays out the weights of all 3-D convolutions inside a module, transposed ones too, in another format.

    Args:
        module (Module): changed in place.
        memory_format (torch.memory_format): as ``torch.channels_last_3d``.

    Returns:
        Module: `module`.

    Example:
        >>> format = torch.channels_last_3d
        >>> layer = nn.utils.convert_conv3d_weight_memory_format(nn.Conv3d(4, 8, 3), format)
        >>> layer.weight.is_contiguous(memory_format=format)
        True
    """
    return _convert_parameters(module, (Conv3d, ConvTranspose3d), memory_format)
