"""torch.mtia as in a build without MTIA."""

from __future__ import annotations

from typing import Any

from .._absent_device import refuse_all

_NO_MTIA = (
    "Torch not compiled with MTIA enabled. "
    "Ensure you have `import mtia.host_runtime.torch_mtia.dynamic_library` in your python src file and include "
    "`//mtia/host_runtime/torch_mtia:torch_mtia` as your target dependency!"
)


def _is_compiled() -> bool:
    return False


def _lazy_init() -> None:
    raise AssertionError(_NO_MTIA)


def init() -> None:
    """Would initialise MTIA: always raises AssertionError, as this build has none."""
    _lazy_init()


def is_initialized() -> bool:
    """Returns whether a MTIA device was used.

    Returns:
        bool: False, as this build has none.
    """
    return False


def _is_in_bad_fork() -> bool:
    return False


def is_available() -> bool:
    """Returns whether MTIA can be used.

    Returns:
        bool: False, as this build has none.
    """
    return False


def device_count() -> int:
    """Returns the number of MTIA devices.

    Returns:
        int: 0, as this build has none.
    """
    return 0


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Returns whether the MTIA device computes with bfloat16.

    Args:
        including_emulation (bool): not looked at. Default: ``True``.

    Returns:
        bool: False, as this build has none.
    """
    return False


def memory_stats(device=None) -> dict[str, Any]:
    """Returns the figures of the MTIA allocator.

    Args:
        device (torch.device, str or int, optional): not looked at.

    Returns:
        dict[str, Any]: empty, as this build has no such allocator.
    """
    return {}


def manual_seed(seed: int) -> None:
    """Seeds the current MTIA device's generator: only checks the seed, as this build has no such device.

    Args:
        seed (int): the seed; what int() refuses is an error.
    """
    int(seed)


def manual_seed_all(seed: int) -> None:
    """Seeds the generators of all MTIA devices: only checks the seed, as this build has none.

    Args:
        seed (int): the seed; what int() refuses is an error.
    """
    int(seed)


def seed() -> None:
    """Seeds the current MTIA device's generator at random: does nothing, as this build has none."""


def seed_all() -> None:
    """Seeds the generators of all MTIA devices at random: does nothing, as this build has none."""


# The name of the missing hooks in torch's text.
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
    refuse_all(__name__, (_declared,), RuntimeError, f"Cannot execute {_hook}() without MTIA backend.")
del _declared, _hook
