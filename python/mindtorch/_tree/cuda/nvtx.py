"""NVTX marks, which need a CUDA build."""

from contextlib import contextmanager

from .._absent_device import refuse_all

__all__ = ["range_push", "range_pop", "range_start", "range_end", "mark", "range"]

refuse_all(
    __name__,
    ("range_push(msg)", "range_pop()", "range_start(msg)", "range_end(range_id)", "mark(msg)"),
    RuntimeError,
    "NVTX functions not installed. Are you sure you have a CUDA build?",
)


@contextmanager
def range(msg, *args, **kwargs):
    """Raises: no NVTX here."""
    range_push(msg.format(*args, **kwargs))  # noqa: F821
    yield
