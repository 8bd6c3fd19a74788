"""Helpers of tests that use random numbers."""

import contextlib
import sys

torch = sys.modules[__package__.partition(".")[0]]


def wrapper_set_seed(op, *args, **kwargs):
    """Calls a function with the seed 42, then restores the random generators.

    Args:
        op (callable): the function.
        *args, **kwargs: its arguments.

    Returns:
        What the function returned.
    """
    with freeze_rng_state():
        torch.manual_seed(42)
        return op(*args, **kwargs)


@contextlib.contextmanager
def freeze_rng_state():
    """Restores the states of the random generators when the block ends.

    Returns:
        A context manager.
    """
    state = torch.get_rng_state()
    module = None
    if torch.accelerator.is_available():
        module = torch.get_device_module(torch.accelerator.current_accelerator().type)
        device_state = module.get_rng_state()
    try:
        yield
    finally:
        if module is not None:
            module.set_rng_state(device_state)
        torch.set_rng_state(state)
