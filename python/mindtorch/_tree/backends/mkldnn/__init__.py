"""torch.backends.mkldnn: not part of this build; stores flags for programs that set them."""

from __future__ import annotations

from .. import _require_bool, _FP32Precision, _make_property_module, _require_precision_name, _Setting

VERBOSE_OFF = 0
VERBOSE_ON = 1
VERBOSE_ON_CREATION = 2

matmul = _FP32Precision("mkldnn", "matmul")
conv = _FP32Precision("mkldnn", "conv")
rnn = _FP32Precision("mkldnn", "rnn")


def is_available() -> bool:
    """Returns whether oneDNN is available: False.

    Returns:
        bool: always False here.
    """
    return False


def is_acl_available():
    """Returns whether Arm's compute library is available: False.

    Returns:
        bool: always False here.
    """
    return False


class verbose:
    """Lets oneDNN report its calls inside a block; there is none, so that switching it on raises AssertionError.

    Args:
        level (int): ``VERBOSE_OFF``, ``VERBOSE_ON`` or ``VERBOSE_ON_CREATION``.
    """

    def __init__(self, level):
        self.level = level

    def __enter__(self):
        if self.level == VERBOSE_OFF:
            return None
        raise AssertionError("Failed to set MKLDNN into verbose mode. Please consider to disable this verbose scope.")

    def __exit__(self, exc_type, exc_val, exc_tb):
        return False


_make_property_module(
    __name__,
    {
        "enabled": _Setting(True, _require_bool),
        "deterministic": _Setting(False, _require_bool),
        "allow_tf32": _Setting(True, _require_bool),
        "fp32_precision": _Setting("none", _require_precision_name),
    },
    {"enabled": False, "deterministic": False, "allow_tf32": True, "fp32_precision": "none"},
)
