"""Saves checkpoints."""

import os
import warnings
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from enum import Enum

from typing_extensions import deprecated

from .. import distributed_c10d as dist
from ..._root import torch
from ._storage_utils import _storage_setup
from .default_planner import DefaultSavePlanner
from .metadata import STATE_DICT_TYPE, Metadata
from .planner import SavePlanner
from .staging import AsyncStager, DefaultStager, StagingOptions
from .stateful import _stateful_to_state_dict
from .storage import StorageWriter
from .utils import _DistWrapper, _runs_in_single_process, _accept_former_second_argument, _method_has_parameter

__all__ = ["save_state_dict", "save", "async_save", "AsyncCheckpointerType", "AsyncSaveResponse"]


class AsyncCheckpointerType(Enum):
    """Whether `async_save` writes in a thread or in a process."""

    THREAD = "thread"
    PROCESS = "process"


@deprecated(
    "`save_state_dict` is deprecated and will be removed in future versions.Please use `save` instead.",
    category=FutureWarning,
)
def save_state_dict(
    state_dict: STATE_DICT_TYPE, storage_writer: StorageWriter, process_group: dist.ProcessGroup | None = None,
    coordinator_rank: int = 0, no_dist: bool = False, planner: SavePlanner | None = None,
) -> Metadata:  # fmt: skip
    """Saves a dictionary, as `save` does; deprecated.

    Args:
        state_dict (dict[str, Any]): what is saved; its values are taken as they are.
        storage_writer (StorageWriter): writes it.
        process_group (ProcessGroup, optional): the ranks that save together. Default: the default group.
        coordinator_rank (int): who makes the global plan. Default: 0.
        no_dist (bool): whether this process saves alone. Default: ``False``.
        planner (SavePlanner, optional): decides who writes what.

    Returns:
        Metadata: the contents of the checkpoint.
    """
    storage_writer.reset()
    return _save_state_dict(state_dict, storage_writer, process_group, coordinator_rank, no_dist, planner)


@_accept_former_second_argument("storage_writer")
def save(
    state_dict: STATE_DICT_TYPE, *, checkpoint_id: str | os.PathLike | None = None,
    storage_writer: StorageWriter | None = None, planner: SavePlanner | None = None,
    process_group: dist.ProcessGroup | None = None, no_dist: bool = False, use_collectives: bool = True,
) -> Metadata:  # fmt: skip
    """Saves a dictionary from all ranks into one checkpoint, which any number of ranks can load.

    All ranks of the group call it. What several ranks have under a key, one of them writes; of a tensor in pieces each
    rank writes its own. The checkpoint is complete when the call returns. Calls of several threads must not overlap
    within a group.

    Args:
        state_dict (dict[str, Any]): tensors of any shape and dtype, whatever `torch.save` takes, `Stateful` objects,
            and dictionaries and lists of them.
        checkpoint_id (str or PathLike, optional): where; a folder, for files.
        storage_writer (StorageWriter, optional): writes it. Default: a `FileSystemWriter`.
        planner (SavePlanner, optional): decides who writes what. Default: a `DefaultSavePlanner`.
        process_group (ProcessGroup, optional): the ranks that save together. Default: the default group.
        no_dist (bool): whether this process saves alone; it does, with a warning, where there is no group.
            Default: ``False``.
        use_collectives (bool): False makes each rank save for itself, into files of its own that it alone loads.
            Default: ``True``.

    Returns:
        Metadata: the contents of the checkpoint.

    Raises:
        CheckpointException: on all ranks, when one of them failed.
        RuntimeError: when neither a place nor a writer is given.
    """
    no_dist = _runs_in_single_process(no_dist, "save")
    return _save_state_dict(
        _stateful_to_state_dict(state_dict),
        _storage_setup(storage_writer, checkpoint_id, reader=False),
        process_group,
        no_dist=no_dist,
        planner=planner,
        use_collectives=use_collectives,
    )


@dataclass
class AsyncSaveResponse:
    """What `async_save` returns where the copy is made in the background too.

    Args:
        staging_completion (Future[None]): complete when the tensors may be changed.
        upload_completion (Future[None]): complete when the checkpoint is.
    """

    staging_completion: Future[None]
    upload_completion: Future[None]


