"""Wraps a pipe's `__iter__`: only the newest iterator of a pipe is valid, and starting it resets the pipe."""

import contextlib
import functools
import inspect
from enum import Enum

from ...._root import torch

_UNRECORDED = contextlib.nullcontext()


class _SnapshotState(Enum):
    """Whether a pipe was moved to a position (`Restored`), from which its next iterator continues."""

    NotStarted = 0
    Restored = 1
    Iterating = 2


SINGLE_ITERATOR = (
    "\nFor feedback regarding this single iterator per IterDataPipe constraint, feel free to comment on this issue: "
    "https://github.com/pytorch/data/issues/45."
)


def describe_pipe(pipe):
    """Returns the pipe's arguments that it stores under their own names."""
    names = sorted(name for name in inspect.signature(type(pipe)).parameters if hasattr(pipe, name))
    return f"{type(pipe).__name__}({', '.join(f'{name}={_format_argument(getattr(pipe, name))}' for name in names)})"


def _format_argument(value):
    return value.__name__ if inspect.isfunction(value) else repr(value)


def _profile_item(pipe):
    """The profiler's range for one item, if a profiler runs."""
    profiler = torch.autograd.profiler
    if not profiler._profiler_enabled():
        return _UNRECORDED
    return profiler.record_function(describe_pipe(pipe).replace("IterDataPipe", "").replace("MapDataPipe", ""))


def _take_restored_iterator(pipe):
    """Returns, once, the iterator of a pipe that was moved to a position."""
    iterator, pipe._fast_forward_iterator = pipe._fast_forward_iterator, None
    return iterator


def _explain_error(error, pipe):
    """Adds the pipe that raised to an error's text, unless a pipe below it is named already."""
    where = "thrown by __iter__ of"
    first = error.args[0] if error.args else None
    if not isinstance(first, str):
        error.args = (f"\nThis exception is {where} {describe_pipe(pipe)}",)
    elif where not in first and "single iterator per IterDataPipe constraint" not in first:
        error.args = (f"{first}\nThis exception is {where} {describe_pipe(pipe)}", *error.args[1:])


def _wrap_generator(iterate):
    @functools.wraps(iterate)
    def yield_checked_items(pipe, *args, **kwargs):
        generator = iterate(pipe, *args, **kwargs)
        if (restored := _take_restored_iterator(pipe)) is not None:
            pipe._snapshot_state = _SnapshotState.Iterating
            yield from restored
            return
        number = pipe._start_iterator()
        request = None
        try:
            while True:
                with _profile_item(pipe):
                    pipe._check_iterator(number)
                    item = generator.send(request)
                pipe._number_of_samples_yielded += 1
                request = yield item
        except StopIteration:
            return
        except Exception as error:
            _explain_error(error, pipe)
            raise

    return yield_checked_items


class _Iterator:
    """Wraps an iterator that a plain `__iter__` returned, with checks."""

    def __init__(self, iterator, pipe, number, counts):
        self.iterator, self._pipe, self._number, self._counts = iterator, pipe, number, counts

    def __iter__(self):
        return self

    def __next__(self):
        with _profile_item(self._pipe):
            self._pipe._check_iterator(self._number)
            item = next(self.iterator)
        self._pipe._number_of_samples_yielded += self._counts
        return item

    def __getattr__(self, name):
        return getattr(self.iterator, name)


def _wrap_function(iterate, has_next):
    @functools.wraps(iterate)
    def start_checked_iterator(pipe, *args, **kwargs):
        iterator = iterate(pipe, *args, **kwargs)
        pipe._snapshot_state = _SnapshotState.Iterating
        if (restored := _take_restored_iterator(pipe)) is not None:
            return restored
        return _Iterator(iterator, pipe, pipe._start_iterator(), not (has_next and iterator is pipe))

    return start_checked_iterator


def _wrap_next(step):
    @functools.wraps(step)
    def step_and_count(pipe, *args, **kwargs):
        with _profile_item(pipe):
            item = step(pipe, *args, **kwargs)
        pipe._number_of_samples_yielded += 1
        return item

    return step_and_count


def _wrap_reset(reset):
    @functools.wraps(reset)
    def reset_unless_restored(pipe, *args, **kwargs):
        if pipe._snapshot_state is not _SnapshotState.Restored:
            pipe._number_of_samples_yielded = 0
            pipe._fast_forward_iterator = None
            reset(pipe, *args, **kwargs)
        pipe._snapshot_state = _SnapshotState.Iterating

    return reset_unless_restored


def hook_iterator(namespace):
    """Wraps the iteration methods of a class that is being created."""
    if "reset" in namespace:
        namespace["reset"] = _wrap_reset(namespace["reset"])
    iterate = namespace.get("__iter__")
    if iterate is None:
        return
    if inspect.isgeneratorfunction(iterate):
        namespace["__iter__"] = _wrap_generator(iterate)
        return
    has_next = "__next__" in namespace
    if has_next:
        namespace["__next__"] = _wrap_next(namespace["__next__"])
    namespace["__iter__"] = _wrap_function(iterate, has_next)
