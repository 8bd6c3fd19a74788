"""torch._refs.linalg: references of torch.linalg."""

from ..._root import torch
from .._operators import collect

__all__ = collect(globals(), "diagonal matrix_norm norm svd svdvals vector_norm vecdot cross", torch.linalg)
