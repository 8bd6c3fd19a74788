"""The default planners."""

import io
import logging
import math
from dataclasses import replace
from typing import Any

from ..._root import torch
from ._dedup_save_plans import dedup_save_plans
from ._nested_dict import FLATTEN_MAPPING, _flatten_as_torch_2_3, flatten_state_dict
from ._traverse import set_element
from .metadata import (
    STATE_DICT_TYPE,
    BytesStorageMetadata,
    ChunkStorageMetadata,
    Metadata,
    MetadataIndex,
    StorageMeta,
    TensorStorageMetadata,
)
from .planner import LoadPlan, LoadPlanner, ReadItem, SavePlan, SavePlanner, WriteItem, WriteItemType
from .planner_helpers import (
    _create_read_items,
    _create_write_items,
    _materialize,
    _overlap_of_chunks,
    _plans_write_same_items,
)
from .utils import _narrow_to_box, find_state_dict_object

logger: logging.Logger = logging.getLogger("torch.distributed.checkpoint.default_planner")

__all__ = [
    "DefaultLoadPlanner",
    "DefaultSavePlanner",
    "create_default_global_load_plan",
    "create_default_global_save_plan",
    "create_default_local_load_plan",
    "create_default_local_save_plan",
]

_UNCHANGED = SavePlan([], usable=False)  # sent in place of a plan that the receiver has from the previous save


