"""torch._refs._conversions: references of the conversions between dtypes."""

from .._root import torch
from ._operators import collect

__all__ = collect(
    globals(),
    "bfloat16 bool byte cdouble cfloat chalf char double float half int long short complex polar",
    torch.Tensor,
    torch,
)
