"""torch.backends.mha: whether nn's transformer layers may use their fused inference path."""

_is_fastpath_enabled: bool = True


def get_fastpath_enabled() -> bool:
    """Returns whether transformer layers may take their fused path for inference.

    Returns:
        bool: the setting, True at first.
    """
    return _is_fastpath_enabled


def set_fastpath_enabled(value: bool) -> None:
    """Sets whether transformer layers may take their fused path for inference.

    Args:
        value (bool): whether they may.
    """
    global _is_fastpath_enabled
    _is_fastpath_enabled = value
