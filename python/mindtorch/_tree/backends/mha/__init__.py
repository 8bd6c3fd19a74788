"""torch.backends.mha: whether nn's transformer layers may take their fused inference path."""

_is_fastpath_enabled: bool = True


def get_fastpath_enabled() -> bool:
    """Whether inference may use fused attention modules."""
    return _is_fastpath_enabled


def set_fastpath_enabled(value: bool) -> None:
    """Whether inference may use fused attention modules."""
    global _is_fastpath_enabled
    _is_fastpath_enabled = value