def async_save(
    state_dict: STATE_DICT_TYPE, *, checkpoint_id: str | os.PathLike | None = None,
    storage_writer: StorageWriter | None = None, planner: SavePlanner | None = None,
    process_group: dist.ProcessGroup | None = None,
    async_checkpointer_type: AsyncCheckpointerType = AsyncCheckpointerType.THREAD,
    async_stager: AsyncStager | None = None, no_dist: bool = False, use_collectives: bool = True,
) -> Future | AsyncSaveResponse:  # fmt: skip
    """Copies a dictionary, and saves the copy in a thread, as `save` does.

    The thread uses the group's collectives: give it a group that nothing else uses meanwhile, and let a save end before
    the next one begins.

    Args:
        state_dict (dict[str, Any]): as of `save`.
        checkpoint_id (str or PathLike, optional): where.
        storage_writer (StorageWriter, optional): writes it; one that is an `AsyncStager` makes the copy too.
        planner (SavePlanner, optional): decides who writes what.
        process_group (ProcessGroup, optional): the ranks that save together. Default: the default group.
        async_checkpointer_type (AsyncCheckpointerType): only `THREAD` is in this build.
        async_stager (AsyncStager, optional): makes the copy; the caller closes it.
        no_dist (bool): whether this process saves alone. Default: ``False``.
        use_collectives (bool): False makes each rank save for itself. Default: ``True``.

    Returns:
        concurrent.futures.Future or AsyncSaveResponse: a future of `save`'s result; with that of the copy, where the
        stager makes it in the background.

    Raises:
        AssertionError: when the group has no backend for the CPU.
        NotImplementedError: for a process.
    """
    if async_checkpointer_type == AsyncCheckpointerType.PROCESS:
        raise NotImplementedError(f"async_save: {async_checkpointer_type} is not in this build")
    if dist.is_initialized():
        group = process_group or dist._get_default_group()
        if torch.device("cpu") not in group._device_types:
            raise AssertionError(
                "A CPU backend must be enabled for async save; try initializing process group with 'cpu:gloo,cuda:nccl'"
            )
    own = None
    if async_stager is None:
        if isinstance(storage_writer, AsyncStager):
            async_stager = storage_writer
        else:
            async_stager = own = DefaultStager(StagingOptions(False, False, False, False))
    copied = async_stager.stage(_stateful_to_state_dict(state_dict))

    def write():
        try:
            return save(
                copied.result() if isinstance(copied, Future) else copied,
                checkpoint_id=checkpoint_id,
                storage_writer=storage_writer,
                planner=planner,
                process_group=process_group,
                no_dist=no_dist,
                use_collectives=use_collectives,
            )
        finally:
            if own is not None:
                own.close()

    thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="AsyncCheckpointExecutor")
    written = thread.submit(write)
    thread.shutdown(wait=False)
    if isinstance(copied, Future):
        return AsyncSaveResponse(_make_future_without_result(copied), written)
    if async_stager.should_synchronize_after_execute:
        async_stager.synchronize_staging()
    return written


def _make_future_without_result(future: Future) -> Future:
    """Returns a future that completes with another, with None or with its error."""
    follower: Future = Future()

    def complete_follower(done):
        error = done.exception()
        if error is None:
            follower.set_result(None)
        else:
            follower.set_exception(error)

    future.add_done_callback(complete_follower)
    return follower


def _save_state_dict(
    state_dict: STATE_DICT_TYPE, storage_writer: StorageWriter, process_group: dist.ProcessGroup | None = None,
    coordinator_rank: int = 0, no_dist: bool = False, planner: SavePlanner | None = None,
    use_collectives: bool = True,
) -> Metadata:  # fmt: skip
    ranks = _DistWrapper(process_group, not no_dist, coordinator_rank)
    planner = DefaultSavePlanner() if planner is None else planner
    metadata = None  # the coordinator's, from planning until the last file is written

    def plan_own_rank():
        if _method_has_parameter(planner.set_up_planner, "storage_meta"):
            planner.set_up_planner(
                state_dict=state_dict, storage_meta=storage_writer.storage_meta(), is_coordinator=ranks.is_coordinator
            )
        else:
            warnings.warn(
                "The function definition for SavePlanner.set_up_planner has been updated to include the "
                "storage_meta argument. Please update your implementation to include this parameter.",
                stacklevel=2,
            )
            planner.set_up_planner(state_dict, ranks.is_coordinator)
        options = {}
        if _method_has_parameter(storage_writer.set_up_storage_writer, "kwargs"):
            options = {"rank": ranks.rank, "use_collectives": use_collectives}
        storage_writer.set_up_storage_writer(ranks.is_coordinator, **options)
        return storage_writer.prepare_local_plan(planner.create_local_plan())

    def merge_plans_of_ranks(plans):
        nonlocal metadata
        plans, metadata = planner.create_global_plan(plans)
        return storage_writer.prepare_global_plan(plans)

    def write(plan):
        return storage_writer.write_data(planner.finish_plan(plan), planner).wait()

    def finish(results):
        storage_writer.finish(metadata=metadata, results=results)
        return metadata

    if use_collectives:
        plan = ranks.reduce_scatter("plan", plan_own_rank, merge_plans_of_ranks)
        return ranks.all_reduce("write", lambda: write(plan), finish)
    (plan,) = merge_plans_of_ranks([plan_own_rank()])
    finish([write(plan)])
    ranks.barrier()
    return metadata
