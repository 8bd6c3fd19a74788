"""Channel shuffling."""

from ..._root import torch
from .. import functional as F
from .module import Module

__all__ = ["ChannelShuffle"]


class ChannelShuffle(Module):
    """Interleaves the channels of groups, so that the next grouped convolution sees all of them.

    Channel ``g * n + i`` of `groups` groups of `n` channels moves to ``i * groups + g`` (Zhang
    et al. 2017, "ShuffleNet", section 3.1).

    Args:
        groups (int): number of groups, a divisor of the number of channels.

    Shape:
        - input: ``(N, C, *)``.
        - output: as the input.

    Example:
        >>> nn.ChannelShuffle(2)(torch.arange(4.0).view(1, 4, 1)).flatten()
        tensor([0., 2., 1., 3.])
    """

    __constants__ = ["groups"]
    groups: int

    def __init__(self, groups: int) -> None:
        super().__init__()
        self.groups = groups

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        return F.channel_shuffle(input, self.groups)

    def extra_repr(self):
        return f"groups={self.groups}"
