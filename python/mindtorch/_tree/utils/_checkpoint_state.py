"""Random and autocast state around a checkpointed region: recorded at forward, restored for recomputation."""

from __future__ import annotations

import contextlib
import warnings

from .._root import torch
from ._pytree import arg_tree_leaves


def _get_device_module(device="cuda"):
    return torch.device("meta") if device == "meta" else getattr(torch, device)


class DefaultDeviceType:
    """The device type whose random state checkpoints keep by default.

    Example:
        >>> torch.utils.checkpoint.DefaultDeviceType.get_device_type()
        'cpu'
    """

    _default_device_type: str | None = None

    @staticmethod
    def set_device_type(device: str = "cuda") -> None:
        """Sets the kind of device.

        Args:
            device (str): the kind. Default: ``"cuda"``.
        """
        DefaultDeviceType._default_device_type = device

    @staticmethod
    def get_device_type() -> str:
        """Returns the kind of device.

        Returns:
            str: the one set, else the accelerator, else ``"cpu"``.
        """
        if not DefaultDeviceType._default_device_type:
            found = torch.accelerator.current_accelerator(True)
            DefaultDeviceType._default_device_type = found.type if found else "cpu"
        return DefaultDeviceType._default_device_type


def _list_tensors(args):
    return [leaf for leaf in arg_tree_leaves(*args) if isinstance(leaf, torch.Tensor)]


def _infer_device_type(*args):
    found = [tensor.device.type for tensor in _list_tensors(args) if tensor.device.type != "cpu"]
    if len(set(found)) > 1:
        warnings.warn(
            "Tensor arguments, excluding CPU tensors, are detected on at least two types of devices. Device state will "
            "only be saved for devices of a single device type, and the remaining devices will be ignored. "
            "Consequently, if any checkpointed functions involve randomness, this may result in incorrect gradients. "
            "(Note that if CUDA devices are among the devices detected, it will be prioritized; otherwise, the first "
            f"device encountered will be selected.)\nDevice types: {sorted(set(found))} first device type: {found[0]}",
            stacklevel=2,
        )
    if not found:
        return DefaultDeviceType.get_device_type()
    return "cuda" if "cuda" in found else found[0]


def get_device_states(*args) -> tuple[list[int], list[torch.Tensor]]:
    """Returns the devices of tensors and their random states, without the CPU.

    Args:
        *args: tensors, at any depth.

    Returns:
        tuple of list: indices of devices, and states.

    Example:
        >>> torch.utils.checkpoint.get_device_states(torch.ones(1))
        ([], [])
    """
    devices = [tensor.get_device() for tensor in _list_tensors(args) if tensor.device.type not in ("cpu", "meta")]
    module = _get_device_module(_infer_device_type(*args))
    states = []
    for device in devices:
        with module.device(device):
            states.append(module.get_rng_state())
    return devices, states


def set_device_states(devices, states, *, device_type=None) -> None:
    """Sets the random states of devices.

    Args:
        devices (list of int): indices of devices.
        states (list of Tensor): their states.
        device_type (str, optional): kind of the devices. Default: the accelerator.

    Example:
        >>> torch.utils.checkpoint.set_device_states([], [])
    """
    device_type = device_type or DefaultDeviceType.get_device_type()
    if device_type == "meta":
        return
    module = _get_device_module(device_type)
    for device, state in zip(devices, states, strict=False):
        with module.device(device):
            module.set_rng_state(state)


def _get_autocast_kwargs(device_type="cuda"):
    def read_autocast_state(kind):
        return {
            "enabled": torch.is_autocast_enabled(kind),
            "dtype": torch.get_autocast_dtype(kind),
            "cache_enabled": torch.is_autocast_cache_enabled(),
        }

    return (
        read_autocast_state(device_type) if torch.amp.is_autocast_available(device_type) else None
    ), read_autocast_state("cpu")


class RegionState:
    """A snapshot that `replay` restores for the duration of a block."""

    def __init__(self, args, preserve_rng_state: bool) -> None:
        self.preserve_rng_state = preserve_rng_state
        self.device_type = _infer_device_type(*args)
        self.device_autocast, self.cpu_autocast = _get_autocast_kwargs(self.device_type)
        self.devices, self.device_states = [], []
        if preserve_rng_state:
            self.cpu_state = torch.get_rng_state()
            if self.is_device_initialized():
                self.devices, self.device_states = get_device_states(*args)

    def is_device_initialized(self) -> bool:
        return getattr(_get_device_module(self.device_type), "_initialized", False)

    @contextlib.contextmanager
    def replay(self):
        device_autocast = contextlib.nullcontext()
        if self.device_autocast is not None:
            device_autocast = torch.amp.autocast(device_type=self.device_type, **self.device_autocast)
        with torch.random.fork_rng(devices=self.devices, enabled=self.preserve_rng_state, device_type=self.device_type):
            if self.preserve_rng_state:
                torch.set_rng_state(self.cpu_state)
                set_device_states(self.devices, self.device_states, device_type=self.device_type)
            with device_autocast, torch.amp.autocast("cpu", **self.cpu_autocast):
                yield
