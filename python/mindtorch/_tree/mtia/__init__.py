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
    _lazy_init()


def is_initialized():
    return False


def _is_in_bad_fork() -> bool:
    return False


def is_available() -> bool:
    return False


def device_count() -> int:
    return 0


def is_bf16_supported(including_emulation: bool = True):
    return False


def memory_stats(device=None) -> dict[str, Any]:
    return {}


def manual_seed(seed: int) -> None:
    """Takes effect when MTIA starts, so here never."""
    int(seed)


def manual_seed_all(seed: int) -> None:
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
