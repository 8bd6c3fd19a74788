"""torch.special: the operators that `_C._special` offers as special_*."""

from .. import _C
from .._tensor import Tensor

__all__ = [name.removeprefix("special_") for name in dir(_C._special) if name.startswith("special_")]

globals().update({name: getattr(_C._special, f"special_{name}") for name in __all__})
