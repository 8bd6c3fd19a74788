"""Pipes of data frames: only their base class."""

from ..datapipe import DFIterDataPipe

__all__ = ["CaptureDataFrame", "DFIterDataPipe", "DataFramesAsTuplesPipe"]


class _Missing:
    def __init__(self, *args, **kwargs) -> None:
        raise NotImplementedError(f"{type(self).__name__}: there are no data frame pipes")


class CaptureDataFrame(_Missing):
    """Not available here."""


class DataFramesAsTuplesPipe(_Missing):
    """Not available here."""
