"""torch.fft: the operators that `_C._fft` offers as fft_*."""

from .. import _C
from .._tensor import Tensor

__all__ = [name.removeprefix("fft_") for name in dir(_C._fft) if name.startswith("fft_")]

globals().update({name: getattr(_C._fft, f"fft_{name}") for name in __all__})
