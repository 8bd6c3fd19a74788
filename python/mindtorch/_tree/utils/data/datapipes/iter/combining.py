"""Pipes that combine several pipes, or split one."""

from __future__ import annotations

import copy as copying
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, Literal

from ....._root import torch
from .._decorator import functional_datapipe
from .._hook_iterator import SINGLE_ITERATOR, _SnapshotState, describe_pipe
from ..datapipe import IterDataPipe
from ..utils.common import StreamWrapper, _check_unpickable_fn, length_or_type_error


@functional_datapipe("concat")
class ConcaterIterDataPipe(IterDataPipe):
    """The items of one pipe after those of another; `pipe.concat(other)` makes it.

    Args:
        *datapipes (IterDataPipe): the sources, one at least.

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> list(IterableWrapper([1, 2]).concat(IterableWrapper([3])))
        [1, 2, 3]
    """

    def __init__(self, *datapipes: IterDataPipe) -> None:
        if not datapipes:
            raise ValueError("Expected at least one DataPipe, but got nothing")
        if not all(isinstance(pipe, IterDataPipe) for pipe in datapipes):
            raise TypeError("Expected all inputs to be `IterDataPipe`")
        self.datapipes = datapipes

    def __iter__(self) -> Iterator:
        for pipe in self.datapipes:
            yield from pipe

    def __len__(self) -> int:
        return sum([length_or_type_error(self, pipe) for pipe in self.datapipes])


class _ContainerTemplate(IterDataPipe):
    """A source and the queues of its children: items that were read but not yet returned by each child.

    A subclass defines into which queues an item goes (`_buffer_item_for_children`) and the length of a child
    (`get_length_by_instance`).
    """

    def _set_up_buffers(self, name, datapipe, num_instances, buffer_size):
        if buffer_size < 0:
            warnings.warn(
                f"Unlimited buffer size is set for `{name}`, please be aware of OOM at random places", stacklevel=3
            )
        self.main_datapipe = datapipe
        self.num_instances = num_instances
        self.buffer_size = buffer_size
        self._reset_buffers()

    def _reset_buffers(self):
        self._datapipe_iterator = None
        self.child_buffers = [deque() for _ in range(self.num_instances)]
        self._child_stop = [True] * self.num_instances
        self.main_datapipe_exhausted = False
        self.current_buffer_usage = 0

    def reset(self) -> None:
        self._reset_buffers()

    def get_next_element_by_instance(self, instance_id: int):
        if self._datapipe_iterator is None and self._child_stop[instance_id]:
            self._datapipe_iterator = iter(self.main_datapipe)
            self._snapshot_state = _SnapshotState.Iterating
            self.main_datapipe_exhausted = False
            self._child_stop = [False] * self.num_instances
        waiting = self.child_buffers[instance_id]
        try:
            while not self._child_stop[instance_id]:
                if waiting:
                    yield self._pop_item_copy(waiting, instance_id)
                elif self.main_datapipe_exhausted:
                    return
                else:
                    try:
                        item = next(self._datapipe_iterator)
                    except StopIteration:
                        self.main_datapipe_exhausted = True
                        self._datapipe_iterator = None
                        return
                    self._buffer_item_for_children(item, instance_id)
        finally:
            self._child_stop[instance_id] = True
            if all(self._child_stop):
                self._datapipe_iterator = None
            self._close_streams_if_all_stopped(instance_id)

    def is_every_instance_exhausted(self) -> bool:
        return self.main_datapipe_exhausted and all(self._child_stop)

    def _make_overflow_error(self, name):
        return BufferError(f"{name} {self.buffer_size} is insufficient.")

    def _close_streams(self, queues):
        for waiting in queues:
            while waiting:
                StreamWrapper.close_streams(waiting.popleft())

    def __del__(self):
        self._close_streams(vars(self).get("child_buffers", ()))


def _make_child_pipes(container, datapipe, num_instances, *args):
    if num_instances < 1:
        raise ValueError(f"Expected `num_instances` larger than 0, but {num_instances} is found")
    main = container(datapipe, num_instances, *args)
    return [_ChildDataPipe(main, i) for i in range(num_instances)]


def _no_op(x):
    return x


