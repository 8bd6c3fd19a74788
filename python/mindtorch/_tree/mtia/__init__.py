"""torch.mtia as a build without MTIA has it."""

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
    """Raises: there is no MTIA here."""
    _lazy_init()


def is_initialized():
    """False: there are no devices."""
    return False


def _is_in_bad_fork() -> bool:
    return False


def is_available() -> bool:
    """False: no MTIA here."""
    return False


def device_count() -> int:
    """0: no MTIA here."""
    return 0


def is_bf16_supported(including_emulation: bool = True):
    """False: there is no device."""
    return False


def memory_stats(device=None) -> dict[str, Any]:
    """Counters of the allocator: none."""
    return {}


def manual_seed(seed: int) -> None:
    """Takes effect when MTIA starts, so here never."""
    int(seed)


def manual_seed_all(seed: int) -> None:
    """Seeds every device: none, here."""
    int(seed)


def seed() -> None:
    """Takes effect when MTIA starts, so here never."""


def seed_all() -> None:
    """Takes effect when MTIA starts, so here never."""


# What torch's device hooks call the thing that is then missing.
for _declared, _hook in {
    "synchronize(device=None)": "getCurrentDevice",
    "current_device()": "getCurrentDevice",
    "current_stream(device=None)": "getCurrentDevice",
    "default_stream(device=None)": "getCurrentDevice",
    "empty_cache()": "emptyCache",
    "get_device_properties(device=None)": "getDeviceProperties",
    "get_device_capability(device=None)": "getDeviceCapability",
    "set_device(device)": "setCurrentDevice",
}.items():
    refuse_all(__name__, (_declared,), RuntimeError, f"Cannot execute {_hook}() without MTIA backend.")
del _declared, _hook
