"""Random state of CUDA devices: there is none, and seeding is not an error."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NoReturn

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


def _refuse_device():
    raise AssertionError("Torch not compiled with CUDA enabled")


def get_rng_state(device="cuda") -> NoReturn:
    """Would return the state of a device's generator: always raises AssertionError, as this build has none.

    Args:
        device (torch.device, str or int): not looked at. Default: ``"cuda"``.
    """
    _refuse_device()


def get_rng_state_all() -> list:
    """Lists the states of all CUDA devices' generators.

    Returns:
        list[Tensor]: empty, as this build has none.
    """
    return []


def set_rng_state(new_state, device="cuda") -> None:
    """Sets the state of a CUDA device's generator: does nothing, as this build has none.

    Args:
        new_state (Tensor): the state; ignored.
        device (torch.device, str or int): not looked at. Default: ``"cuda"``.
    """


def set_rng_state_all(new_states: Iterable) -> None:
    """Sets the states of the CUDA devices' generators: does nothing, as this build has none.

    Args:
        new_states (Iterable[Tensor]): the states; are gone through.
    """
    for index, state in enumerate(new_states):
        set_rng_state(state, index)


def manual_seed(seed: int) -> None:
    """Seeds the current CUDA device's generator: only checks the seed, as this build has no such device.

    Args:
        seed (int): the seed; what int() refuses is an error.
    """
    int(seed)


def manual_seed_all(seed: int) -> None:
    """Seeds the generators of all CUDA devices: only checks the seed, as this build has none.

    Args:
        seed (int): the seed; what int() refuses is an error.
    """
    int(seed)


def seed() -> None:
    """Seeds the current CUDA device's generator at random: does nothing, as this build has none."""


def seed_all() -> None:
    """Seeds the generators of all CUDA devices at random: does nothing, as this build has none."""


def initial_seed() -> int:
    """Would return the seed of the current device's generator: always raises AssertionError without CUDA.

    Returns:
        int: nothing, since it always raises.
    """
    _refuse_device()
