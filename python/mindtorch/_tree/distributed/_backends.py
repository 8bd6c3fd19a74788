"""Backends by name: the devices that they support, and the functions that create them."""

from __future__ import annotations

import warnings
from collections import namedtuple

from .._C import _processes
from ._gloo import Backend as _Backend
from ._gloo import FakeProcessGroup, ProcessGroupGloo, ProcessGroupHCCL, _ProcessGroupMPI
from ._groups import ProcessGroup


class Backend(str):
    """The name of a backend, in lower case: ``Backend("GLOO") == Backend.GLOO == "gloo"``.

    Args:
        name (str): the name.

    Raises:
        ValueError: when it is no str.
    """

    _BackendPlugin = namedtuple("_BackendPlugin", ["creator_fn", "extended_api"])
    _plugins = {}
    UNDEFINED, GLOO, NCCL, XCCL, UCC, MPI, FAKE, HCCL = backend_list = [
        "undefined",
        "gloo",
        "nccl",
        "xccl",
        "ucc",
        "mpi",
        "fake",
        "hccl",
    ]
    default_device_backend_map = {"cpu": GLOO, "cuda": NCCL, "xpu": XCCL, "mps": GLOO, "npu": HCCL}
    backend_capability = {
        GLOO: ["cpu", "cuda"],
        NCCL: ["cuda"],
        XCCL: ["xpu"],
        UCC: ["cpu", "cuda"],
        MPI: ["cpu", "cuda"],
        FAKE: ["cpu", "cuda", "hpu", "xpu"],
        HCCL: ["npu"],
    }
    backend_type_map = {
        name: getattr(ProcessGroup.BackendType, "CUSTOM" if name in ("fake", "hccl") else name.upper())
        for name in backend_list
    }

    def __new__(cls, name):
        if not isinstance(name, str):
            raise ValueError("Backend constructor parameter must be string-ish")
        value = getattr(Backend, name.upper(), Backend.UNDEFINED)
        return name.lower() if value == Backend.UNDEFINED else value

    @classmethod
    def register_backend(cls, name, func, extended_api: bool = False, devices: str | list[str] | None = None) -> None:
        """Adds a backend for init_process_group and new_group.

        Args:
            name (str): its name.
            func (Callable): ``func(store, rank, size, timeout)`` makes it: a Backend, or a ProcessGroup that
                serves whole.
            extended_api (bool): `func` is ``func(options, backend_options)``. Default: ``False``.
            devices (str or list[str], optional): the kinds of devices that it serves. Default: "cpu" and
                "cuda", with a warning.
        """
        low = name.lower()
        if not hasattr(Backend, name.upper()):
            setattr(Backend, name.upper(), low)
        if low not in Backend.backend_list:
            Backend.backend_list.append(low)
        if devices is None:
            warnings.warn(
                f"Device capability of {name} unspecified, assuming `cpu` and `cuda` or `xpu`. Please "
                "specify it via the `devices` argument of `register_backend`.",
                stacklevel=2,
            )
        else:
            for kind in devices:
                if Backend.default_device_backend_map.get(kind) in (None, "fake"):
                    Backend.default_device_backend_map[kind] = low
        Backend.backend_capability[low] = (
            ["cpu", "cuda"] if devices is None else [devices] if isinstance(devices, str) else devices
        )
        Backend.backend_type_map[low] = ProcessGroup.BackendType.CUSTOM
        Backend._plugins[name.upper()] = Backend._BackendPlugin(func, extended_api)


class BackendConfig:
    """Says which backend serves which kind of device.

    Args:
        backend (str): a backend's name, "cpu:gloo,npu:hccl", or "undefined" for that of this machine.

    Raises:
        ValueError: when the text is malformed, or no backend is known for this machine's devices.
    """

    def __init__(self, backend: str):
        backend = str(backend)
        if backend == Backend.UNDEFINED:
            from ..accelerator import current_accelerator

            found = current_accelerator()
            kind = "cpu" if found is None else found.type
            if kind not in Backend.default_device_backend_map:
                raise ValueError(
                    f"We detected accelerator {kind} on your machine. But we don't know which communication backend "
                    "to use for this accelerator. Please specify the `backend` argument in the `init_process_group` "
                    "call."
                )
            self.device_backend_map = {kind: Backend(Backend.default_device_backend_map[kind])}
        elif backend.lower() in Backend.backend_list:
            self.device_backend_map = dict.fromkeys(Backend.backend_capability[backend.lower()], Backend(backend))
        elif ":" in backend:
            self.device_backend_map = {}
            text = f"""The custom backend string argument is invalid: {backend}.
                Custom backend string is an experimental feature where the backend string must be in the format:
                "<device_type1>:<backend1>,<device_type2>:<backend2>...". e.g. 'cpu:gloo,cuda:nccl'"""
            for pair in backend.lower().split(","):
                if pair.count(":") != 1:
                    raise ValueError(f"Invalid device:backend pairing: {' ' * 37}{pair}. {text}")
                kind, name = pair.split(":")
                if kind in self.device_backend_map:
                    raise ValueError(f"Duplicate device type {kind} {' ' * 37}in backend string: {name}. {text}")
                self.device_backend_map[kind] = Backend(name)
        else:
            warnings.warn(
                f"Device capability of {backend} unknown, assuming `cpu` and `cuda`. You can specify it in "
                "`device:backend` format in `init_process_group` call.",
                stacklevel=2,
            )
            self.device_backend_map = dict.fromkeys(("cpu", "cuda", "xpu"), Backend(backend))

    def __repr__(self):
        return ",".join(f"{kind}:{name}" for kind, name in self.device_backend_map.items())

    def get_device_backend_map(self) -> dict[str, Backend]:
        """Returns the names of backends by device type."""
        return self.device_backend_map


def _make_backend(name, store, rank, size, ranks, group_name, options, timeout):
    if name == Backend.GLOO and _processes.is_backend_available(name):
        return ProcessGroupGloo(store, rank, size, timeout, group_name)
    if name == Backend.MPI and _processes.is_backend_available(name):
        return _ProcessGroupMPI(store, rank, size, timeout, group_name)
    if name == Backend.HCCL and _processes.is_backend_available(name):
        return ProcessGroupHCCL(store, rank, size, timeout, group_name)
    if name == Backend.FAKE and name.upper() not in Backend._plugins:
        return FakeProcessGroup(store, rank, size, timeout, group_name)
    if name.upper() not in Backend._plugins:
        if name == Backend.GLOO:
            raise RuntimeError("Distributed package doesn't have Gloo built in")
        if name == Backend.MPI:
            raise RuntimeError(
                "Distributed package doesn't have MPI built in. MPI is only included if you build PyTorch from source "
                "on a host that has MPI installed."
            )
        if name in (Backend.NCCL, Backend.XCCL, Backend.HCCL):
            raise RuntimeError(f"Distributed package doesn't have {name.upper()} built in")
        raise AssertionError(f"Unknown c10d backend type {name.upper()}")
    creator, extended = Backend._plugins[name.upper()]
    if not extended:
        return creator(store, rank, size, timeout)
    description = _Backend.Options(name, timeout)
    description.store, description.group_rank, description.group_size = store, rank, size
    description.timeout, description.group_id, description.global_ranks_in_group = timeout, group_name, ranks
    return creator(description, options)
