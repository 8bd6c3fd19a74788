"""A pipe over a sequence or a mapping."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from ..datapipe import MapDataPipe


class SequenceWrapperMapDataPipe(MapDataPipe):
    """A pipe of the items of a sequence or mapping, copied once where it can be copied.

    Args:
        sequence (sequence or mapping): the items.
        deepcopy (bool): whether to copy it. Default: ``True``.

    Example:
        >>> from torch.utils.data.datapipes.map import SequenceWrapper
        >>> pipe = SequenceWrapper({"a": 1})
        >>> pipe["a"], len(pipe)
        (1, 1)
    """

    def __init__(self, sequence: Sequence[Any] | Mapping[Any, Any], deepcopy: bool = True) -> None:
        self.sequence = sequence
        if not deepcopy:
            return
        try:
            self.sequence = copy.deepcopy(sequence)
        except TypeError:
            warnings.warn(
                "The input sequence can not be deepcopied, please be aware of in-place modification would affect "
                "source data",
                stacklevel=2,
            )

    def __getitem__(self, index: int) -> Any:
        return self.sequence[index]

    def __len__(self) -> int:
        return len(self.sequence)
