"""Converts a distributed checkpoint to a file of `torch.save`, and back.

As a program: ``python -m torch.distributed.checkpoint.format_utils {torch_to_dcp,dcp_to_torch} SOURCE TARGET``.
"""

import argparse
import os

from ..._root import torch
from ...futures import Future
from .. import distributed_c10d as dist
from ._nested_dict import flatten_state_dict
from .default_planner import DefaultLoadPlanner, _EmptyStateDictLoadPlanner
from .filesystem import FileSystemReader, FileSystemWriter
from .metadata import STATE_DICT_TYPE, Metadata, TensorProperties, TensorStorageMetadata
from .planner import LoadItemType, LoadPlan, LoadPlanner
from .planner_helpers import _create_chunk_list
from .state_dict_loader import _load_state_dict
from .state_dict_saver import _save_state_dict
from .storage import StorageReader
from .utils import _narrow_to_box

__all__ = ["dcp_to_torch_save", "torch_save_to_dcp", "BroadcastingTorchSaveReader", "DynamicMetaLoadPlanner"]


def _make_non_tensor_error(key, who):
    return RuntimeError(
        f"Non-tensor value identified at {key}. At this time {type(who).__name__} only supports loading Tensors."
    )


class BroadcastingTorchSaveReader(StorageReader):
    """Reads a file of `torch.save` on one rank, which sends each tensor to the others; for `DynamicMetaLoadPlanner`.

    The file is unpickled, which runs code that it asks for: load only what you trust.

    Args:
        checkpoint_id (str or PathLike, optional): the file.
        coordinator_rank (int): the rank that reads. Default: 0.
    """

    def __init__(self, checkpoint_id: str | os.PathLike | None = None, coordinator_rank: int = 0) -> None:
        self.checkpoint_id, self.coordinator_rank = checkpoint_id, coordinator_rank

    def read_metadata(self) -> Metadata:
        """Returns nothing yet: the planner determines what is requested.

        Returns:
            Metadata: of no entries.
        """
        return Metadata({})

    def set_up_storage_reader(self, metadata: Metadata, is_coordinator: bool) -> None:
        """Says what this rank is.

        Args:
            metadata (Metadata): without effect.
            is_coordinator (bool): whether it reads.
        """
        self.is_coordinator, rank = is_coordinator, dist.get_rank()
        if is_coordinator and rank != self.coordinator_rank:
            raise AssertionError(f"Coordinator rank mismatch: expected {self.coordinator_rank}, got {rank}")
        if self.checkpoint_id is None:
            raise AssertionError("checkpoint_id must be set before setting up storage reader")

    def read_data(self, plan: LoadPlan, planner: LoadPlanner) -> Future[None]:
        """Reads and sends what all ranks want; they have to want the same, in the same order.

        Args:
            plan (LoadPlan): the plan.
            planner (LoadPlanner): a `DynamicMetaLoadPlanner`.

        Returns:
            Future[None]: complete.

        Raises:
            RuntimeError: when an object that is not a tensor is requested.
        """
        held = {}
        if self.is_coordinator:
            held = torch.load(self.checkpoint_id, map_location="cpu", weights_only=False)
            held = flatten_state_dict(held)[0] if planner.flatten_state_dict else held
        for item in plan.items:
            key = item.storage_index.fqn
            if item.type == LoadItemType.BYTE_IO:
                raise _make_non_tensor_error(key, self)
            whole = held[key] if self.is_coordinator else torch.empty_like(planner.state_dict[key])
            dist.broadcast(whole, src=self.coordinator_rank)
            part, target = (
                _narrow_to_box(whole, item.storage_offsets, item.lengths),
                planner.resolve_tensor(item).detach(),
            )
            if part.size() != target.size():
                raise AssertionError(f"req {item.storage_index} mismatch sizes, {target.size()} vs {part.size()}")
            target.copy_(part)
            planner.commit_tensor(item, target)
        future: Future = Future()
        future.set_result(None)
        return future

    def prepare_local_plan(self, plan: LoadPlan) -> LoadPlan:
        """Returns a plan as it is.

        Args:
            plan (LoadPlan): the plan.

        Returns:
            LoadPlan: the same.
        """
        return plan

    def prepare_global_plan(self, global_plan: list[LoadPlan]) -> list[LoadPlan]:
        """Returns plans as they are.

        Args:
            global_plan (list[LoadPlan]): the plans.

        Returns:
            list[LoadPlan]: the same.
        """
        return global_plan

    def reset(self, checkpoint_id: str | os.PathLike | None = None) -> None:
        """Begins with another file.

        Args:
            checkpoint_id (str or PathLike, optional): the file.
        """
        self.checkpoint_id = checkpoint_id

    @classmethod
    def validate_checkpoint_id(cls, checkpoint_id: str | os.PathLike) -> bool:
        """Returns whether there is such a file.

        Args:
            checkpoint_id (str or PathLike): the file.

        Returns:
            bool: whether there is.
        """
        return os.path.isfile(checkpoint_id)


