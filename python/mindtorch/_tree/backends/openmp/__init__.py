"""torch.backends.openmp: not part of this build, which has its own thread pool."""


def is_available():
    """Returns whether OpenMP is available: False; the library has its own thread pool.

    Returns:
        bool: always False here.
    """
    return False
