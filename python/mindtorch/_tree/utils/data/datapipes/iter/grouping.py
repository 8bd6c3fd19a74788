"""Pipes that group items into batches, and ungroup them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

from ....._root import torch
from .._decorator import functional_datapipe
from ..datapipe import DataChunk, IterDataPipe
from ..utils.common import Batches, _check_unpickable_fn


@functional_datapipe("batch")
class BatcherIterDataPipe(Batches, IterDataPipe):
    """Batches of a fixed size; `pipe.batch(size)` makes it.

    Args:
        datapipe (IterDataPipe): the source.
        batch_size (int): number of items in a batch.
        drop_last (bool): drops a last batch that is smaller. Default: ``False``.
        wrapper_class (type): what a batch is made as. Default: `torch.utils.data.DataChunk`.

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> list(IterableWrapper(range(5)).batch(2))
        [[0, 1], [2, 3], [4]]
    """

    def __iter__(self) -> Iterator[torch.utils.data.datapipes.datapipe.DataChunk]:
        batch = []
        for item in self.datapipe:
            batch.append(item)
            if len(batch) == self.batch_size:
                yield self.wrapper_class(batch)
                batch = []
        if batch and not self.drop_last:
            yield self.wrapper_class(batch)


@functional_datapipe("unbatch")
class UnBatcherIterDataPipe(IterDataPipe):
    """The items of batches; `pipe.unbatch()` makes it.

    Args:
        datapipe (IterDataPipe): the source.
        unbatch_level (int): how many levels of lists to take apart; -1 for all. Default: ``1``.

    Raises:
        IndexError: in iteration, if the items are not so many lists deep.

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> list(IterableWrapper([[1, 2], [[3], 4]]).unbatch())
        [1, 2, [3], 4]
        >>> list(IterableWrapper([[1, 2], [[3], 4]]).unbatch(unbatch_level=-1))
        [1, 2, 3, 4]
    """

    def __init__(self, datapipe: IterDataPipe, unbatch_level: int = 1) -> None:
        self.datapipe = datapipe
        self.unbatch_level = unbatch_level

    def __iter__(self):
        for element in self.datapipe:
            yield from self._flatten_level(element, self.unbatch_level)

    def _flatten_level(self, element, unbatch_level):
        if unbatch_level < -1:
            raise ValueError("unbatch_level must be -1 or >= 0")
        if unbatch_level == 0 or (unbatch_level == -1 and not isinstance(element, list)):
            yield element
        elif not isinstance(element, list):
            raise IndexError(f"unbatch_level {self.unbatch_level} exceeds the depth of the DataPipe")
        else:
            for item in element:
                yield from self._flatten_level(item, max(unbatch_level - 1, -1))


def _smallest_group_size(wanted, group_size, buffer_size):
    """The smallest size of a group that a full buffer emits early; None allows any."""
    if group_size is not None and buffer_size is not None and not 0 < group_size <= buffer_size:
        raise AssertionError("group_size must be > 0 and <= buffer_size")
    if wanted is None:
        return None if buffer_size is None else group_size
    if group_size is None or not 0 < wanted <= group_size:
        raise AssertionError("guaranteed_group_size must be > 0 and <= group_size and group_size must be set")
    return wanted


@functional_datapipe("groupby")
class GrouperIterDataPipe(IterDataPipe):
    """Batches of items with equal keys; `pipe.groupby(fn)` makes it.

    A group goes when it has `group_size` items; where the buffer is full, the largest group goes as it
    is; at the end, all that is left.

    Args:
        datapipe (IterDataPipe): the source.
        group_key_fn (callable): from an item to its key.
        keep_key (bool): gives pairs of the key and the group. Default: ``False``.
        buffer_size (int): how many items may wait. Default: ``10000``.
        group_size (int, optional): largest size of a group, not above `buffer_size`. Default: ``None``.
        guaranteed_group_size (int, optional): smallest size of a group that goes because the buffer is
            full. Default: ``None``, `group_size`.
        drop_remaining (bool): drops such a group that is smaller, which is a RuntimeError otherwise.
            Default: ``False``.

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> list(IterableWrapper(["at", "bee", "of", "ant"]).groupby(len, keep_key=True))
        [(2, ['at', 'of']), (3, ['bee', 'ant'])]
    """

    def __init__(
        self, datapipe: IterDataPipe[Any], group_key_fn: Callable[[Any], Any], *, keep_key: bool = False,
        buffer_size: int = 10000, group_size: int | None = None, guaranteed_group_size: int | None = None,
        drop_remaining: bool = False,
    ) -> None:
        _check_unpickable_fn(group_key_fn)
        self.datapipe, self.group_key_fn, self.keep_key = datapipe, group_key_fn, keep_key
        self.max_buffer_size, self.group_size, self.drop_remaining = buffer_size, group_size, drop_remaining
        self.guaranteed_group_size = _smallest_group_size(guaranteed_group_size, group_size, buffer_size)
        self.wrapper_class = DataChunk
        self._reset_buffers()

    def _pop_group(self, key, label):
        group = self.wrapper_class(self.buffer_elements.pop(key))
        self.curr_buffer_size -= len(group)
        return (label, group) if self.keep_key else group

    def _is_large_enough(self, key):
        """Whether a group may be emitted early; smaller ones are dropped, or an error."""
        items = self.buffer_elements[key]
        if self.guaranteed_group_size is None or len(items) >= self.guaranteed_group_size:
            return True
        if not self.drop_remaining:
            raise RuntimeError("Failed to group items", str(items))
        return False

    def __iter__(self):
        groups = self.buffer_elements
        for item in self.datapipe:
            key = self.group_key_fn(item)
            groups[key].append(item)
            self.curr_buffer_size += 1
            if self.group_size is not None and self.group_size == len(groups[key]):
                yield self._pop_group(key, key)
            if self.curr_buffer_size == self.max_buffer_size:
                largest = max(groups, key=lambda key: len(groups[key]))
                wanted = self._is_large_enough(largest)
                # torch labels groups that are emitted early with the newest item's key.
                group = self._pop_group(largest, key)
                if wanted:
                    yield group
        for key in list(groups):
            yield self._pop_group(key, key)

    def _reset_buffers(self):
        self.curr_buffer_size = 0
        self.buffer_elements = defaultdict(list)

    def reset(self) -> None:
        self._reset_buffers()

    _kept = (
        "datapipe group_key_fn keep_key max_buffer_size group_size guaranteed_group_size drop_remaining wrapper_class"
    )