class DynamicMetaLoadPlanner(DefaultLoadPlanner):
    """Plans a load of tensors from what has no metadata: as if it held just what is wanted.

    Args:
        flatten_state_dict (bool): as of `DefaultLoadPlanner`, like the following. Default: ``True``.
        flatten_sharded_tensors (bool): Default: ``True``.
        allow_partial_load (bool): Default: ``False``.
    """

    def set_up_planner(
        self, state_dict: STATE_DICT_TYPE, metadata: Metadata | None = None, is_coordinator: bool = False
    ) -> None:
        """Begins a load.

        Args:
            state_dict (dict[str, Any]): what is loaded: tensors.
            metadata (Metadata, optional): without effect.
            is_coordinator (bool): whether this rank makes the global plan. Default: ``False``.

        Raises:
            RuntimeError: when a value is no tensor.
        """
        super().set_up_planner(state_dict, metadata, is_coordinator)
        wanted = {}
        for key, value in self.state_dict.items():
            if not isinstance(value, torch.Tensor):
                raise _make_non_tensor_error(key, self)
            wanted[key] = TensorStorageMetadata(TensorProperties(value.dtype), value.size(), _create_chunk_list(value))
        self.metadata = Metadata(wanted)


def dcp_to_torch_save(dcp_checkpoint_dir: str | os.PathLike, torch_save_path: str | os.PathLike) -> None:
    """Makes one file, as of `torch.save`, of a checkpoint; all of it has to fit into this process's memory.

    Args:
        dcp_checkpoint_dir (str or PathLike): the checkpoint's folder.
        torch_save_path (str or PathLike): the file.

    Returns:
        None.

    Raises:
        CheckpointException: when the checkpoint is not there, or broken.
    """
    loaded: STATE_DICT_TYPE = {}
    reader, planner = FileSystemReader(dcp_checkpoint_dir), _EmptyStateDictLoadPlanner()
    _load_state_dict(loaded, reader, planner=planner, no_dist=True)
    torch.save(loaded, torch_save_path)


def torch_save_to_dcp(torch_save_path: str | os.PathLike, dcp_checkpoint_dir: str | os.PathLike) -> None:
    """Makes a checkpoint of a file of `torch.save`, which is unpickled: give it only what you trust.

    Args:
        torch_save_path (str or PathLike): the file.
        dcp_checkpoint_dir (str or PathLike): the checkpoint's folder.

    Returns:
        None.
    """
    state_dict = torch.load(torch_save_path, weights_only=False)
    _save_state_dict(state_dict, FileSystemWriter(dcp_checkpoint_dir), no_dist=True)


def _main() -> None:
    parser = argparse.ArgumentParser()
    ways = {"torch_to_dcp": (torch_save_to_dcp, os.path.isfile), "dcp_to_torch": (dcp_to_torch_save, os.path.isdir)}
    parser.add_argument("mode", type=str, help="Conversion mode", choices=list(ways))
    parser.add_argument("src", type=str, help="Path to the source model")
    parser.add_argument("dst", type=str, help="Path to the destination model")
    args = parser.parse_args()
    convert, is_there = ways[args.mode]
    print(f"Converting checkpoint from {args.src} to {args.dst} using method: '{args.mode}'")
    if is_there(args.src):
        convert(args.src, args.dst)
    else:
        print(f"No checkpoint found at {args.src}. Skipping conversion.")


if __name__ == "__main__":
    _main()
