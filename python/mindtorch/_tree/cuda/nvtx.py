"""NVTX markers, which need a CUDA build."""

from contextlib import contextmanager

from .._absent_device import define_refusing_functions

__all__ = ["range_push", "range_pop", "range_start", "range_end", "mark", "range"]

define_refusing_functions(
    __name__,
    (
        "range_push(msg): Begins a nested range.",
        "range_pop(): Ends the innermost range.",
        "range_start(msg): Begins a range.",
        "range_end(range_id): Ends a range.",
        "mark(msg): Marks a moment.",
    ),
    RuntimeError,
    "NVTX functions not installed. Are you sure you have a CUDA build?",
)


@contextmanager
def range(msg, *args, **kwargs):
    """Would mark a block for NVIDIA's tools: raises RuntimeError on entry, as this build has no NVTX.

    Args:
        msg (str): the text, a format.
        *args, **kwargs: values for the format.

    Returns:
        a context manager.
    """
    range_push(msg.format(*args, **kwargs))  # noqa: F821
    yield
