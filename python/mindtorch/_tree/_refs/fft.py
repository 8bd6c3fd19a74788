"""torch._refs.fft: references of torch.fft."""

from .._root import torch
from ._operators import collect

__all__ = collect(
    globals(),
    """fft fft2 fftn hfft hfft2 hfftn rfft rfft2 rfftn ifft ifft2 ifftn ihfft ihfft2 ihfftn irfft irfft2 irfftn fftshift
    ifftshift""",
    torch.fft,
)
