"""torch.random: seeds and states of the default generator."""

import contextlib
import sys
import warnings

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


def set_rng_state(new_state):
    """Sets the CPU generator's state, a ByteTensor from get_rng_state."""
    default_generator.set_state(new_state)


def get_rng_state():
    """The CPU generator's state as a ByteTensor."""
    return default_generator.get_state()


def manual_seed(seed):
    """Seeds the generators of all devices and returns the CPU's."""
    seed = int(seed)
    _seed_devices(seed)
    return default_generator.manual_seed(seed)


def seed():
    """Seeds the generators of all devices from the system's randomness and returns the seed."""
    number = default_generator.seed()
    _seed_devices(number)
    return number


def _seed_devices(seed):
    """Seeds the devices whose modules are loaded; one not loaded has drawn nothing yet."""
    for kind in ("cuda", "mps", "xpu", "mtia"):
        module = sys.modules.get(f"{torch.__name__}.{kind}")
        if module is not None and not module._is_in_bad_fork():
            (module.manual_seed if kind == "mps" else module.manual_seed_all)(seed)
    if not _C._npu_isInBadFork():  # without torch.npu, which a program need not import to use NPUs
        for index in range(_C._npu_getDeviceCount()):
            _C._npu_defaultGenerator(index).manual_seed(seed)


def initial_seed():
    """The seed that the CPU generator was last given."""
    return default_generator.initial_seed()


_fork_rng_warned_already = False


@contextlib.contextmanager
def fork_rng(devices=None, enabled=True, _caller="fork_rng", _devices_kw="devices", device_type=None):
    """Puts the generators' states back when the block ends: the CPU's and those of `devices`."""
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
            warnings.warn(_many_devices(kind, count, _caller, _devices_kw), stacklevel=2)
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


def _many_devices(kind, count, caller, keyword):
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


def thread_safe_generator():
    """The generator of the DataLoader's worker thread that calls, else None."""
    from .utils.data import get_worker_info

    info = get_worker_info()
    if info is not None and getattr(info, "worker_method", None) == "thread" and info.rng is not None:
        return info.rng.torch_generator
    return None
