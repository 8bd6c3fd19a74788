"""Plans of saves and loads, their items, and the planners that make them."""

import abc
import io
import math
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from ..._root import torch
from .metadata import STATE_DICT_TYPE, ChunkStorageMetadata, Metadata, MetadataIndex, StorageMeta, TensorProperties

__all__ = [
    "BytesIOWriteData",
    "LoadItemType",
    "LoadPlan",
    "LoadPlanner",
    "ReadItem",
    "SavePlan",
    "SavePlanner",
    "TensorWriteData",
    "WriteItem",
    "WriteItemType",
]


class LoadItemType(Enum):
    """The kinds of a load's items: elements of a tensor, or other objects."""

    TENSOR = auto()
    BYTE_IO = auto()


@dataclass(frozen=True)
class ReadItem:
    """One thing to be read: a box of a stored piece, into a box of a tensor.

    Args:
        type (LoadItemType): the kind of item.
        dest_index (MetadataIndex): where to store it.
        dest_offsets (torch.Size): the first element of the box there, from the start of that piece.
        storage_index (MetadataIndex): the stored piece.
        storage_offsets (torch.Size): the first element of the box in it.
        lengths (torch.Size): the shape of the box.
    """

    type: LoadItemType
    dest_index: MetadataIndex
    dest_offsets: torch.Size
    storage_index: MetadataIndex
    storage_offsets: torch.Size
    lengths: torch.Size


@dataclass
class LoadPlan:
    """What a rank reads.

    Args:
        items (list[ReadItem]): the things.
        storage_data (Any): the storage's. Default: ``None``.
        planner_data (Any): the planner's. Default: ``None``.
    """

    items: list[ReadItem]
    storage_data: Any = None
    planner_data: Any = None


class WriteItemType(Enum):
    """The kinds of a save's items: a complete tensor, a piece of one, or another object."""

    TENSOR = auto()
    SHARD = auto()
    BYTE_IO = auto()


@dataclass(frozen=True)
class BytesIOWriteData:
    """How long something is that is no tensor.

    Args:
        nbytes (int): the number of bytes.
    """

    nbytes: int


@dataclass(frozen=True)
class TensorWriteData:
    """Which elements of which tensor are written.

    Args:
        chunk (ChunkStorageMetadata): the elements.
        properties (TensorProperties): what the tensor is.
        size (torch.Size): the shape of the whole tensor.
    """

    chunk: ChunkStorageMetadata
    properties: TensorProperties
    size: torch.Size


@dataclass(frozen=True)
class WriteItem:
    """One thing to be written.

    Args:
        index (MetadataIndex): which.
        type (WriteItemType): the kind of item.
        bytes_io_data (BytesIOWriteData, optional): how long it is, where it is no tensor.
        tensor_data (TensorWriteData, optional): which elements, where it is a tensor.
    """

    index: MetadataIndex
    type: WriteItemType
    bytes_io_data: BytesIOWriteData | None = None
    tensor_data: TensorWriteData | None = None

    def tensor_storage_size(self) -> int | None:
        """Returns how long the whole tensor is.

        Returns:
            int or None: the number of bytes; None where it is no tensor.
        """
        data = self.tensor_data
        return None if data is None else math.prod(data.size) * data.properties.dtype.itemsize


@dataclass(frozen=True)
class SavePlan:
    """What a rank writes.

    Args:
        items (list[WriteItem]): the things.
        storage_data (Any): the storage's. Default: ``None``.
        planner_data (Any): the planner's. Default: ``None``.
        usable (bool): False where the rank shall write by the plan that it has. Default: ``True``.
    """

    items: list[WriteItem]
    storage_data: Any = None
    planner_data: Any = None
    usable: bool = True