class DefaultSavePlanner(SavePlanner):
    """Plans a save of nested dictionaries: what several ranks have, one of them writes.

    One planner serves one save at a time.

    Args:
        flatten_state_dict (bool): whether nested dictionaries are taken apart into keys with dots. Default: ``True``.
        flatten_sharded_tensors (bool): accepted; there are no tensors of that kind here. Default: ``True``.
        dedup_replicated_tensors (bool, optional): without effect; warns.
        dedup_save_to_lowest_rank (bool): whether the lowest rank writes what several have; otherwise the one that has
            the least to write. Default: ``False``.
        enable_plan_caching (bool): whether a plan is made and sent again only where it changed since the last save of
            the process by a planner of this class. Default: ``False``.
    """

    mappings: FLATTEN_MAPPING

    def __init__(
        self, flatten_state_dict: bool = True, flatten_sharded_tensors: bool = True,
        dedup_replicated_tensors: bool | None = None, dedup_save_to_lowest_rank: bool = False,
        enable_plan_caching: bool = False,
    ) -> None:  # fmt: skip
        if dedup_replicated_tensors is not None:
            logger.warning(
                "DefaultSavePlanner's `dedup_replicated_tensors` argument is being "
                "deprecated, and no longer has any effect. Please remove this argument "
                "from your call."
            )
        self.mappings, self._pending = {}, None
        self.flatten_state_dict, self.flatten_sharded_tensors = flatten_state_dict, flatten_sharded_tensors
        self.dedup_save_to_lowest_rank = dedup_save_to_lowest_rank
        self._enable_plan_caching, self._cached_plans_key = enable_plan_caching, type(self).__name__

    def set_up_planner(
        self, state_dict: STATE_DICT_TYPE, storage_meta: StorageMeta | None = None, is_coordinator: bool = False
    ) -> None:
        """Begins a save.

        Args:
            state_dict (dict[str, Any]): the state to save.
            storage_meta (StorageMeta, optional): which checkpoint it is.
            is_coordinator (bool): whether this rank makes the global plan. Default: ``False``.
        """
        self.is_coordinator, self.state_dict = is_coordinator, state_dict
        if self.flatten_state_dict:
            self.state_dict, self.mappings = flatten_state_dict(state_dict)

    def create_local_plan(self) -> SavePlan:
        """Returns items for all values of this rank.

        Returns:
            SavePlan: the plan.
        """
        self.plan = create_default_local_save_plan(self.state_dict, self.is_coordinator)
        if self.flatten_state_dict:
            self.plan = replace(self.plan, planner_data=self.mappings)
        if self._enable_plan_caching:
            before = SavePlanner._cached_save_plan.get(self._cached_plans_key)
            if before is not None and _plans_write_same_items(self.plan, before):
                return _UNCHANGED
            # finish_plan caches this plan, because other ranks know it only once the global plan exists.
            self._pending = self.plan
        return self.plan

    def _dedup_save_plans(self, all_plans: list[SavePlan]) -> list[SavePlan]:
        return dedup_save_plans(all_plans, self.dedup_save_to_lowest_rank)

    def _merge_plans_to_global(self, all_plans):
        plans, metadata = create_default_global_save_plan(self._dedup_save_plans(all_plans))
        if self.flatten_state_dict:
            paths: dict = {}
            for plan in reversed(plans):  # if several ranks have a key, the first rank's path is kept
                paths |= plan.planner_data
            metadata = replace(metadata, planner_data=paths)
        errors = "; ".join(_validate_global_plan(plans, metadata))
        if errors:
            errors = errors if len(errors) <= 500 else errors[:500] + "... (truncated)"
            raise ValueError(f"Failed to validate global plan: {errors}")
        return plans, metadata

    def create_global_plan(self, all_plans: list[SavePlan]) -> tuple[list[SavePlan], Metadata]:
        """Shares out what several ranks have, and checks that the pieces of each tensor make a whole.

        Args:
            all_plans (list[SavePlan]): the ranks' plans, in their order.

        Returns:
            tuple[list[SavePlan], Metadata]: a plan for each rank, and what the checkpoint will hold.

        Raises:
            ValueError: when pieces of a tensor overlap, are missing or are outside of it.
        """
        key, known = self._cached_plans_key, SavePlanner._cached_all_plans
        if not self._enable_plan_caching:
            self.global_plan, self.metadata = self._merge_plans_to_global(all_plans)
            return self.global_plan, self.metadata
        before = known.get(key)
        if before is not None and not any(plan.usable for plan in all_plans):
            self.global_plan, self.metadata = SavePlanner._cached_global_plan[key], SavePlanner._cached_metadata[key]
            return [_UNCHANGED] * len(all_plans), self.metadata
        current = all_plans
        if before is not None:
            current = [new if new.usable else old for old, new in zip(before, all_plans)]
        self.global_plan, self.metadata = self._merge_plans_to_global(current)
        sent = self.global_plan
        if before is not None:
            pairs = zip(SavePlanner._cached_global_plan[key], sent)
            sent = [_UNCHANGED if _plans_write_same_items(old, new) else new for old, new in pairs]
        known[key] = current
        SavePlanner._cached_global_plan[key], SavePlanner._cached_metadata[key] = self.global_plan, self.metadata
        return sent, self.metadata

    def finish_plan(self, new_plan: SavePlan) -> SavePlan:
        """Takes this rank's plan from the coordinator.

        Args:
            new_plan (SavePlan): the plan.

        Returns:
            SavePlan: the plan that is followed.
        """
        self.plan, key = new_plan, self._cached_plans_key
        if self._enable_plan_caching:
            self.plan = new_plan if new_plan.usable else SavePlanner._cached_final_save_plan[key]
            SavePlanner._cached_final_save_plan[key] = self.plan
            if self._pending is not None:
                SavePlanner._cached_save_plan[key], self._pending = self._pending, None
        return self.plan

    def resolve_data(self, write_item: WriteItem) -> torch.Tensor | io.BytesIO:
        """Returns what an item consists of.

        Args:
            write_item (WriteItem): the item.

        Returns:
            Tensor or io.BytesIO: the elements, or what `torch.save` writes for anything else.
        """
        return self.transform_object(write_item, self.lookup_object(write_item.index))

    def lookup_object(self, index: MetadataIndex) -> Any:
        """Returns the value, or the piece of a tensor, that an index names; for subclasses to change.

        Args:
            index (MetadataIndex): which one.

        Returns:
            Any: the value.
        """
        return find_state_dict_object(self.state_dict, index)

    def transform_object(self, write_item: WriteItem, object: Any) -> Any:
        """Returns what is written for a value; for subclasses to change.

        Args:
            write_item (WriteItem): the item.
            object (Any): the value.

        Returns:
            Any: the value, or an io.BytesIO with what `torch.save` writes where the item says so.
        """
        if write_item.type != WriteItemType.BYTE_IO:
            return object
        buffer = io.BytesIO()
        torch.save(object, buffer)
        return buffer


