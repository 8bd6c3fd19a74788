"""torch.mtia as in a build without MTIA."""

from __future__ import annotations

from typing import Any

from .. import _absent_answers
from .._absent_device import define_refusing_functions

_NO_MTIA = (
    "Torch not compiled with MTIA enabled. "
    "Ensure you have `import mtia.host_runtime.torch_mtia.dynamic_library` in your python src file and include "
    "`//mtia/host_runtime/torch_mtia:torch_mtia` as your target dependency!"
)


_absent_answers.define(
    __name__,
    "MTIA",
    _absent_answers._is_compiled,
    _absent_answers.is_initialized,
    _absent_answers._is_in_bad_fork,
    _absent_answers.is_available,
    _absent_answers.device_count,
    _absent_answers.is_bf16_supported,
    _absent_answers.manual_seed,
    _absent_answers.manual_seed_all,
    _absent_answers.seed,
    _absent_answers.seed_all,
)


def _lazy_init() -> None:
    raise AssertionError(_NO_MTIA)


def init() -> None:
    """Would initialise MTIA: always raises AssertionError, as this build has none."""
    _lazy_init()


def memory_stats(device=None) -> dict[str, Any]:
    """Returns the figures of the MTIA allocator.

    Args:
        device (torch.device, str or int, optional): not looked at.

    Returns:
        dict[str, Any]: empty, as this build has no such allocator.
    """
    return {}


# The backend's name in torch's error message about missing hooks.
for _declared, _hook in {
    "synchronize(device=None): Waits until all work of a device is done.": "getCurrentDevice",
    "current_device(): Returns the index of the current device.": "getCurrentDevice",
    "current_stream(device=None): Returns the stream that a device's work goes to.": "getCurrentDevice",
    "default_stream(device=None): Returns the stream that a device starts with.": "getCurrentDevice",
    "empty_cache(): Gives cached memory back.": "emptyCache",
    "get_device_properties(device=None): Returns the name, the memory and other properties of a device.": (
        "getDeviceProperties"
    ),
    "get_device_capability(device=None): Returns what a device can do: for CUDA, (major, minor).": (
        "getDeviceCapability"
    ),
    "set_device(device): Makes a device current.": "setCurrentDevice",
}.items():
    define_refusing_functions(__name__, (_declared,), RuntimeError, f"Cannot execute {_hook}() without MTIA backend.")
del _declared, _hook
