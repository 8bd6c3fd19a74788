"""torch.backends.mkl: not part of this build."""

VERBOSE_OFF = 0
VERBOSE_ON = 1


def is_available():
    """False: no MKL here."""
    return False


class verbose:
    """Lets MKL report its calls; there is none to report."""

    def __init__(self, enable):
        self.enable = enable

    def __enter__(self):
        if self.enable == VERBOSE_OFF:
            return None
        raise AssertionError("Failed to set MKL into verbose mode. Please consider to disable this verbose scope.")

    def __exit__(self, exc_type, exc_val, exc_tb):
        return False
