"""Whether automatic mixed precision on CUDA is certainly unavailable."""

from __future__ import annotations

from importlib.util import find_spec

__all__ = ["amp_definitely_not_available"]


def amp_definitely_not_available() -> bool:
    """Returns whether mixed precision on CUDA cannot work: there is no CUDA, and no torch_xla is installed.

    Returns:
        bool: whether it cannot.
    """
    from ... import cuda

    return not (cuda.is_available() or find_spec("torch_xla"))
