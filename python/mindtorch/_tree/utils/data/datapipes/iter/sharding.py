"""A pipe that keeps one share of the items."""

from __future__ import annotations

from enum import IntEnum
from typing import NoReturn

from ....._root import torch
from .._decorator import functional_datapipe
from ..datapipe import IterDataPipe
from ..utils.common import length_or_type_error


class SHARDING_PRIORITIES(IntEnum):
    """Who gets shares: replicas first, then the worker processes of each."""

    DEFAULT = 1
    DISTRIBUTED = 2
    MULTIPROCESSING = 3


class _ShardingIterDataPipe(IterDataPipe):
    def apply_sharding(self, num_of_instances: int, instance_id: int, sharding_group: SHARDING_PRIORITIES) -> NoReturn:
        raise NotImplementedError


@functional_datapipe("sharding_filter")
class ShardingFilterIterDataPipe(_ShardingIterDataPipe):
    """Every n-th item, as `apply_sharding` sets; `pipe.sharding_filter()` makes it.

    `torch.utils.data.DataLoader` passes the numbers of its workers, so that no two read the same items.

    Args:
        source_datapipe (IterDataPipe): the source.
        sharding_group_filter (SHARDING_PRIORITIES, optional): the only group to heed.
            Default: ``None``, all.

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> pipe = IterableWrapper(range(5)).sharding_filter()
        >>> pipe.apply_sharding(2, 1)
        >>> list(pipe)
        [1, 3]
    """

    def __init__(self, source_datapipe: IterDataPipe, sharding_group_filter=None) -> None:
        self.source_datapipe = source_datapipe
        self.sharding_group_filter = sharding_group_filter
        self.groups: dict[int, tuple[int, int]] = {}
        self.num_of_instances = 1
        self.instance_id = 0

    def apply_sharding(self, num_of_instances, instance_id, sharding_group=SHARDING_PRIORITIES.DEFAULT):
        """Says which share of the items to keep; shares of several groups are divided again, by priority.

        Args:
            num_of_instances (int): number of shares.
            instance_id (int): number of this one.
            sharding_group (SHARDING_PRIORITIES): who shares. Default: ``SHARDING_PRIORITIES.DEFAULT``.

        Returns:
            None.

        Raises:
            ValueError: if there is no such share.
            RuntimeError: if the default group is mixed with others.
        """
        if instance_id >= num_of_instances:
            raise ValueError(f"instance_id({instance_id}) should be smaller than num_of_instances({num_of_instances})")
        default = SHARDING_PRIORITIES.DEFAULT
        if any((group == default) != (sharding_group == default) for group in self.groups):
            raise RuntimeError("ShardingFilter cannot mix DEFAULT and non DEFAULT groups")
        self.groups[sharding_group] = (num_of_instances, instance_id)
        self.num_of_instances, self.instance_id = 1, 0
        for group in sorted(self.groups, reverse=True):
            if self.sharding_group_filter in (None, group):
                count, number = self.groups[group]
                self.instance_id += self.num_of_instances * number
                self.num_of_instances *= count

    def __iter__(self):
        for i, item in enumerate(self.source_datapipe):
            if i % self.num_of_instances == self.instance_id:
                yield item

    def __len__(self) -> int:
        whole, rest = divmod(length_or_type_error(self, self.source_datapipe), self.num_of_instances)
        return whole + (self.instance_id < rest)