class DefaultLoadPlanner(LoadPlanner):
    """Plans a load into nested dictionaries: each rank reads the parts of stored pieces that it has a place for.

    One planner serves one load at a time. What is no tensor is read by ``torch.load(..., weights_only=False)``, which
    runs code that the file asks for: load only what you trust.

    Args:
        flatten_state_dict (bool): whether nested dictionaries are taken apart into keys with dots. Default: ``True``.
        flatten_sharded_tensors (bool): accepted; there are no tensors of that kind here. Default: ``True``.
        allow_partial_load (bool): whether values that the checkpoint does not have stay as they are; otherwise they are
            an error. Default: ``False``.
    """

    original_state_dict: STATE_DICT_TYPE
    mappings: FLATTEN_MAPPING

    def __init__(
        self,
        flatten_state_dict: bool = True,
        flatten_sharded_tensors: bool = True,
        allow_partial_load: bool = False,
    ) -> None:
        self.original_state_dict, self.mappings = {}, {}
        self.flatten_state_dict, self.flatten_sharded_tensors = flatten_state_dict, flatten_sharded_tensors
        self.allow_partial_load = allow_partial_load

    def set_up_planner(
        self, state_dict: STATE_DICT_TYPE, metadata: Metadata | None = None, is_coordinator: bool = False
    ) -> None:
        """Begins a load. Meta tensors get memory on the CPU.

        Args:
            state_dict (dict[str, Any]): the state to load.
            metadata (Metadata, optional): what the checkpoint holds.
            is_coordinator (bool): whether this rank makes the global plan. Default: ``False``.
        """
        self.original_state_dict = self.state_dict = _materialize(state_dict)
        if self.flatten_state_dict:
            self.state_dict, self.mappings = flatten_state_dict(state_dict)
        self.metadata, self.is_coordinator = metadata, is_coordinator

    def create_local_plan(self) -> LoadPlan:
        """Returns items for all values of this rank.

        Returns:
            LoadPlan: the plan.

        Raises:
            RuntimeError: when the checkpoint has no such key.
            ValueError: when a tensor has another shape there, or is none.
        """
        if self.metadata is None:
            raise AssertionError("self.metadata is not None")
        if self.flatten_state_dict:
            unasked = self.metadata.state_dict_metadata.keys() - self.state_dict.keys()
            # torch 2.3 did not flatten dictionaries without tensors, so its checkpoints store each under one key.
            state_dict, mappings = _flatten_as_torch_2_3(self.original_state_dict) if unasked else ({}, {})
            if unasked & state_dict.keys():
                self.state_dict, self.mappings = state_dict, mappings
        return create_default_local_load_plan(self.state_dict, self.metadata, not self.allow_partial_load)

    def create_global_plan(self, global_plan: list[LoadPlan]) -> list[LoadPlan]:
        """Returns the ranks' plans as they are.

        Args:
            global_plan (list[LoadPlan]): the plans.

        Returns:
            list[LoadPlan]: the same.
        """
        return create_default_global_load_plan(global_plan)

    def finish_plan(self, new_plan: LoadPlan) -> LoadPlan:
        """Returns this rank's plan as it is.

        Args:
            new_plan (LoadPlan): the plan.

        Returns:
            LoadPlan: the same.
        """
        return new_plan

    def load_bytes(self, read_item: ReadItem, value: io.BytesIO) -> None:
        """Stores an object that is not a tensor in the state_dict.

        Args:
            read_item (ReadItem): the item.
            value (io.BytesIO): what `torch.save` wrote.
        """
        name, loaded = read_item.dest_index.fqn, torch.load(value, weights_only=False)
        if self.flatten_state_dict:
            set_element(self.original_state_dict, self.mappings[name], loaded)
        else:
            self.state_dict[name] = loaded

    def resolve_tensor(self, read_item: ReadItem) -> torch.Tensor:
        """Returns the view that elements are read into.

        Args:
            read_item (ReadItem): the item.

        Returns:
            Tensor: of the shape `read_item.lengths`.
        """
        return self.transform_tensor(read_item, self.lookup_tensor(read_item.dest_index))

    def commit_tensor(self, read_item: ReadItem, tensor: torch.Tensor) -> None:
        """Does nothing: the view is part of the state_dict.

        Args:
            read_item (ReadItem): the item.
            tensor (Tensor): the view.
        """

    def lookup_tensor(self, index: MetadataIndex) -> torch.Tensor:
        """Returns the tensor, or the piece of one, that an index names; for subclasses to change.

        Args:
            index (MetadataIndex): which one.

        Returns:
            Tensor: the tensor.
        """
        return find_state_dict_object(self.state_dict, index)

    def transform_tensor(self, read_item: ReadItem, tensor: torch.Tensor) -> torch.Tensor:
        """Returns the part of a tensor that an item fills; for subclasses to change.

        Args:
            read_item (ReadItem): the item.
            tensor (Tensor): the tensor.

        Returns:
            Tensor: a view of the shape `read_item.lengths`.
        """
        return _narrow_to_box(tensor, read_item.dest_offsets, read_item.lengths)


