"""torch.backends.mkldnn: not part of this build; its flags are kept for programs that set them."""

from .. import _boolean, _FP32Precision, _make_property_module, _precision, _Setting

VERBOSE_OFF = 0
VERBOSE_ON = 1
VERBOSE_ON_CREATION = 2

matmul = _FP32Precision("mkldnn", "matmul")
conv = _FP32Precision("mkldnn", "conv")
rnn = _FP32Precision("mkldnn", "rnn")


def is_available():
    """False: no oneDNN here."""
    return False


def is_acl_available():
    """False: no Arm's compute library here."""
    return False


class verbose:
    """Lets oneDNN report its calls; there is none to report."""

    def __init__(self, level):
        self.level = level

    def __enter__(self):
        if self.level == VERBOSE_OFF:
            return None
        raise AssertionError(
            "Failed to set MKLDNN into verbose mode. Please consider to disable this verbose scope."
        )

    def __exit__(self, exc_type, exc_val, exc_tb):
        return False


_make_property_module(
    __name__,
    {
        "enabled": _Setting(True, _boolean),
        "deterministic": _Setting(False, _boolean),
        "allow_tf32": _Setting(True, _boolean),
        "fp32_precision": _Setting("none", _precision),
    },
    {"enabled": False, "deterministic": False, "allow_tf32": True, "fp32_precision": "none"},
)
