"""TransformGetItemToIndex: makes indexing by tensors in mask functions work under vmap."""

from .._root import torch
from ..overrides import TorchFunctionMode
from ..utils._pytree import tree_leaves


class TransformGetItemToIndex(TorchFunctionMode):
    """`x[i]` would read a 0-dim tensor `i` as a number; calls an index operator instead."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        if func is torch.Tensor.__getitem__:
            source, indices = args[0], tree_leaves(args[1])
            if all(isinstance(index, (torch.Tensor, int)) for index in indices):
                converted = [
                    torch.tensor(index, dtype=torch.int64, device=source.device) if isinstance(index, int) else index
                    for index in indices
                ]
                return torch.ops.aten.index(source, converted)
        return func(*args, **(kwargs or {}))
