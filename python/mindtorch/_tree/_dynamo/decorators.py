"""What files with nested tensors name."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class _DimRange:
    """The sizes that a dimension may have."""

    dim: int
    min: int
    max: int
