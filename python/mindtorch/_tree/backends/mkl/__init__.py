"""torch.backends.mkl: not part of this build."""

VERBOSE_OFF = 0
VERBOSE_ON = 1


def is_available():
    """Returns whether MKL is available: False.

    Returns:
        bool: always False here.
    """
    return False


class verbose:
    """Lets MKL report its calls inside a block; there is none, so that switching it on raises AssertionError.

    Args:
        enable (int): ``VERBOSE_OFF`` or ``VERBOSE_ON``.
    """

    def __init__(self, enable):
        self.enable = enable

    def __enter__(self):
        if self.enable == VERBOSE_OFF:
            return None
        raise AssertionError("Failed to set MKL into verbose mode. Please consider to disable this verbose scope.")

    def __exit__(self, exc_type, exc_val, exc_tb):
        return False
