"""Random state of CUDA devices: there are none to keep it for, and seeding them is no error."""

from collections.abc import Iterable

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


def _refuse():
    raise AssertionError("Torch not compiled with CUDA enabled")


def get_rng_state(device="cuda"):
    """Raises: no CUDA here."""
    _refuse()


def get_rng_state_all() -> list:
    """The random state of each device: none."""
    return []


def set_rng_state(new_state, device="cuda") -> None:
    """Takes effect when CUDA starts, so here never; no error, as in torch."""


def set_rng_state_all(new_states: Iterable) -> None:
    """Sets the random state of each device, in turn."""
    for index, state in enumerate(new_states):
        set_rng_state(state, index)


def manual_seed(seed: int) -> None:
    """Takes effect when CUDA starts, so here never; portable programs call it unasked."""
    int(seed)


def manual_seed_all(seed: int) -> None:
    """Seeds every device: none, here."""
    int(seed)


def seed() -> None:
    """Takes effect when CUDA starts, so here never."""


def seed_all() -> None:
    """Takes effect when CUDA starts, so here never."""


def initial_seed() -> int:
    """Raises: no CUDA here."""
    _refuse()
