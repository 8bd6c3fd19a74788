"""Copies nested dictionaries and lists with other tensors."""

import copy
import io
from collections.abc import Callable
from typing import Any

from ..._root import torch

_AS_IT_IS = (int, float, str, bytes, io.BytesIO, type(None))


def map_tensors(value: Any, function: Callable, other: Callable = None) -> Any:
    """Nested dictionaries, lists and tuples with what functions make of tensors, and of values of unknown types.

    Args:
        value (Any): the nest; stays as it is.
        function (callable): called with each tensor.
        other (callable, optional): called with each value of another type. Default: raises ValueError.

    Returns:
        Any: dict, list and tuple in place of their subclasses.
    """
    if isinstance(value, torch.Tensor):
        return function(value)
    if isinstance(value, dict):
        return {key: map_tensors(part, function, other) for key, part in value.items()}
    if isinstance(value, list | tuple):
        kind = tuple if isinstance(value, tuple) else list
        return kind(map_tensors(part, function, other) for part in value)
    if isinstance(value, _AS_IT_IS):
        return value
    if other is None:
        raise ValueError(f"Unexpected value type {type(value)}")
    return other(value)


def copy_tensors_to_cpu(value: Any) -> Any:
    """Copies a nested value to the CPU; tensors on the CPU stay."""
    return map_tensors(value, lambda tensor: tensor.to("cpu"))


class Stage:
    """Copies nested values of one structure; preserves shared storages, and can reuse its memory."""

    def __init__(self, share_memory: bool = False) -> None:
        self._share_memory, self._kept = share_memory, {}

    def copy(self, value: Any, reuse: bool = False) -> Any:
        """Returns a copy on the CPU; with `reuse`, in the memory of earlier copies of the same storages."""
        if not reuse:
            self._kept = {}
        copied: dict[int, torch.UntypedStorage] = {}
        with torch.no_grad():
            return map_tensors(value, lambda tensor: self._copy_tensor_to_cpu(tensor, copied), copy.deepcopy)

    def _copy_tensor_to_cpu(self, tensor, copied):
        if type(tensor) not in (torch.Tensor, torch.nn.Parameter) or tensor.layout != torch.strided or tensor.is_meta:
            return copy.deepcopy(tensor.detach().cpu())
        source = tensor.untyped_storage()
        key = source._cdata
        if key not in copied:
            kept = self._kept.get(key)
            if kept is None or kept.nbytes() != source.nbytes():
                kept = torch.UntypedStorage(source.nbytes(), device="cpu")
                kept = kept.share_memory_() if self._share_memory else kept
                self._kept[key] = kept
            copied[key] = kept.copy_(source)
        made = torch.empty((), dtype=tensor.dtype)
        return made.set_(copied[key], tensor.storage_offset(), tensor.size(), tensor.stride())

    def close(self) -> None:
        """Frees the memory."""
        self._kept = {}
