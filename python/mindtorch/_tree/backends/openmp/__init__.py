"""torch.backends.openmp: not part of this build; threads come from a pool of its own."""


def is_available():
    """Returns whether OpenMP is available: False; the library has a pool of threads of its own.

    Returns:
        bool: always False here.
    """
    return False
