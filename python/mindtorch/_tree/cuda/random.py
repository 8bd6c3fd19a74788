"""Random state of CUDA devices: there is none, and seeding is not an error."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NoReturn

from .. import _absent_answers

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


def _raise_no_cuda_device():
    raise AssertionError("Torch not compiled with CUDA enabled")


def get_rng_state(device="cuda") -> NoReturn:
    """Would return the state of a device's generator: always raises AssertionError, as this build has none.

    Args:
        device (torch.device, str or int): not looked at. Default: ``"cuda"``.
    """
    _raise_no_cuda_device()


_absent_answers.define(
    __name__,
    "CUDA",
    _absent_answers.get_rng_state_all,
    _absent_answers.manual_seed,
    _absent_answers.manual_seed_all,
    _absent_answers.seed,
    _absent_answers.seed_all,
)


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


def initial_seed() -> int:
    """Would return the seed of the current device's generator: always raises AssertionError without CUDA.

    Returns:
        int: nothing, since it always raises.
    """
    _raise_no_cuda_device()
