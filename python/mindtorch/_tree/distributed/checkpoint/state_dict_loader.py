"""Loads checkpoints."""

import logging
import os
import warnings
from typing import Any

from typing_extensions import deprecated

from .. import distributed_c10d as dist
from ._storage_utils import _storage_setup
from .default_planner import DefaultLoadPlanner, _EmptyStateDictLoadPlanner
from .metadata import Metadata
from .planner import LoadPlanner
from .stateful import Stateful, _stateful_to_state_dict
from .storage import StorageReader
from .utils import _DistWrapper, _runs_in_single_process, _accept_former_second_argument, _method_has_parameter

__all__ = ["load_state_dict", "load"]

logger = logging.getLogger("torch.distributed.checkpoint.state_dict_loader")


@deprecated(
    "`load_state_dict` is deprecated and will be removed in future versions. Please use `load` instead.",
    category=FutureWarning,
)
def load_state_dict(
    state_dict: dict[str, Any], storage_reader: StorageReader, process_group: dist.ProcessGroup | None = None,
    coordinator_rank: int = 0, no_dist: bool = False, planner: LoadPlanner | None = None,
) -> None:  # fmt: skip
    """Loads into a dictionary, as `load` does; deprecated.

    Args:
        state_dict (dict[str, Any]): what is loaded; its values are taken as they are.
        storage_reader (StorageReader): reads it.
        process_group (ProcessGroup, optional): the ranks that load together. Default: the default group.
        coordinator_rank (int): who makes the global plan. Default: 0.
        no_dist (bool): whether this process loads alone. Default: ``False``.
        planner (LoadPlanner, optional): decides what is read.

    Returns:
        None.
    """
    storage_reader.reset()
    _load_state_dict(state_dict, storage_reader, process_group, coordinator_rank, no_dist, planner)


@_accept_former_second_argument("storage_reader")
def load(
    state_dict: dict[str, Any], *, checkpoint_id: str | os.PathLike | None = None,
    storage_reader: StorageReader | None = None, planner: LoadPlanner | None = None,
    process_group: dist.ProcessGroup | None = None, no_dist: bool = False,
) -> None:  # fmt: skip
    """Loads from a checkpoint into a dictionary, on all ranks; as many as saved it, or others.

    All ranks of the group call it, with the same keys. Tensors are overwritten where they are, whatever their dtype and
    device, and must have the stored shapes; other values are replaced; a `Stateful` object's state is loaded and passed
    to its `load_state_dict`. A rank reads only what it has a place for. What is no tensor, and `.metadata`, is
    unpickled, which runs code that the file asks for: load only what you trust. When the call fails, tensors may be
    partly loaded. Calls of several threads must not overlap within a group.

    Args:
        state_dict (dict[str, Any]): has a value for each key that is wanted; is changed.
        checkpoint_id (str or PathLike, optional): where; a folder, for files.
        storage_reader (StorageReader, optional): reads it. Default: a `FileSystemReader`.
        planner (LoadPlanner, optional): decides what is read. Default: a `DefaultLoadPlanner`.
        process_group (ProcessGroup, optional): the ranks that load together. Default: the default group.
        no_dist (bool): whether this process loads alone; it does, with a warning, where there is no group.
            Default: ``False``.

    Returns:
        None.

    Raises:
        CheckpointException: on all ranks, when one of them failed: a file is missing or cut off, a key is not there, a
            tensor has another shape.
        RuntimeError: when neither a place nor a reader is given.
    """
    no_dist = _runs_in_single_process(no_dist, "load")
    reader = _storage_setup(storage_reader, checkpoint_id, reader=True)
    # The state_dict of an object may run collectives, so all ranks call them in the same order.
    objects = {key: state_dict[key] for key in sorted(state_dict)}
    states = _stateful_to_state_dict(objects)
    _load_state_dict(states, reader, process_group, no_dist=no_dist, planner=planner)
    for key, value in objects.items():
        if isinstance(value, Stateful):
            value.load_state_dict(states[key])
        else:
            state_dict[key] = states[key]


def _find_metadata(reader: StorageReader, rank: int) -> tuple[Metadata, bool]:
    """Returns the contents of a checkpoint, and whether all ranks saved it together, or this one alone."""
    try:
        return reader.read_metadata(), True
    except Exception as error:
        complaints = ["metadata is None", f"global metadata read failed: {error}"]
        logger.warning("Global metadata is not found. Falling back to rank local metadata.", exc_info=True)
    if _method_has_parameter(reader.read_metadata, "kwargs"):
        try:
            return reader.read_metadata(rank=rank), False
        except Exception as error:
            complaints.append(f"rank local metadata read failed: {error}")
            logger.warning("Rank local metadata is not found.", exc_info=True)
    raise AssertionError("; ".join(complaints))


def _load_state_dict(
    state_dict: dict[str, Any], storage_reader: StorageReader, process_group: dist.ProcessGroup | None = None,
    coordinator_rank: int = 0, no_dist: bool = False, planner: LoadPlanner | None = None,
) -> None:  # fmt: skip
    ranks = _DistWrapper(process_group, not no_dist, coordinator_rank)
    planner = DefaultLoadPlanner() if planner is None else planner

    def plan_own_rank():
        metadata, together = _find_metadata(storage_reader, ranks.rank)
        planner.set_up_planner(state_dict, metadata, ranks.is_coordinator)
        options = {}
        if _method_has_parameter(storage_reader.set_up_storage_reader, "kwargs"):
            options = {"rank": ranks.rank, "use_collectives": together}
        storage_reader.set_up_storage_reader(metadata, ranks.is_coordinator, **options)
        return storage_reader.prepare_local_plan(planner.create_local_plan())

    def merge_plans_of_ranks(plans):
        return storage_reader.prepare_global_plan(planner.create_global_plan(plans))

    plan = ranks.reduce_scatter("plan", plan_own_rank, merge_plans_of_ranks)
    ranks.all_gather("read", lambda: storage_reader.read_data(planner.finish_plan(plan), planner).wait())


def _load_state_dict_from_keys(
    keys: set[str] | str | None = None, *, checkpoint_id: str | os.PathLike | None = None,
    storage_reader: StorageReader | None = None, process_group: dist.ProcessGroup | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Returns the checkpoint's values under some keys, or all of them, as a new dictionary."""
    no_dist = not dist.is_initialized()
    if no_dist:
        warnings.warn(
            "torch.distributed is unavailable or uninitialized, assuming the intent is to load in a single process.",
            stacklevel=2,
        )
    reader = _storage_setup(storage_reader, checkpoint_id, reader=True)
    planner = _EmptyStateDictLoadPlanner({keys} if isinstance(keys, str) else keys)
    loaded: dict[str, Any] = {}
    _load_state_dict(loaded, reader, process_group, no_dist=no_dist, planner=planner)
    return loaded
