"""DataLoader's treatment of datasets that are pipes: wraps, seeds and shards them."""

import functools
import sys

from ...._root import torch


def is_pipe(dataset, kind=None) -> bool:
    """Whether a dataset is a pipe, of one type or of any. Before the pipes' module is loaded, none can be."""
    module = sys.modules.get(f"{torch.__name__}.utils.data.datapipes.datapipe")
    if module is None:
        return False
    return isinstance(dataset, getattr(module, kind) if kind else (module.IterDataPipe, module.MapDataPipe))


def wrapped(dataset, shuffle):
    """Returns a pipe in the form that a loader keeps: can be sent to another process, with shufflers on or off."""
    if not is_pipe(dataset):
        return dataset
    from ..datapipes.datapipe import _IterDataPipeSerializationWrapper, _MapDataPipeSerializationWrapper
    from ..graph_settings import apply_shuffle_settings

    if not is_pipe(dataset, "IterDataPipe"):
        return _MapDataPipeSerializationWrapper(dataset)
    dataset = _IterDataPipeSerializationWrapper(dataset)
    # As in torch, a shuffler that apply_shuffle_settings appends is dropped, although it warns that it appends one.
    apply_shuffle_settings(dataset, shuffle=shuffle)
    return dataset


def apply_shared_seed(dataset, seed):
    """Returns a pipe whose random parts start from a seed that all workers share."""
    from ..graph_settings import apply_random_seed

    generator = torch.Generator()
    generator.manual_seed(seed)
    return apply_random_seed(dataset, generator)


def draw_epoch_seed(loader):
    """Returns the loader's dataset and, for a pipe over a stream, the seed of the epoch."""
    if not is_pipe(loader.dataset, "IterDataPipe"):
        return loader.dataset, None
    seed = torch.empty((), dtype=torch.int64).random_(generator=loader.generator)
    distributed = torch.distributed
    if distributed.is_available() and distributed.is_initialized():
        distributed.broadcast(seed, src=0)
    return apply_shared_seed(loader.dataset, seed.item()), seed.item()


def _world_size_and_rank() -> tuple[int, int]:
    distributed = torch.distributed
    if distributed.is_available() and distributed.is_initialized():
        return distributed.get_world_size(), distributed.get_rank()
    return 1, 0


def shard_by_replica(dataset):
    """Returns a pipe with this replica's share of the items."""
    if not is_pipe(dataset):
        return dataset
    from ..graph_settings import apply_sharding

    return apply_sharding(dataset, *_world_size_and_rank())


def make_sharding_worker_init(dataset, init_fn):
    """For a pipe, wraps `init_fn`: gives each worker of each replica its own share first."""
    return functools.partial(_shard_by_worker, init_fn, *_world_size_and_rank()) if is_pipe(dataset) else init_fn


def _shard_by_worker(init_fn, world_size, rank, worker_id) -> None:
    from ..graph_settings import apply_sharding
    from .worker import get_worker_info

    info = get_worker_info()
    # Consecutive shares belong to different replicas, so that all of them end together.
    apply_sharding(info.dataset, info.num_workers * world_size, worker_id * world_size + rank)
    if init_fn is not None:
        init_fn(worker_id)
