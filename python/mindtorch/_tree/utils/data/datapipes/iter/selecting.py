"""A pipe that drops items."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any


from ....._root import torch
from .._decorator import functional_datapipe
from ..datapipe import IterDataPipe
from ..utils.common import StreamWrapper, _check_unpickable_fn, validate_input_col
from .callable import apply_to_columns


@functional_datapipe("filter")
class FilterIterDataPipe(IterDataPipe):
    """The items that a function selects; `pipe.filter(fn)` makes it. Streams within the others are closed.

    Args:
        datapipe (IterDataPipe): the source.
        filter_fn (callable): from an item, or columns of it, to a bool.
        input_col (int, str or sequence, optional): key or keys of the columns for the function.
            Default: ``None``, the item.

    Raises:
        ValueError: in iteration, if the function returns something else than a bool.

    Example:
        >>> from torch.utils.data.datapipes.iter import IterableWrapper
        >>> def is_small(number):
        ...     return number < 3
        >>> list(IterableWrapper(range(9)).filter(is_small))
        [0, 1, 2]
    """

    def __init__(self, datapipe: IterDataPipe[Any], filter_fn: Callable, input_col=None) -> None:
        self.datapipe = datapipe
        _check_unpickable_fn(filter_fn)
        self.filter_fn = filter_fn
        self.input_col = input_col
        validate_input_col(filter_fn, input_col)

    def __iter__(self) -> Iterator[Any]:
        for data in self.datapipe:
            wanted = apply_to_columns(self.filter_fn, data, self.input_col)
            if not isinstance(wanted, bool):
                raise ValueError("Boolean output is required for `filter_fn` of FilterIterDataPipe, got", type(wanted))
            if wanted:
                yield data
            else:
                StreamWrapper.close_streams(data)
