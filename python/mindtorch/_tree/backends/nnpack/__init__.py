"""torch.backends.nnpack: not part of this build."""

from .. import _require_bool, _make_property_module, _Setting

__all__ = ["is_available", "flags", "set_flags"]


def is_available():
    """Returns whether NNPACK is available: False.

    Returns:
        bool: always False here.
    """
    return False


_make_property_module(__name__, {"enabled": _Setting(False, _require_bool)}, {"enabled": False})
