"""torch.accelerator: whatever accelerator there is; on a build for CPUs only, none."""

import warnings

from .._absent_device import refuse_all

_NONE = "Cannot access accelerator device when none is available."


def device_count() -> int:
    return 0


def is_available() -> bool:
    return False


def current_accelerator(check_available: bool = False):
    """The accelerator's device type, or None."""
    return None


_NEED_DEVICE = (
    "current_device_index()",
    "current_stream(device=None, /)",
    "empty_cache()",
    "empty_host_cache()",
    "get_device_capability(device=None, /)",
    "get_memory_info(device_index=None, /)",
    "max_memory_allocated(device_index=None, /)",
    "max_memory_reserved(device_index=None, /)",
    "memory_allocated(device_index=None, /)",
    "memory_reserved(device_index=None, /)",
    "memory_stats(device_index=None, /)",
    "reset_accumulated_memory_stats(device_index=None, /)",
    "reset_peak_memory_stats(device_index=None, /)",
    "set_device_index(device, /)",
    "set_stream(stream)",
    "synchronize(device=None, /)",
)
refuse_all(__name__, _NEED_DEVICE, RuntimeError, _NONE)


def current_device_idx() -> int:
    warnings.warn("Use `current_device_index` instead.", FutureWarning, stacklevel=2)
    return current_device_index()  # noqa: F821


def set_device_idx(device, /) -> None:
    warnings.warn("Use `set_device_index` instead.", FutureWarning, stacklevel=2)
    set_device_index(device)  # noqa: F821


class device_index:
    """Makes a device current for a block; None leaves the current one."""

    def __init__(self, device: int | None, /) -> None:
        self.idx = device
        self.prev_idx = -1

    def __enter__(self) -> None:
        if self.idx is not None:
            raise RuntimeError(_NONE)

    def __exit__(self, *exc_info: object) -> None:
        return None


__all__ = ["current_accelerator", "current_device_idx", "device_count", "device_index", "is_available",
           "set_device_idx", *(declared.partition("(")[0] for declared in _NEED_DEVICE)]  # fmt: skip