@functional_datapipe("fork")
class ForkerIterDataPipe(IterDataPipe):
    """Several pipes that each give all items of one; `pipe.fork(n)` makes them.

    Items that some pipes have passed wait in a buffer for the others. A new iterator of any of them
    starts all of them again.

    Args:
        datapipe (IterDataPipe): the source.
        num_instances (int): number of pipes; for 1, the source itself is returned.
        buffer_size (int): how far pipes can be apart, then BufferError; -1 has no limit.
            Default: ``1000``.
        copy (str, optional): ``"shallow"`` or ``"deep"`` gives each pipe copies. Default: ``None``.

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> first, second = IterableWrapper(range(3)).fork(2)
        >>> list(first), list(second)
        ([0, 1, 2], [0, 1, 2])
    """

    def __new__(
        cls,
        datapipe: IterDataPipe,
        num_instances: int,
        buffer_size: int = 1000,
        copy: Literal["shallow", "deep"] | None = None,
    ):
        if num_instances == 1:
            return datapipe
        return _make_child_pipes(_ForkerIterDataPipe, datapipe, num_instances, buffer_size, copy)


class _ForkerIterDataPipe(_ContainerTemplate):
    _kept = "main_datapipe num_instances buffer_size copy_fn"

    def __init__(
        self,
        datapipe: IterDataPipe,
        num_instances: int,
        buffer_size: int = 1000,
        copy: Literal["shallow", "deep"] | None = None,
    ) -> None:
        self._set_up_buffers("fork", datapipe, num_instances, buffer_size)
        copies = {None: _no_op, "shallow": copying.copy, "deep": copying.deepcopy}
        if copy not in copies:
            raise ValueError(f"Unknown copy method `{copy}` requested, choose one of None, `shallow` or `deep`.")
        self.copy_fn = copies[copy]

    def get_length_by_instance(self, instance_id: int) -> int:
        return len(self.main_datapipe)

    def __len__(self) -> int:
        return len(self.main_datapipe)

    def _buffer_item_for_children(self, item, instance_id):
        for waiting in self.child_buffers:
            waiting.append(item)

    def _pop_item_copy(self, waiting, instance_id):
        item = waiting.popleft()
        if 0 <= self.buffer_size < max(map(len, self.child_buffers)):
            raise self._make_overflow_error("ForkerIterDataPipe buffer overflow,buffer size")
        return self.copy_fn(item)

    def _close_streams_if_all_stopped(self, instance_id):
        if all(self._child_stop):
            self._close_streams(self.child_buffers)


class _ChildDataPipe(IterDataPipe):
    """One of several pipes over one container; an iterator of any of them starts a new generation of all."""

    _is_child_datapipe = True

    def __init__(self, main_datapipe: IterDataPipe, instance_id: int) -> None:
        if not isinstance(main_datapipe, _ContainerTemplate):
            raise AssertionError("main_datapipe must implement _ContainerTemplate")
        self.main_datapipe = main_datapipe
        self.instance_id = instance_id

    def __iter__(self):
        return self.main_datapipe.get_next_element_by_instance(self.instance_id)

    def __len__(self) -> int:
        return self.main_datapipe.get_length_by_instance(self.instance_id)

    def _start_iterator(self):
        main = self.main_datapipe
        if main._valid_iterator_id is None:
            main._valid_iterator_id = 0
        elif main._valid_iterator_id == self._valid_iterator_id:
            # This child has already created its iterator of the current generation.
            main._valid_iterator_id += 1
            if not main.is_every_instance_exhausted():
                warnings.warn(
                    "Some child DataPipes are not exhausted when __iter__ is called. We are resetting the buffer and "
                    "each child DataPipe will read from the start again.",
                    stacklevel=2,
                )
            main.reset()
        self._valid_iterator_id = main._valid_iterator_id
        return self._valid_iterator_id

    def _check_iterator(self, number):
        if not number == self._valid_iterator_id == self.main_datapipe._valid_iterator_id:
            raise RuntimeError(
                "This iterator has been invalidated, because a new iterator has been created from one of the "
                f"ChildDataPipes of {describe_pipe(self.main_datapipe)}.{SINGLE_ITERATOR}"
            )


