"""Random state of NPUs. Without a device, seeding is not an error, since portable programs do it."""

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
    """Returns the generator of a device: an index, a name, a torch.device, or None for the current one."""
    if isinstance(device, str):
        device = torch.device(device)
    index = device if isinstance(device, int) else getattr(device, "index", None)
    return _C._npu_defaultGenerator(current_device() if index is None else index)


def _get_generator(device: torch.device):
    _lazy_init()
    return _default_generator(device)


def get_rng_state(device="npu"):
    """Returns the state of a device's random generator.

    Args:
        device (torch.device, str or int): the device. Default: ``"npu"``, the current one.

    Returns:
        Tensor: 16 bytes (uint8, on the CPU): the seed and the offset.

    Raises:
        AssertionError: when there is no device.
    """
    _lazy_init()
    return _default_generator(device).get_state()


def get_rng_state_all() -> list:
    """Returns the states of all devices' random generators.

    Returns:
        list[Tensor]: a state for each device; empty without devices.
    """
    return [get_rng_state(index) for index in range(device_count())]


def set_rng_state(new_state, device="npu") -> None:
    """Sets the state of a device's random generator; nothing without devices.

    Args:
        new_state (Tensor): the state, of get_rng_state.
        device (torch.device, str or int): the device. Default: ``"npu"``, the current one.
    """
    if device_count() > 0:
        _default_generator(device).set_state(new_state)


def set_rng_state_all(new_states: Iterable) -> None:
    """Sets the states of the devices' random generators.

    Args:
        new_states (Iterable[Tensor]): a state for each device, of get_rng_state_all.
    """
    for index, state in enumerate(new_states):
        set_rng_state(state, index)


def manual_seed(seed: int) -> None:
    """Seeds the current device's random generator; nothing without devices.

    Args:
        seed (int): the seed.
    """
    seed = int(seed)
    if device_count() > 0:
        _default_generator(None).manual_seed(seed)


def manual_seed_all(seed: int) -> None:
    """Seeds the random generators of all devices.

    Args:
        seed (int): the seed.
    """
    seed = int(seed)
    for index in range(device_count()):
        _default_generator(index).manual_seed(seed)


def seed() -> None:
    """Seeds the current device's random generator from the system's randomness; does nothing without devices."""
    if device_count() > 0:
        _default_generator(None).seed()


def seed_all() -> None:
    """Seeds the random generators of all devices with one number from the system's randomness."""
    if device_count() > 0:
        manual_seed_all(_default_generator(0).seed())


def initial_seed() -> int:
    """Returns the seed that the current device's random generator was last given.

    Returns:
        int: the seed.

    Raises:
        AssertionError: when there is no device.
    """
    _lazy_init()
    return _default_generator(None).initial_seed()


def _get_rng_state_offset(device="npu") -> int:
    _lazy_init()
    return _default_generator(device).get_offset()


def _set_rng_state_offset(offset: int, device="npu") -> None:
    if device_count() > 0:
        _default_generator(device).set_offset(offset)
