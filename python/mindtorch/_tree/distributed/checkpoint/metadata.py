"""The contents of a checkpoint's file `.metadata`: names of classes and fields are part of the format."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from ..._root import torch
from .stateful import StatefulT

__all__ = [
    "ChunkStorageMetadata",
    "TensorStorageMetadata",
    "BytesStorageMetadata",
    "Metadata",
    "MetadataIndex",
    "TensorProperties",
    "StorageMeta",
]


@dataclass
class ChunkStorageMetadata:
    """A box of a tensor's elements that is stored in one piece.

    Args:
        offsets (torch.Size): the indices of its first element in the whole tensor.
        sizes (torch.Size): its shape.
    """

    offsets: torch.Size
    sizes: torch.Size


class _MEM_FORMAT_ENCODING(Enum):
    """Memory formats in files."""

    TORCH_CONTIGUOUS_FORMAT = 0
    TORCH_CHANNELS_LAST = 1
    TORCH_PRESERVE_FORMAT = 2


_FORMATS = dict(zip(_MEM_FORMAT_ENCODING, (torch.contiguous_format, torch.channels_last, torch.preserve_format)))


@dataclass
class TensorProperties:
    """What a tensor is, beside its shape and its elements. All but `dtype` are ignored when a checkpoint is loaded.

    Args:
        dtype (torch.dtype): of the elements. Default: the default dtype.
        layout (torch.layout): the layout. Default: ``torch.strided``.
        requires_grad (bool): whether it wanted a gradient. Default: ``False``.
        memory_format (torch.memory_format): the memory format. Default: ``torch.contiguous_format``.
        pin_memory (bool): whether its memory was pinned. Default: ``False``.
    """

    dtype: torch.dtype = field(default_factory=torch.get_default_dtype)
    layout: torch.layout = field(default=torch.strided)
    requires_grad: bool = False
    memory_format: torch.memory_format = field(default=torch.contiguous_format)
    pin_memory: bool = False

    def __getstate__(self):
        encoded = [code for code, memory_format in _FORMATS.items() if memory_format == self.memory_format]
        if not encoded:
            raise RuntimeError(f"Invalid torch.memory_format: {self.memory_format}")
        return self.dtype, self.layout, self.requires_grad, encoded[0], self.pin_memory

    def __setstate__(self, state):
        self.dtype, self.layout, self.requires_grad, encoded, self.pin_memory = state
        if encoded not in _FORMATS:
            raise RuntimeError(f"Invalid torch.memory_format encoding: {encoded}")
        self.memory_format = _FORMATS[encoded]

    @staticmethod
    def create_from_tensor(tensor: torch.Tensor) -> "TensorProperties":
        """Returns a tensor's properties; the memory format is always ``torch.contiguous_format``.

        Args:
            tensor (Tensor): the tensor.

        Returns:
            TensorProperties: its properties.
        """
        found = {name: getattr(tensor, name) for name in ("dtype", "layout", "requires_grad")}
        return TensorProperties(**found, pin_memory=tensor.is_pinned())


@dataclass
class TensorStorageMetadata:
    """A tensor that is in a checkpoint, in one piece or several.

    Args:
        properties (TensorProperties): what it is.
        size (torch.Size): the shape of the whole tensor.
        chunks (list[ChunkStorageMetadata]): its pieces.
    """

    properties: TensorProperties
    size: torch.Size
    chunks: list[ChunkStorageMetadata]


@dataclass
class BytesStorageMetadata:
    """An object that is not a tensor: stored as `torch.save` would."""


STORAGE_TYPES = TensorStorageMetadata | BytesStorageMetadata
STATE_DICT_TYPE = dict[str, StatefulT | Any]


@dataclass
class StorageMeta:
    """Which checkpoint it is.

    Args:
        checkpoint_id (str or PathLike, optional): the folder, for files.
        save_id (str, optional): one for each save.
        load_id (str, optional): one for each load.
        modules (list[str]): names of modules. Default: none.
    """

    checkpoint_id: str | os.PathLike | None = None
    save_id: str | None = None
    load_id: str | None = None
    modules: list[str] = field(default_factory=list)


@dataclass
class Metadata:
    """What a checkpoint holds, and where.

    Args:
        state_dict_metadata (dict[str, TensorStorageMetadata or BytesStorageMetadata]): by key, what is stored.
        planner_data (Any): the planner's: where each key stands in nested dictionaries and lists. Default: ``None``.
        storage_data (Any): the storage's: by `MetadataIndex`, where the bytes are. Default: ``None``.
        storage_meta (StorageMeta, optional): which checkpoint it is.
        version (str, optional): of the format.
    """

    state_dict_metadata: dict[str, STORAGE_TYPES]
    planner_data: Any = None
    storage_data: Any = None
    storage_meta: StorageMeta | None = None
    version: str | None = None


@dataclass(frozen=True)
class MetadataIndex:
    """Which piece of which entry; it is a key of dictionaries.

    Args:
        fqn (str): the entry's key.
        offset (sequence of int, optional): the piece's first element, for a tensor.
        index (int, optional): the piece's number in a list, as a hint for searches; equality ignores it.
    """

    fqn: str
    offset: torch.Size | None = None
    index: int | None = field(hash=False, compare=False, default=None)

    def __init__(self, fqn: str, offset: Sequence[int] | None = None, index: int | None = None) -> None:
        self.__dict__.update({"fqn": fqn, "index": index}, **({} if offset is None else {"offset": torch.Size(offset)}))