class SavePlanner(abc.ABC):
    """Decides what each rank writes. Derive from `DefaultSavePlanner`.

    A save calls, in this order: `set_up_planner` and `create_local_plan` on all ranks, `create_global_plan` on the
    coordinator, `finish_plan` on all ranks, and `resolve_data` for each item of a rank's plan, from several threads
    if the storage uses several.
    """

    _cached_save_plan: dict[str, SavePlan] = {}
    _cached_final_save_plan: dict[str, SavePlan] = {}
    _cached_all_plans: dict[str, list[SavePlan]] = {}
    _cached_global_plan: dict[str, list[SavePlan]] = {}
    _cached_metadata: dict[str, Metadata] = {}

    @abc.abstractmethod
    def set_up_planner(
        self, state_dict: STATE_DICT_TYPE, storage_meta: StorageMeta | None = None, is_coordinator: bool = False
    ) -> None:
        """Begins a save.

        Args:
            state_dict (dict[str, Any]): what is saved; keep it, later calls do not bring it.
            storage_meta (StorageMeta, optional): which checkpoint it is.
            is_coordinator (bool): whether this rank makes the global plan. Default: ``False``.
        """

    @abc.abstractmethod
    def create_local_plan(self) -> SavePlan:
        """Returns what this rank could write.

        Returns:
            SavePlan: the plan; it is sent to the coordinator.
        """

    @abc.abstractmethod
    def create_global_plan(self, all_plans: list[SavePlan]) -> tuple[list[SavePlan], Metadata]:
        """Decides what each rank writes.

        Args:
            all_plans (list[SavePlan]): the ranks' plans, in their order.

        Returns:
            tuple[list[SavePlan], Metadata]: a plan for each rank, and what the checkpoint will hold.
        """

    @abc.abstractmethod
    def finish_plan(self, new_plan: SavePlan) -> SavePlan:
        """Takes this rank's plan from the coordinator.

        Args:
            new_plan (SavePlan): the plan.

        Returns:
            SavePlan: the plan that the storage follows.
        """

    @abc.abstractmethod
    def resolve_data(self, write_item: WriteItem) -> torch.Tensor | io.BytesIO:
        """Returns what an item consists of. May be called several times for an item, and from several threads.

        Args:
            write_item (WriteItem): the item.

        Returns:
            Tensor or io.BytesIO: the elements, on any device and of any strides; bytes for what is no tensor.
        """


class LoadPlanner:
    """Decides what each rank reads, and where to. Derive from `DefaultLoadPlanner`.

    A load calls, in this order: `set_up_planner` and `create_local_plan` on all ranks, `create_global_plan` on the
    coordinator, `finish_plan` on all ranks, and for each item `load_bytes`, or `resolve_tensor` and `commit_tensor`.
    """

    @abc.abstractmethod
    def set_up_planner(
        self, state_dict: STATE_DICT_TYPE, metadata: Metadata | None = None, is_coordinator: bool = False
    ) -> None:
        """Begins a load.

        Args:
            state_dict (dict[str, Any]): what is loaded; its tensors are overwritten, its other values replaced.
            metadata (Metadata, optional): what the checkpoint holds.
            is_coordinator (bool): whether this rank makes the global plan. Default: ``False``.
        """

    @abc.abstractmethod
    def create_local_plan(self) -> LoadPlan:
        """Returns the items that this rank reads.

        Returns:
            LoadPlan: the plan; it is sent to the coordinator.
        """

    @abc.abstractmethod
    def create_global_plan(self, global_plan: list[LoadPlan]) -> list[LoadPlan]:
        """Decides what each rank reads.

        Args:
            global_plan (list[LoadPlan]): the ranks' plans, in their order.

        Returns:
            list[LoadPlan]: a plan for each rank.
        """

    @abc.abstractmethod
    def finish_plan(self, central_plan: LoadPlan) -> LoadPlan:
        """Takes this rank's plan from the coordinator.

        Args:
            central_plan (LoadPlan): the plan.

        Returns:
            LoadPlan: the plan that the storage follows.
        """

    @abc.abstractmethod
    def load_bytes(self, read_item: ReadItem, value: io.BytesIO) -> None:
        """Stores an object that is not a tensor in the state_dict.

        Args:
            read_item (ReadItem): the item.
            value (io.BytesIO): the bytes that the save planner made.
        """

    def resolve_bytes(self, read_item: ReadItem) -> io.BytesIO:
        """Returns the buffer that a storage reads into; planners need not have one.

        Args:
            read_item (ReadItem): the item.

        Returns:
            io.BytesIO: the buffer.

        Raises:
            NotImplementedError: unless a subclass overrides it.
        """
        raise NotImplementedError("LoadPlanner.resolve_bytes is not implemented")

    @abc.abstractmethod
    def resolve_tensor(self, read_item: ReadItem) -> torch.Tensor:
        """Returns the tensor that elements are read into.

        Args:
            read_item (ReadItem): the item.

        Returns:
            Tensor: of the shape `read_item.lengths`; a view of the state_dict's, or one that `commit_tensor` copies.
        """

    @abc.abstractmethod
    def commit_tensor(self, read_item: ReadItem, tensor: torch.Tensor) -> None:
        """Says that the elements of an item were read.

        Args:
            read_item (ReadItem): the item.
            tensor (Tensor): what `resolve_tensor` returned.
        """
