"""Finds values of a state_dict, runs steps on all ranks together, and reads parts of files."""

import inspect
import io
import os
import warnings
from collections.abc import Callable
from functools import wraps
from typing import Any

from ..._root import torch
from .. import distributed_c10d as dist
from .api import CheckpointException, _is_wrapped_exception, _wrap_exception
from .metadata import STATE_DICT_TYPE, MetadataIndex

__all__ = ["find_tensor_shard", "find_state_dict_object"]


def _call_and_wrap_error(function, *arguments):
    """Returns a function's result, or its error in a form that can be sent."""
    try:
        return function(*arguments)
    except BaseException as error:
        return _wrap_exception(error)


def _make_exception_of_failed_ranks(step, results):
    """Returns the CheckpointException of a step's results, by rank; None if all succeeded."""
    failed = {rank: result for rank, result in enumerate(results) if _is_wrapped_exception(result)}
    return CheckpointException(step, failed) if failed else None


def _raise_if_failed(result):
    if isinstance(result, CheckpointException):
        raise result
    return result


class _DistWrapper:
    """Runs steps on all ranks of a group: an error on one rank raises on all. Also works without a group."""

    def __init__(self, group: dist.ProcessGroup | None, use_dist: bool, coordinator_rank: int) -> None:
        self.group, self.use_dist, self.coordinator_rank = group, use_dist, coordinator_rank
        self.rank, self.is_coordinator, self.global_coordinator_rank = 0, True, 0
        if use_dist:
            self.rank = dist.get_rank(group)
            self.is_coordinator = self.rank == coordinator_rank
            self.global_coordinator_rank = (
                coordinator_rank if group is None else dist.get_global_rank(group, coordinator_rank)
            )

    def get_rank(self) -> int:
        return self.rank

    def get_world_size(self) -> int:
        return dist.get_world_size(self.group) if self.use_dist else 1

    def broadcast_object(self, object):
        objects = [object]
        if self.use_dist:
            dist.broadcast_object_list(objects, src=self.global_coordinator_rank, group=self.group)
        return objects[0]

    def gather_object(self, object):
        """Gathers the objects of all ranks on the coordinator; None elsewhere."""
        if not self.use_dist:
            return [object]
        objects = [None] * self.get_world_size() if self.is_coordinator else None
        dist.gather_object(object, objects, dst=self.global_coordinator_rank, group=self.group)
        return objects

    def all_gather_object(self, object):
        if not self.use_dist:
            return [object]
        objects = [None] * self.get_world_size()
        dist.all_gather_object(objects, object, group=self.group)
        return objects

    def scatter_object(self, object_list):
        """Sends each rank its one of the coordinator's objects."""
        if not self.use_dist:
            return object_list[0]
        mine = [None]
        dist.scatter_object_list(mine, object_list, src=self.global_coordinator_rank, group=self.group)
        return mine[0]

    def _run_on_ranks_and_reduce(self, step, map_fun, reduce_fun):
        """Applies `reduce_fun` to all ranks' results on the coordinator; returns its result or the exception, None
        elsewhere."""
        results = self.gather_object(_call_and_wrap_error(map_fun))
        if not self.is_coordinator:
            return None
        failed = _make_exception_of_failed_ranks(step, results)
        if failed is not None:
            return failed
        reduced = _call_and_wrap_error(reduce_fun, results)
        return CheckpointException(step, {self.rank: reduced}) if _is_wrapped_exception(reduced) else reduced

    def reduce_scatter(self, step: str, map_fun: Callable, reduce_fun: Callable):
        """Returns each rank's part of what the coordinator computes from all ranks' results."""
        reduced = self._run_on_ranks_and_reduce(step, map_fun, reduce_fun)
        if isinstance(reduced, CheckpointException):
            reduced = [reduced] * self.get_world_size()
        return _raise_if_failed(self.scatter_object(reduced))

    def all_reduce(self, step: str, map_fun: Callable, reduce_fun: Callable):
        """Returns what the coordinator computes from all ranks' results, on all ranks."""
        return _raise_if_failed(self.broadcast_object(self._run_on_ranks_and_reduce(step, map_fun, reduce_fun)))

    def all_gather(self, step: str, map_fun: Callable) -> list:
        """Returns all ranks' results, on all ranks."""
        results = self.all_gather_object(_call_and_wrap_error(map_fun))
        failed = _make_exception_of_failed_ranks(step, results)
        return results if failed is None else _raise_if_failed(failed)

    def broadcast(self, step: str, map_fun: Callable):
        """Returns the coordinator's result, on all ranks."""
        result = _call_and_wrap_error(map_fun) if self.is_coordinator else None
        if _is_wrapped_exception(result):
            result = CheckpointException(step, {self.rank: result})
        return _raise_if_failed(self.broadcast_object(result))

    def barrier(self) -> None:
        if self.use_dist:
            dist.barrier(group=self.group)