class _EmptyStateDictLoadPlanner(DefaultLoadPlanner):
    """Loads everything in the checkpoint, or the values under some keys, into an empty dictionary."""

    def __init__(self, keys=None, *args, **kwargs) -> None:
        super().__init__(*args, **kwargs)
        self.keys = keys

    def _should_include_key(self, key: str, metadata: Metadata) -> bool:
        if self.keys is None or key in self.keys:
            return True
        path = [str(part) for part in (metadata.planner_data or {}).get(key, ())]
        return any(".".join(path[:length]) in self.keys for length in range(1, len(path) + 1))

    def set_up_planner(
        self, state_dict: STATE_DICT_TYPE, metadata: Metadata | None = None, is_coordinator: bool = False
    ) -> None:
        if state_dict:
            raise AssertionError("not state_dict")
        if metadata is None:
            raise AssertionError("metadata is not None")
        paths = metadata.planner_data or {}
        for key, stored in metadata.state_dict_metadata.items():
            if self._should_include_key(key, metadata):
                is_tensor = isinstance(stored, TensorStorageMetadata)
                value = torch.empty(stored.size, dtype=stored.properties.dtype) if is_tensor else stored
                set_element(state_dict, paths.get(key, (key,)), value)
        super().set_up_planner(state_dict, metadata, is_coordinator)


def _is_outside_own_mesh(value):
    """Whether a tensor is distributed over a mesh that does not contain this rank."""
    mesh = getattr(value, "device_mesh", None)
    return isinstance(value, torch.Tensor) and mesh is not None and mesh.get_coordinate() is None


def create_default_local_load_plan(state_dict: dict[str, Any], metadata: Metadata, strict: bool = True) -> LoadPlan:
    """Returns what a rank reads for a dictionary: for tensors all stored pieces that overlap with its own.

    Args:
        state_dict (dict[str, Any]): the values by their keys.
        metadata (Metadata): what the checkpoint holds.
        strict (bool): whether a key that it does not hold is an error. Default: ``True``.

    Returns:
        LoadPlan: the plan.

    Raises:
        RuntimeError: when the checkpoint has no such key.
        ValueError: when a tensor has another shape there, or is none.
    """
    items, stored = [], metadata.state_dict_metadata
    for key, value in state_dict.items():
        if key not in stored:
            if strict:
                raise RuntimeError(f"Missing key in checkpoint state_dict: {key}.")
            continue
        found = stored[key]
        if isinstance(found, TensorStorageMetadata) and getattr(value, "size", None) is not None:
            if found.size != value.size():
                raise ValueError(f"Size mismatch between saved {found.size} and current: {value.size()} for {key}")
        if not _is_outside_own_mesh(value):
            items += _create_read_items(key, found, value)
    return LoadPlan(items)


