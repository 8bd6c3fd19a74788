"""The interface of a checkpoint storage."""

import abc
import os
from dataclasses import dataclass
from typing import Any

from ...futures import Future
from .metadata import Metadata, MetadataIndex, StorageMeta
from .planner import LoadPlan, LoadPlanner, SavePlan, SavePlanner

__all__ = ["WriteResult", "StorageWriter", "StorageReader"]


@dataclass(frozen=True)
class WriteResult:
    """What became of an item that was written.

    Args:
        index (MetadataIndex): which one.
        size_in_bytes (int): how long it is.
        storage_data (Any): where it is; comes back in `Metadata.storage_data`.
    """

    index: MetadataIndex
    size_in_bytes: int
    storage_data: Any


class StorageWriter(abc.ABC):
    """Writes checkpoints.

    A save calls, in this order: `reset`, `set_up_storage_writer` and `prepare_local_plan` on all
    ranks, `prepare_global_plan` on the coordinator, `write_data` on all ranks, `finish` on the coordinator.
    """

    @abc.abstractmethod
    def reset(self, checkpoint_id: str | os.PathLike | None = None) -> None:
        """Begins another checkpoint.

        Args:
            checkpoint_id (str or PathLike, optional): where; a folder, a file or a key, as the storage has it.
        """

    @abc.abstractmethod
    def set_up_storage_writer(self, is_coordinator: bool, *args: Any, **kwargs: Any) -> None:
        """Says what this rank is.

        Args:
            is_coordinator (bool): whether it makes the global plan and calls `finish`.
            *args (Any): for storages that take more.
            **kwargs (Any): `rank` and `use_collectives`, where the method takes ``**kwargs``.
        """

    @abc.abstractmethod
    def prepare_local_plan(self, plan: SavePlan) -> SavePlan:
        """Adds what the storage needs to this rank's plan.

        Args:
            plan (SavePlan): the planner's plan.

        Returns:
            SavePlan: the plan, mostly with another `storage_data`.
        """

    @abc.abstractmethod
    def prepare_global_plan(self, plans: list[SavePlan]) -> list[SavePlan]:
        """Adds what the storage needs to all ranks' plans.

        Args:
            plans (list[SavePlan]): a plan for each rank.

        Returns:
            list[SavePlan]: a plan for each rank, mostly with another `storage_data`.
        """

    @abc.abstractmethod
    def write_data(self, plan: SavePlan, planner: SavePlanner) -> Future[list[WriteResult]]:
        """Writes this rank's items, which `planner.resolve_data` gives.

        Args:
            plan (SavePlan): the plan.
            planner (SavePlanner): the planner.

        Returns:
            Future[list[WriteResult]]: a result for each item.
        """

    @abc.abstractmethod
    def finish(self, metadata: Metadata, results: list[list[WriteResult]]) -> None:
        """Writes what the checkpoint holds, which makes it one.

        Args:
            metadata (Metadata): what it holds; gets the storage's part.
            results (list[list[WriteResult]]): all ranks' results.
        """

    @classmethod
    @abc.abstractmethod
    def validate_checkpoint_id(cls, checkpoint_id: str | os.PathLike) -> bool:
        """Returns whether this storage can write there.

        Args:
            checkpoint_id (str or PathLike): where.

        Returns:
            bool: whether it can.
        """

    def storage_meta(self) -> StorageMeta | None:
        """Returns which checkpoint it is; planners get it.

        Returns:
            StorageMeta or None: None, unless a subclass overrides it.
        """
        return None


class StorageReader(abc.ABC):
    """Reads checkpoints.

    A load calls, in this order: `reset`, `read_metadata`, `set_up_storage_reader` and
    `prepare_local_plan` on all ranks, `prepare_global_plan` on the coordinator, `read_data` on all ranks.
    """

    @abc.abstractmethod
    def reset(self, checkpoint_id: str | os.PathLike | None = None) -> None:
        """Begins with another checkpoint.

        Args:
            checkpoint_id (str or PathLike, optional): where; a folder, a file or a key, as the storage has it.
        """

    @abc.abstractmethod
    def read_metadata(self, *args: Any, **kwargs: Any) -> Metadata:
        """Returns what the checkpoint holds.

        Args:
            *args (Any): for storages that take more.
            **kwargs (Any): `rank`, for what a rank wrote alone, where the method takes ``**kwargs``.

        Returns:
            Metadata: what it holds.
        """

    @abc.abstractmethod
    def set_up_storage_reader(self, metadata: Metadata, is_coordinator: bool, *args: Any, **kwargs: Any) -> None:
        """Says what the checkpoint holds, and what this rank is.

        Args:
            metadata (Metadata): what it holds.
            is_coordinator (bool): whether this rank makes the global plan.
            *args (Any): for storages that take more.
            **kwargs (Any): `rank` and `use_collectives`, where the method takes ``**kwargs``.
        """

    @abc.abstractmethod
    def prepare_local_plan(self, plan: LoadPlan) -> LoadPlan:
        """Adds what the storage needs to this rank's plan.

        Args:
            plan (LoadPlan): the planner's plan.

        Returns:
            LoadPlan: the plan.
        """

    @abc.abstractmethod
    def prepare_global_plan(self, plans: list[LoadPlan]) -> list[LoadPlan]:
        """Adds what the storage needs to all ranks' plans.

        Args:
            plans (list[LoadPlan]): a plan for each rank.

        Returns:
            list[LoadPlan]: a plan for each rank.
        """

    @abc.abstractmethod
    def read_data(self, plan: LoadPlan, planner: LoadPlanner) -> Future[None]:
        """Reads this rank's items and passes them to the planner.

        Args:
            plan (LoadPlan): the plan.
            planner (LoadPlanner): takes bytes, and has the tensors that elements are read into.

        Returns:
            Future[None]: complete when everything was read.
        """

    @classmethod
    @abc.abstractmethod
    def validate_checkpoint_id(cls, checkpoint_id: str | os.PathLike) -> bool:
        """Returns whether this storage can read there.

        Args:
            checkpoint_id (str or PathLike): where.

        Returns:
            bool: whether it can.
        """
