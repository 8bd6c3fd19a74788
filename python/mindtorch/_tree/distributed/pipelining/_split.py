"""Marks of the points at which a model is split; without torch.export nothing splits it."""

from enum import Enum

__all__ = ["SplitPoint", "pipe_split"]


class SplitPoint(Enum):
    """On which side of a submodule a model is split."""

    BEGINNING = 1
    END = 2


def pipe_split() -> None:
    """Marks the end of a stage in the `forward` of a model; in eager execution it does nothing."""