def _runs_in_single_process(no_dist: bool, verb: str) -> bool:
    """Whether the caller's caller works without a group, on request or because there is none; warns in the latter
    case."""
    alone = no_dist or not dist.is_initialized()
    if alone:
        warnings.warn(
            "torch.distributed is disabled, unavailable or uninitialized, "
            f"assuming the intent is to {verb} in a single process.",
            stacklevel=3,
        )
    return alone


def _all_gather_keys(local_dict: dict[str, Any], group: dist.ProcessGroup | None = None) -> set[str]:
    keys = [None] * dist.get_world_size(group)
    dist.all_gather_object(keys, list(local_dict), group=group)
    return set().union(*keys)


def _assert_same_keys(state_dict: dict[str, Any], process_group: dist.ProcessGroup | None = None) -> None:
    """Raises if another rank has a key that this one lacks."""
    if dist.get_world_size(process_group) > 1:
        diff = _all_gather_keys(state_dict, process_group) - set(state_dict)
        if diff:
            raise AssertionError(f"Key(s) present in other ranks but not this one, difference: {diff}")


def _make_not_sharded_error(index):
    return ValueError(f"FQN: '{index.fqn}' is not a ShardedTensor, can't find by offset: '{index.offset}'")


def find_tensor_shard(tensor: torch.Tensor, index: MetadataIndex) -> torch.Tensor:
    """Returns the piece of a tensor that an index names.

    Args:
        tensor (Tensor): the tensor; a class with `__get_tensor_shard__` says itself what its pieces are.
        index (MetadataIndex): which piece.

    Returns:
        Tensor: the piece; a tensor that is not in pieces is its only one.

    Raises:
        ValueError: when the index names another piece than the only one.
    """
    if hasattr(tensor, "__get_tensor_shard__"):
        return tensor.__get_tensor_shard__(index)
    if index.offset is not None and index.offset != torch.Size([0] * tensor.dim()):
        raise _make_not_sharded_error(index)
    return tensor


def find_state_dict_object(state_dict: STATE_DICT_TYPE, index: MetadataIndex) -> Any:
    """Returns the value, or the piece of a tensor, that an index names.

    Args:
        state_dict (dict[str, Any]): the values by their keys.
        index (MetadataIndex): which one.

    Returns:
        Any: the value, or a Tensor: the piece.

    Raises:
        ValueError: when there is no such key or piece.
    """
    if index.fqn not in state_dict:
        raise ValueError(f"Could not find FQN: '{index.fqn}'")
    value = state_dict[index.fqn]
    if isinstance(value, torch.Tensor):
        return find_tensor_shard(value, index)
    if index.offset is not None:
        raise _make_not_sharded_error(index)
    return value


def _narrow_to_box(tensor, offsets, lengths):
    """Returns a view of a box of a tensor."""
    for dim, (offset, length) in enumerate(zip(offsets, lengths)):
        if length < tensor.size(dim):
            tensor = tensor.narrow(dim, offset, length)
    return tensor


class _FileView(io.RawIOBase):
    """Part of a file, readable as a file; moves the position of the complete file."""

    def __init__(self, file: io.IOBase, offset: int, length: int) -> None:
        super().__init__()
        self._file, self._offset, self._length, self._position = file, offset, length, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        start = {os.SEEK_SET: 0, os.SEEK_CUR: self._position, os.SEEK_END: self._length}[whence]
        if start + offset < 0:
            raise ValueError(f"negative seek position {start + offset}")
        self._position = start + offset
        return self._position

    def readinto(self, buffer) -> int:
        data = self.read(len(buffer))
        memoryview(buffer).cast("B")[: len(data)] = data
        return len(data)

    def read(self, size: int = -1) -> bytes:
        left = max(0, self._length - self._position)
        self._file.seek(self._offset + self._position)
        data = self._file.read(left if size is None or size < 0 else min(size, left))
        self._position += len(data)
        return data


def _accept_former_second_argument(former_name: str) -> Callable:
    """Decorates functions whose second argument used to be the storage, and still may be."""

    def decorate(function):
        @wraps(function)
        def call_with_keywords(*args, **kwargs):
            if len(args) == 2:
                warnings.warn(
                    f"The argument order of {function.__name__} has been changed. "
                    "Please check the document to avoid future breakages.",
                    stacklevel=2,
                )
                if former_name in kwargs:
                    raise AssertionError(f"{former_name} in kwargs: {(args, kwargs)}")
                args, kwargs = args[:1], {**kwargs, former_name: args[1]}
            return function(*args, **kwargs)

        return call_with_keywords

    return decorate


def _method_has_parameter(method: Callable, parameter: str) -> bool:
    """Whether a method of a planner or a storage, of any version, has a parameter."""
    return parameter in inspect.signature(method).parameters
