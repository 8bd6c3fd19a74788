"""torch.random: seeds and states of the default generator."""

import contextlib
import sys
import warnings
from collections.abc import Generator

from . import _C
from ._C import default_generator

__all__ = [
    "set_rng_state",
    "get_rng_state",
    "manual_seed",
    "seed",
    "initial_seed",
    "fork_rng",
    "thread_safe_generator",
]

torch = sys.modules[__package__]


def set_rng_state(new_state: torch.Tensor) -> None:
    """Sets the state of the CPU's random generator.

    Args:
        new_state (Tensor): uint8, as `get_rng_state` returned it.

    Example:
        >>> state = torch.get_rng_state()
        >>> first = torch.rand(1)
        >>> torch.set_rng_state(state)
        >>> torch.equal(first, torch.rand(1))
        True
    """
    default_generator.set_state(new_state)


def get_rng_state() -> torch.Tensor:
    """Returns the state of the CPU's random generator.

    Returns:
        Tensor: uint8, a copy.

    Example:
        >>> torch.get_rng_state().dtype
        torch.uint8
    """
    return default_generator.get_state()


def manual_seed(seed) -> torch.Generator:
    """Seeds the random generators of all devices.

    The same seed gives the same numbers on every run. Draws of one process are one sequence: each call
    that draws moves it on.

    Args:
        seed (int): the seed; negative ones count from 2 ** 64 downwards.

    Returns:
        torch.Generator: the CPU's generator.

    Raises:
        RuntimeError: when the seed does not fit 64 bits.

    Example:
        >>> _ = torch.manual_seed(0)
        >>> torch.rand(2)
        tensor([0.4963, 0.7682])
    """
    seed = int(seed)
    _seed_devices(seed)
    return default_generator.manual_seed(seed)


def seed() -> int:
    """Seeds the random generators of all devices with a number from the system's randomness.

    Returns:
        int: the seed.

    Example:
        >>> torch.seed() == torch.initial_seed()
        True
    """
    number = default_generator.seed()
    _seed_devices(number)
    return number


def _seed_devices(seed):
    """Seeds the devices whose modules are loaded; others have not generated numbers yet."""
    for kind in ("cuda", "mps", "xpu", "mtia"):
        module = sys.modules.get(f"{torch.__name__}.{kind}")
        if module is not None and not module._is_in_bad_fork():
            (module.manual_seed if kind == "mps" else module.manual_seed_all)(seed)
    if not _C._npu_isInBadFork():  # without torch.npu, which a program can use NPUs without importing
        for index in range(_C._npu_getDeviceCount()):
            _C._npu_defaultGenerator(index).manual_seed(seed)


def initial_seed() -> int:
    """Returns the seed that the CPU's random generator was last given.

    Returns:
        int: the seed.

    Example:
        >>> _ = torch.manual_seed(7)
        >>> torch.initial_seed()
        7
    """
    return default_generator.initial_seed()


_fork_rng_warned_already = False


@contextlib.contextmanager
def fork_rng(devices=None, enabled=True, _caller="fork_rng", _devices_kw="devices", device_type=None) -> Generator:
    """Restores the states of random generators when the block ends: the CPU's and those of devices.

    Args:
        devices (iterable, optional): devices of the given type. Default: all.
        enabled (bool): False makes it do nothing. Default: ``True``.
        _caller (str): name for warnings.
        _devices_kw (str): name of `devices` for warnings.
        device_type (str, optional): kind of the devices. Default: the accelerator.

    Returns:
        A context manager.

    Example:
        >>> _ = torch.manual_seed(0)
        >>> with torch.random.fork_rng():
        ...     inside = torch.rand(1)
        >>> torch.equal(inside, torch.rand(1))
        True
    """
    global _fork_rng_warned_already
    if device_type == "meta" or not enabled:
        yield
        return
    accelerator = torch.accelerator.current_accelerator()
    kind = device_type or (accelerator.type if accelerator is not None else "cuda")
    module = torch.get_device_module(kind)
    if devices is None:
        count = module.device_count()
        if count > 1 and not _fork_rng_warned_already:
            warnings.warn(_format_many_devices_warning(kind, count, _caller, _devices_kw), stacklevel=2)
            _fork_rng_warned_already = True
        devices = range(count)
    devices = list(devices)

    state = get_rng_state()
    device_states = [module.get_rng_state(device) for device in devices]
    try:
        yield
    finally:
        set_rng_state(state)
        for device, device_state in zip(devices, device_states):
            module.set_rng_state(device_state, device)


def _format_many_devices_warning(kind, count, caller, keyword):
    upper = kind.upper()
    return (
        f"{upper} reports that you have {count} available devices, and "
        f"you have used {caller} without explicitly specifying which devices are being used. "
        f"For safety, we initialize *every* {upper} device by default, which can "
        f"be quite slow if you have a lot of {upper}s. If you know that you are only"
        f" making use of a few {upper} devices, set the environment variable "
        f"{upper}_VISIBLE_DEVICES or the '{keyword}' keyword argument of {caller} "
        "with the set of devices you are actually using. For example, if you are using CPU only, "
        "set device.upper()_VISIBLE_DEVICES= or devices=[]; if you are using device 0 only, "
        f"set {upper}_VISIBLE_DEVICES=0 or devices=[0].  To initialize all devices "
        f"and suppress this warning, set the '{keyword}' keyword argument to "
        f"`range(torch.{kind}.device_count())`."
    )


def thread_safe_generator() -> torch.Generator | None:
    """Returns the generator of the DataLoader worker thread that calls.

    Returns:
        torch.Generator or None: None outside of worker threads; then the default generator is to be
            used.

    Example:
        >>> torch.thread_safe_generator() is None
        True
    """
    from .utils.data import get_worker_info

    info = get_worker_info()
    if info is not None and getattr(info, "worker_method", None) == "thread" and info.rng is not None:
        return info.rng.torch_generator
    return None
