"""Pipes that make batches and take them apart."""

from collections import defaultdict

from .._decorator import functional_datapipe
from ..datapipe import DataChunk, IterDataPipe
from ..utils.common import Batches, _check_unpickable_fn


@functional_datapipe("batch")
class BatcherIterDataPipe(Batches, IterDataPipe):
    """Batches of a fixed size."""

    def __iter__(self):
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
    """The items of batches; -1 takes all nested lists apart."""

    def __init__(self, datapipe, unbatch_level=1):
        self.datapipe = datapipe
        self.unbatch_level = unbatch_level

    def __iter__(self):
        for element in self.datapipe:
            yield from self._dive(element, self.unbatch_level)

    def _dive(self, element, unbatch_level):
        if unbatch_level < -1:
            raise ValueError("unbatch_level must be -1 or >= 0")
        if unbatch_level == 0 or (unbatch_level == -1 and not isinstance(element, list)):
            yield element
        elif not isinstance(element, list):
            raise IndexError(f"unbatch_level {self.unbatch_level} exceeds the depth of the DataPipe")
        else:
            for item in element:
                yield from self._dive(item, max(unbatch_level - 1, -1))


@functional_datapipe("groupby")
class GrouperIterDataPipe(IterDataPipe):
    """Batches of items with equal keys; where the buffer is full, the largest group goes."""

    def __init__(
        self,
        datapipe,
        group_key_fn,
        *,
        keep_key=False,
        buffer_size=10000,
        group_size=None,
        guaranteed_group_size=None,
        drop_remaining=False,
    ):
        _check_unpickable_fn(group_key_fn)
        self.datapipe = datapipe
        self.group_key_fn = group_key_fn
        self.keep_key = keep_key
        self.max_buffer_size = buffer_size
        self._empty()
        self.group_size = group_size
        self.guaranteed_group_size = None
        if group_size is not None and buffer_size is not None:
            if not 0 < group_size <= buffer_size:
                raise AssertionError("group_size must be > 0 and <= buffer_size")
            self.guaranteed_group_size = group_size
        if guaranteed_group_size is not None:
            if group_size is None or not 0 < guaranteed_group_size <= group_size:
                raise AssertionError("guaranteed_group_size must be > 0 and <= group_size and group_size must be set")
            self.guaranteed_group_size = guaranteed_group_size
        self.drop_remaining = drop_remaining
        self.wrapper_class = DataChunk

    def _group(self, key, label):
        group = self.wrapper_class(self.buffer_elements.pop(key))
        self.curr_buffer_size -= len(group)
        return (label, group) if self.keep_key else group

    def _is_large_enough(self, key):
        """Whether a group may go before its time; too small ones are dropped, or an error."""
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
                yield self._group(key, key)
            if self.curr_buffer_size == self.max_buffer_size:
                largest = max(groups, key=lambda key: len(groups[key]))
                wanted = self._is_large_enough(largest)
                # torch labels what goes before its time with the newest item's key.
                group = self._group(largest, key)
                if wanted:
                    yield group
        for key in list(groups):
            yield self._group(key, key)

    def _empty(self):
        self.curr_buffer_size = 0
        self.buffer_elements = defaultdict(list)

    def reset(self):
        self._empty()

    _kept = (
        "datapipe group_key_fn keep_key max_buffer_size group_size guaranteed_group_size drop_remaining wrapper_class"
    )
