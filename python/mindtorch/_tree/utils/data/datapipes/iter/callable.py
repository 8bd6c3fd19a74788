"""Pipes that apply a function to each item."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any


from ....._root import torch
from ..._utils.collate import default_collate
from .._decorator import functional_datapipe
from ..datapipe import IterDataPipe
from ..utils.common import _check_unpickable_fn, source_length, validate_input_col


def apply_to_columns(function, data, columns):
    """Calls a function with the item, or with the item's columns that it concerns."""
    if columns is None:
        return function(data)
    return function(*[data[column] for column in (columns if isinstance(columns, (list, tuple)) else [columns])])


def _output_column(output_col, input_col):
    """Returns the one column that gets a result, or None if the input columns do."""
    if output_col is None:
        return None
    if input_col is None:
        raise ValueError("`output_col` must be None when `input_col` is None.")
    if not isinstance(output_col, (list, tuple)):
        return output_col
    if len(output_col) > 1:
        raise ValueError("`output_col` must be a single-element list or tuple")
    return output_col[0]


@functional_datapipe("map")
class MapperIterDataPipe(IterDataPipe):
    """What a function makes of each item, or of columns of it; `pipe.map(fn)` makes it.

    With columns, the function is called with these columns of each item, and its result takes their
    place: the first of them, while the others go; `output_col` names another place.

    Args:
        datapipe (IterDataPipe): the source.
        fn (callable): the function; lambdas cannot be pickled, so not sent to worker processes.
        input_col (int, str or sequence, optional): key or keys of the columns for the function; without
            it, the function gets the item. Default: ``None``.
        output_col (int or str, optional): key that takes the result; -1 appends it. Default: ``None``.

    Raises:
        ValueError: if there is an `output_col` without `input_col`, or more than one, or if the
            function cannot be called with so many columns.

    Example:
        >>> from operator import neg
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> list(IterableWrapper(range(3)).map(neg))
        [0, -1, -2]
        >>> list(IterableWrapper([(1, 2), (3, 4)]).map(neg, input_col=0, output_col=-1))
        [(1, 2, -1), (3, 4, -3)]
    """

    def __init__(self, datapipe: IterDataPipe, fn: Callable, input_col=None, output_col=None) -> None:
        self.datapipe = datapipe
        _check_unpickable_fn(fn)
        self.fn = fn
        self.input_col = input_col
        self.output_col = _output_column(output_col, input_col)
        validate_input_col(fn, input_col)

    def _apply_fn(self, data):
        result = apply_to_columns(self.fn, data, self.input_col)
        if self.input_col is None:
            return result
        changed = list(data) if isinstance(data, tuple) else data
        if self.output_col == -1:
            changed.append(result)
        elif self.output_col is not None:
            changed[self.output_col] = result
        elif isinstance(self.input_col, (list, tuple)):
            # The first input column gets the result; the others are removed.
            changed[self.input_col[0]] = result
            for column in sorted(self.input_col[1:], reverse=True):
                del changed[column]
        else:
            changed[self.input_col] = result
        return tuple(changed) if isinstance(data, tuple) else changed

    def __iter__(self) -> Iterator[Any]:
        for data in self.datapipe:
            yield self._apply_fn(data)

    __len__ = source_length


@functional_datapipe("collate")
class CollatorIterDataPipe(MapperIterDataPipe):
    """Each item, a batch, collated into tensors; `pipe.collate()` makes it.

    Args:
        datapipe (IterDataPipe): the source, of batches.
        conversion (callable): the function, if there is no `collate_fn`; a mapping, for data frames, is
            not supported. Default: `torch.utils.data.default_collate`.
        collate_fn (callable, optional): the function. Default: ``None``.

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> list(IterableWrapper(range(4)).batch(2).collate())
        [tensor([0, 1]), tensor([2, 3])]
    """

    def __init__(
        self,
        datapipe: IterDataPipe,
        conversion: Callable[..., Any] | dict[str | Any, Callable | Any] | None = default_collate,
        collate_fn: Callable | None = None,
    ) -> None:
        if collate_fn is None and not callable(conversion):
            raise NotImplementedError("Collator over the columns of data frames: there are no data frame pipes")
        super().__init__(datapipe, fn=conversion if collate_fn is None else collate_fn)