@functional_datapipe("demux")
class DemultiplexerIterDataPipe(IterDataPipe):
    """Several pipes that share the items of one as a function decides; `pipe.demux(n, fn)` makes them.

    Args:
        datapipe (IterDataPipe): the source.
        num_instances (int): number of pipes.
        classifier_fn (callable): from an item to the number of its pipe, or None.
        drop_none (bool): drops items for which the function returns None, which is an error otherwise.
            Default: ``False``.
        buffer_size (int): how many items may wait for pipes other than the one that is read, then
            BufferError; -1 has no limit. Default: ``1000``.

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> def is_odd(number):
        ...     return number % 2
        >>> even, odd = IterableWrapper(range(5)).demux(2, is_odd)
        >>> list(even), list(odd)
        ([0, 2, 4], [1, 3])
    """

    def __new__(
        cls,
        datapipe: IterDataPipe,
        num_instances: int,
        classifier_fn: Callable[[Any], int | None],
        drop_none: bool = False,
        buffer_size: int = 1000,
    ):
        return _make_child_pipes(
            _DemultiplexerIterDataPipe, datapipe, num_instances, classifier_fn, drop_none, buffer_size
        )


class _DemultiplexerIterDataPipe(_ContainerTemplate):
    _kept = "main_datapipe num_instances buffer_size classifier_fn drop_none"

    def __init__(
        self,
        datapipe: IterDataPipe[Any],
        num_instances: int,
        classifier_fn: Callable[[Any], int | None],
        drop_none: bool,
        buffer_size: int,
    ) -> None:
        _check_unpickable_fn(classifier_fn)
        self._set_up_buffers("demux", datapipe, num_instances, buffer_size)
        self.classifier_fn = classifier_fn
        self.drop_none = drop_none

    def get_length_by_instance(self, instance_id: int) -> int:
        raise TypeError

    def _buffer_item_for_children(self, item, instance_id):
        child = self.classifier_fn(item)
        if child is None and self.drop_none:
            StreamWrapper.close_streams(item)
            return
        if child is None or not 0 <= child < self.num_instances:
            raise ValueError(
                f"Output of the classification fn should be between 0 and {self.num_instances - 1}. {child} is "
                "returned."
            )
        self.child_buffers[child].append(item)
        self.current_buffer_usage += 1
        if child != instance_id and 0 <= self.buffer_size < self.current_buffer_usage:
            raise self._make_overflow_error("DemultiplexerIterDataPipe buffer overflow, buffer size")

    def _pop_item_copy(self, waiting, instance_id):
        self.current_buffer_usage -= 1
        return waiting.popleft()

    def _close_streams_if_all_stopped(self, instance_id):
        self._close_streams([self.child_buffers[instance_id]])


@functional_datapipe("mux")
class MultiplexerIterDataPipe(IterDataPipe):
    """Items of the pipes in rotation, until one is exhausted; `pipe.mux(other)` makes it.

    Args:
        *datapipes (IterDataPipe): the sources.

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> list(IterableWrapper([1, 2]).mux(IterableWrapper([10, 20, 30])))
        [1, 10, 2, 20]
    """

    _kept = "datapipes"

    def __init__(self, *datapipes) -> None:
        self.datapipes = datapipes
        self._reset_buffers()

    def _reset_buffers(self):
        self.buffer = []

    def __iter__(self):
        iterators = [iter(pipe) for pipe in self.datapipes]
        while iterators:
            try:
                self.buffer.extend([next(iterator) for iterator in iterators])
            except StopIteration:
                return
            yield from self.buffer
            self.buffer.clear()

    def __len__(self) -> int:
        return min([length_or_type_error(self, pipe) for pipe in self.datapipes]) * len(self.datapipes)

    def reset(self) -> None:
        self._reset_buffers()


@functional_datapipe("zip")
class ZipperIterDataPipe(IterDataPipe):
    """Tuples of one item of each pipe, until one has none left; `pipe.zip(other)` makes it.

    Args:
        *datapipes (IterDataPipe): the sources.

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> list(IterableWrapper([1, 2]).zip(IterableWrapper("ab")))
        [(1, 'a'), (2, 'b')]
    """

    def __init__(self, *datapipes: IterDataPipe) -> None:
        if not all(isinstance(pipe, IterDataPipe) for pipe in datapipes):
            raise TypeError("All inputs are required to be `IterDataPipe` for `ZipIterDataPipe`.")
        self.datapipes = datapipes

    def __iter__(self) -> Iterator[tuple[Any]]:
        yield from zip(*[iter(pipe) for pipe in self.datapipes])

    def __len__(self) -> int:
        return min([length_or_type_error(self, pipe) for pipe in self.datapipes])
