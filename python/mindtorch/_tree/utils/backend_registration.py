"""Renames the backend that torch calls privateuse1: here the NPU, with the name that Ascend's torch_npu sets."""

from __future__ import annotations

from .. import _C
from .._root import torch

__all__ = ["rename_privateuse1_backend", "generate_methods_for_privateuse1_backend"]

_privateuse1_backend_name = "npu"


def rename_privateuse1_backend(backend_name: str) -> None:
    """Accepts "npu", the name that the backend has already; refuses others as torch refuses a second name.

    Args:
        backend_name (str): the name.

    Raises:
        RuntimeError: if it is another one.

    Example:
        >>> torch.utils.rename_privateuse1_backend("npu")
    """
    _C._rename_privateuse1_backend(backend_name)


def generate_methods_for_privateuse1_backend(
    for_tensor: bool = True, for_module: bool = True, for_packed_sequence: bool = True, for_storage: bool = False,
    unsupported_dtype: list[torch.dtype] | None = None,
) -> None:
    """Raises torch's error for a second call: everything has `npu()` from the start.

    Args:
        for_tensor (bool): methods of tensors. Default: ``True``.
        for_module (bool): of modules. Default: ``True``.
        for_packed_sequence (bool): of packed sequences. Default: ``True``.
        for_storage (bool): of storages. Default: ``False``.
        unsupported_dtype (list of torch.dtype, optional): types that the storages lack.
            Default: ``None``.

    Raises:
        RuntimeError: if any of them is used.

    Example:
        >>> nothing = dict(for_tensor=False, for_module=False, for_packed_sequence=False)
        >>> torch.utils.generate_methods_for_privateuse1_backend(**nothing)
    """
    wanted = (
        (for_tensor, torch.Tensor, "is_npu"),
        (for_storage, torch.storage._StorageBase, "is_npu"),
        (for_module, torch.nn.Module, "npu"),
        (for_packed_sequence, torch.nn.utils.rnn.PackedSequence, "is_npu"),
    )
    for is_wanted, owner, name in wanted:
        if is_wanted:
            raise RuntimeError(f"The custom device module of {owner} has already been registered with {name}")