def create_default_global_load_plan(all_plans: list[LoadPlan]) -> list[LoadPlan]:
    """Returns the ranks' plans as they are.

    Args:
        all_plans (list[LoadPlan]): the plans.

    Returns:
        list[LoadPlan]: the same.
    """
    return all_plans


def create_default_local_save_plan(state_dict: dict[str, Any], is_coordinator: bool) -> SavePlan:
    """Returns what a rank could write for a dictionary.

    Args:
        state_dict (dict[str, Any]): the values by their keys.
        is_coordinator (bool): without effect.

    Returns:
        SavePlan: the plan.
    """
    here = ((key, value) for key, value in state_dict.items() if not _is_outside_own_mesh(value))
    return SavePlan([item for key, value in here for item in _create_write_items(key, value)])


def create_default_global_save_plan(
    all_plans: list[SavePlan], rewrite_index_hints: bool = True
) -> tuple[list[SavePlan], Metadata]:
    """Returns the ranks' plans, and what a checkpoint holds that is written by them.

    Args:
        all_plans (list[SavePlan]): the plans; nothing whole may be in two of them.
        rewrite_index_hints (bool): whether the items' indices get the numbers of their pieces. Default: ``True``.

    Returns:
        tuple[list[SavePlan], Metadata]: the plans and the metadata.

    Raises:
        AssertionError: when something whole is written twice.
    """
    stored: dict[str, TensorStorageMetadata | BytesStorageMetadata] = {}

    def register_write_item(item):
        key, data = item.index.fqn, item.tensor_data
        if item.type != WriteItemType.SHARD and key in stored:
            raise AssertionError("item.index.fqn not in md")
        if item.type == WriteItemType.BYTE_IO:
            stored[key] = BytesStorageMetadata()
            return item
        if data is None:
            raise AssertionError("item.tensor_data is not None")
        chunks = stored.setdefault(key, TensorStorageMetadata(data.properties, data.size, [])).chunks
        chunks.append(data.chunk)
        return replace(item, index=replace(item.index, index=len(chunks) - 1)) if rewrite_index_hints else item

    plans = [replace(plan, items=[register_write_item(item) for item in plan.items]) for plan in all_plans]
    return plans, Metadata(stored)


def _find_overlapping_chunks(chunks: list[ChunkStorageMetadata], dim: int):
    """Yields pairs of chunks that overlap, found by a sweep along a dimension."""
    begins = sorted(range(len(chunks)), key=lambda k: (chunks[k].offsets[dim], *chunks[k].offsets))
    open_ones: list[tuple[int, int]] = []  # the ends of the chunks that the sweep is inside, and their numbers
    for number in begins:
        chunk = chunks[number]
        begin = chunk.offsets[dim]
        open_ones = [entry for entry in open_ones if entry[0] > begin]
        yield from ((chunk, chunks[other]) for _, other in open_ones if _overlap_of_chunks(chunk, chunks[other]))
        open_ones = sorted([*open_ones, (begin + chunk.sizes[dim], number)])


def _validate_global_plan(global_plan: list[SavePlan], metadata: Metadata) -> list[str]:
    """Lists errors in the pieces of tensors, one text each."""
    errors = []
    for key, stored in metadata.state_dict_metadata.items():
        if isinstance(stored, BytesStorageMetadata) or not stored.size:
            continue
        whole, chunks = stored.size, stored.chunks
        for chunk in chunks:
            bounds = zip(chunk.offsets, chunk.sizes, whole)
            if any(begin < 0 or size < 0 or begin + size > end for begin, size, end in bounds):
                errors.append(f"key:{key} has out of bounds chunk: tensor-size:{whole} chunk: {chunk}")
        for chunk, other in _find_overlapping_chunks(chunks, max(range(len(whole)), key=whole.__getitem__)):
            errors.append(f"key:{key} has overlapping chunks: {chunk} {other}")
        wanted, there = math.prod(whole), sum(math.prod(chunk.sizes) for chunk in chunks)
        if len(global_plan) > 1 and wanted != there:
            errors.append(f"key:{key} invalid fill tensor-volume: {wanted} chunks-volume: {there}")
    for text in errors:
        logger.warning(text)
    return errors
