"""DistributedSampler: each replica visits its own share of a dataset."""

import math
from collections.abc import Iterator
from typing import TypeVar

from ... import distributed as dist
from ..._root import torch
from .dataset import Dataset
from .sampler import Sampler

__all__ = ["DistributedSampler"]

_T_co = TypeVar("_T_co", covariant=True)


def _value_or_from_process_group(value, getter):
    if value is not None:
        return value
    if not dist.is_available():
        raise RuntimeError("Requires distributed package to be available")
    return getattr(dist, getter)()


class DistributedSampler(Sampler[_T_co]):
    """Gives one process its share of a dataset: every `num_replicas`-th index from `rank` on.

    All shares have one length: indices are repeated at the end, or cut with `drop_last`. Call
    `set_epoch` before each pass, or the order is always the same.

    Args:
        dataset (Dataset): has a length.
        num_replicas (int, optional): number of processes. Default: that of the process group.
        rank (int, optional): number of this process. Default: that in the process group.
        shuffle (bool): permutes the indices, the same way on all processes. Default: ``True``.
        seed (int): seed of the permutations, the same on all processes. Default: ``0``.
        drop_last (bool): cuts instead of repeating. Default: ``False``.

    Raises:
        ValueError: when the rank is out of range.

    Example:
        >>> from torch.utils.data import DistributedSampler
        >>> list(DistributedSampler(range(5), num_replicas=2, rank=1, shuffle=False))
        [1, 3, 0]
    """

    def __init__(
        self,
        dataset: Dataset,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
    ) -> None:
        num_replicas = _value_or_from_process_group(num_replicas, "get_world_size")
        rank = _value_or_from_process_group(rank, "get_rank")
        if rank >= num_replicas or rank < 0:
            raise ValueError(f"Invalid rank {rank}, rank should be in the interval [0, {num_replicas - 1}]")
        self.dataset = dataset
        self.num_replicas = num_replicas
        self.rank = rank
        self.epoch = 0
        self.drop_last = drop_last
        size = len(dataset)
        if drop_last and size % num_replicas != 0:
            size -= num_replicas
        self.num_samples = math.ceil(size / num_replicas)
        self.total_size = self.num_samples * num_replicas
        self.shuffle = shuffle
        self.seed = seed

    def __iter__(self) -> Iterator[_T_co]:
        size = len(self.dataset)
        if self.shuffle:
            generator = torch.Generator()
            generator.manual_seed(self.seed + self.epoch)
            indices = torch.randperm(size, generator=generator).tolist()
        else:
            indices = list(range(size))
        if self.drop_last:
            indices = indices[: self.total_size]
        elif len(indices) < self.total_size:
            # All replicas get equally many indices: the first ones are repeated.
            indices = (indices * math.ceil(self.total_size / len(indices)))[: self.total_size]
        if len(indices) != self.total_size:
            raise AssertionError(
                f"Number of indices ({len(indices)}) does not match total_size ({self.total_size})"
            )
        share = indices[self.rank : self.total_size : self.num_replicas]
        if len(share) != self.num_samples:
            raise AssertionError(
                f"Number of subsampled indices ({len(share)}) does not match num_samples ({self.num_samples})"
            )
        return iter(share)

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Makes the next pass shuffle differently.

        Args:
            epoch (int): number of the pass, the same on all processes.
        """
        self.epoch = epoch
