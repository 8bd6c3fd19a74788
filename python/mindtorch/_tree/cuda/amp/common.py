"""Whether automatic mixed precision on CUDA can be ruled out."""

from importlib.util import find_spec

__all__ = ["amp_definitely_not_available"]


def amp_definitely_not_available():
    """Whether no device for it is there."""
    from ... import cuda

    return not (cuda.is_available() or find_spec("torch_xla"))
