"""What functions return for devices that this build does not support: no device, no memory, nothing to seed.

`{device}` in a docstring stands for the name of the kind of device.
"""

from __future__ import annotations

import sys
import types
from collections import OrderedDict
from typing import Any


def define(module: str, device: str, *functions) -> None:
    """Defines copies of functions of this file in a module that is being loaded.

    Args:
        module (str): its name.
        device (str): the name of the kind of device, for help().
        functions (functions): of this file.
    """
    target = vars(sys.modules[module])
    for function in functions:
        name = function.__name__
        copy = types.FunctionType(function.__code__, function.__globals__, name, function.__defaults__)
        copy.__annotations__ = dict(function.__annotations__)
        copy.__doc__ = function.__doc__ and function.__doc__.replace("{device}", device)
        copy.__module__ = module
        target[name] = copy


def _is_compiled() -> bool:
    return False


def _is_in_bad_fork() -> bool:
    return False


def is_available() -> bool:
    """Returns whether {device} can be used.

    Returns:
        bool: False, as this build has none.
    """
    return False


def is_initialized() -> bool:
    """Returns whether a {device} device was used.

    Returns:
        bool: False, as this build has none.
    """
    return False


def device_count() -> int:
    """Returns the number of {device} devices.

    Returns:
        int: 0, as this build has none.
    """
    return 0


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Returns whether the {device} device computes with bfloat16.

    Args:
        including_emulation (bool): not looked at. Default: ``True``.

    Returns:
        bool: False, as this build has none.
    """
    return False


def is_tf32_supported() -> bool:
    """Returns whether the {device} device has TF32.

    Returns:
        bool: False, as this build has none.
    """
    return False


def get_arch_list() -> list[str]:
    """Lists the {device} architectures that this build has kernels for.

    Returns:
        list[str]: empty.
    """
    return []


def get_gencode_flags() -> str:
    """Returns a compiler's options for get_arch_list.

    Returns:
        str: "".
    """
    return ""


def empty_cache() -> None:
    """Would return cached {device} memory to the devices: does nothing, as there is none."""


def memory_stats(device=None) -> dict[str, Any]:
    """Returns the figures of the {device} allocator.

    Args:
        device (torch.device, str or int, optional): not looked at.

    Returns:
        dict[str, Any]: empty, as this build has no such allocator.
    """
    return OrderedDict()


def memory_stats_as_nested_dict(device=None) -> dict[str, Any]:
    """Returns memory_stats() as dicts in dicts.

    Args:
        device (torch.device, str or int, optional): not looked at.

    Returns:
        dict[str, Any]: empty.
    """
    return {}


def memory_allocated(device=None) -> int:
    """Returns the memory that tensors use on a {device} device.

    Args:
        device (torch.device, str or int, optional): not looked at.

    Returns:
        int: 0 bytes, as this build has no such device.
    """
    return 0


def max_memory_allocated(device=None) -> int:
    """Returns the most memory that tensors used on a {device} device.

    Args:
        device (torch.device, str or int, optional): not looked at.

    Returns:
        int: 0 bytes, as this build has no such device.
    """
    return 0


def memory_reserved(device=None) -> int:
    """Returns the memory that the allocator holds on a {device} device.

    Args:
        device (torch.device, str or int, optional): not looked at.

    Returns:
        int: 0 bytes, as this build has no such device.
    """
    return 0


def max_memory_reserved(device=None) -> int:
    """Returns the most memory that the allocator held on a {device} device.

    Args:
        device (torch.device, str or int, optional): not looked at.

    Returns:
        int: 0 bytes, as this build has no such device.
    """
    return 0


def manual_seed(seed: int) -> None:
    """Seeds the current {device} device's generator: only checks the seed, as this build has no such device.

    Args:
        seed (int): the seed; what int() refuses is an error.
    """
    int(seed)


def manual_seed_all(seed: int) -> None:
    """Seeds the generators of all {device} devices: only checks the seed, as this build has none.

    Args:
        seed (int): the seed; what int() refuses is an error.
    """
    int(seed)


def seed() -> None:
    """Seeds the current {device} device's generator at random: does nothing, as this build has none."""


def seed_all() -> None:
    """Seeds the generators of all {device} devices at random: does nothing, as this build has none."""


def get_rng_state_all() -> list:
    """Lists the states of all {device} devices' generators.

    Returns:
        list[Tensor]: empty, as this build has none.
    """
    return []
