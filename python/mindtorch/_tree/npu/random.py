"""Random state of NPUs. Without one, seeding is no error: portable programs do it unasked."""

from collections.abc import Iterable

from .. import _C
from .._root import torch
from ._devices import current_device
from ._start import _lazy_init, device_count

__all__ = [
    "get_rng_state",
    "get_rng_state_all",
    "set_rng_state",
    "set_rng_state_all",
    "manual_seed",
    "manual_seed_all",
    "seed",
    "seed_all",
    "initial_seed",
]


def _default_generator(device):
    """The generator of a device: an index, a name, a torch.device, or None for the current one."""
    if isinstance(device, str):
        device = torch.device(device)
    index = device if isinstance(device, int) else getattr(device, "index", None)
    return _C._npu_defaultGenerator(current_device() if index is None else index)


def _get_generator(device: torch.device):
    _lazy_init()
    return _default_generator(device)


def get_rng_state(device="npu"):
    """The state of a device's generator: 16 bytes, seed and offset."""
    _lazy_init()
    return _default_generator(device).get_state()


def get_rng_state_all() -> list:
    """The states of all devices' generators."""
    return [get_rng_state(index) for index in range(device_count())]


def set_rng_state(new_state, device="npu") -> None:
    """Sets the state of a device's generator."""
    if device_count() > 0:
        _default_generator(device).set_state(new_state)


def set_rng_state_all(new_states: Iterable) -> None:
    """Sets the states of all devices' generators."""
    for index, state in enumerate(new_states):
        set_rng_state(state, index)


def manual_seed(seed: int) -> None:
    """Seeds the current device's generator."""
    seed = int(seed)
    if device_count() > 0:
        _default_generator(None).manual_seed(seed)


def manual_seed_all(seed: int) -> None:
    """Seeds the generators of all devices."""
    seed = int(seed)
    for index in range(device_count()):
        _default_generator(index).manual_seed(seed)


def seed() -> None:
    """Seeds the current device's generator from the system's randomness."""
    if device_count() > 0:
        _default_generator(None).seed()


def seed_all() -> None:
    """Seeds the generators of all devices with one number from the system's randomness."""
    if device_count() > 0:
        manual_seed_all(_default_generator(0).seed())


def initial_seed() -> int:
    """The seed that the current device's generator was last given."""
    _lazy_init()
    return _default_generator(None).initial_seed()


def _get_rng_state_offset(device="npu") -> int:
    _lazy_init()
    return _default_generator(device).get_offset()


def _set_rng_state_offset(offset: int, device="npu") -> None:
    if device_count() > 0:
        _default_generator(device).set_offset(offset)
