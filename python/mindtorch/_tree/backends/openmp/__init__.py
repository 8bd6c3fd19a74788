"""torch.backends.openmp: not part of this build; threads come from a pool of its own."""


def is_available():
    """False: no OpenMP here."""
    return False
