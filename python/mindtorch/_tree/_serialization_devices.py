"""Locations of a file's storages: their names, and moves of storages to devices."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable

from . import _C

torch = sys.modules[__package__]

_package_registry = []


def register_package(
    priority: int,
    tagger: Callable[[torch.types.Storage | torch.storage.TypedStorage | torch.storage.UntypedStorage], str | None],
    deserializer: Callable[
        [torch.types.Storage | torch.storage.TypedStorage | torch.storage.UntypedStorage, str],
        torch.types.Storage | torch.storage.TypedStorage | torch.storage.UntypedStorage | None,
    ],
):
    """Adds a kind of device to saving and loading.

    Args:
        priority (int): order in which kinds are tried, the smallest first.
        tagger (callable): ``tagger(storage)`` returns the name of its location, or None for other
            devices.
        deserializer (callable): ``deserializer(storage, location)`` moves a storage there, or returns
            None.

    Returns:
        None.

    Example:
        >>> torch.serialization.register_package(100, lambda storage: None, lambda storage, place: None)
    """
    _package_registry.append((priority, tagger, deserializer))
    _package_registry.sort(key=lambda entry: entry[0])


def _backend_name(name):
    return _C._get_privateuse1_backend_name() if name == "privateuse1" else name


def _make_tagger(name):
    def tag_storage(storage):
        device, backend = storage.device, _backend_name(name)
        if device.type != backend:
            return None
        return backend if device.index is None else f"{backend}:{device.index}"  # one str object, so pickled once

    return tag_storage


def _make_deserializer(name):
    def move_storage_to_backend(storage, location):
        backend = _backend_name(name)
        if location == backend or re.match(f"{backend}(:|[0-9]+)", location):
            return storage.to(device=_validate_device(location, backend))
        return None

    return move_storage_to_backend


def _validate_device(location, backend_name):
    upper, module = backend_name.upper(), getattr(torch, backend_name, None)
    advice = (
        "If you are running on a CPU-only machine, please use torch.load with map_location=torch.device('cpu') "
        "to map your storages to the CPU."
    )
    if module is None:
        raise RuntimeError(f"The {upper} device module is not registered. {advice}")
    device = torch.device(location)
    index = device.index or 0
    if hasattr(module, "is_available") and not module.is_available():
        raise RuntimeError(
            f"Attempting to deserialize object on a {upper} device but "
            f"torch.{backend_name}.is_available() is False. {advice}"
        )
    if hasattr(module, "device_count") and index >= module.device_count():
        raise RuntimeError(
            f"Attempting to deserialize object on {upper} device {index} but "
            f"torch.{backend_name}.device_count() is {module.device_count()}. "
            "Please use torch.load with map_location to map your storages to an existing device."
        )
    return device if device.index is not None else torch.device(backend_name, index)


def validate_cuda_device(location):
    """Returns the index of a CUDA device that can be used.

    Args:
        location (str): such as ``"cuda:0"``.

    Returns:
        int: the index.

    Raises:
        RuntimeError: when there is no such device.

    Example:
        >>> try:
        ...     torch.serialization.validate_cuda_device("cuda:0")
        ... except RuntimeError as error:
        ...     print(str(error)[:49])
        Attempting to deserialize object on a CUDA device
    """
    return _validate_device(location, "cuda").index


def validate_hpu_device(location):
    """Returns the index of an HPU device that can be used.

    Args:
        location (str): such as ``"hpu:0"``.

    Returns:
        int: the index.

    Raises:
        RuntimeError: when there is no such device.

    Example:
        >>> try:
        ...     torch.serialization.validate_hpu_device("hpu:0")
        ... except RuntimeError as error:
        ...     print(str(error).split(".")[0])
        The HPU device module is not registered
    """
    return _validate_device(location, "hpu").index


register_package(10, _make_tagger("cpu"), lambda storage, location: storage if location == "cpu" else None)
register_package(
    22,
    _make_tagger("meta"),
    lambda storage, location: torch.UntypedStorage(storage.nbytes(), device="meta") if location == "meta" else None,
)
register_package(
    21, _make_tagger("mps"), lambda storage, location: storage.mps() if location.startswith("mps") else None
)
for _priority, _name in ((20, "cuda"), (23, "privateuse1"), (24, "hpu"), (25, "xpu"), (26, "mtia")):
    register_package(_priority, _make_tagger(_name), _make_deserializer(_name))


def location_tag(storage: torch.types.Storage | torch.storage.TypedStorage | torch.storage.UntypedStorage):
    """Returns the name of a storage's location, as files have it.

    Args:
        storage (UntypedStorage or TypedStorage): the storage.

    Returns:
        str: such as ``"cpu"``.

    Raises:
        RuntimeError: when no registered device type matches it.

    Example:
        >>> torch.serialization.location_tag(torch.ones(1).untyped_storage())
        'cpu'
    """
    for _, tagger, _ in _package_registry:
        location = tagger(storage)
        if location:
            return location
    raise RuntimeError("don't know how to determine data location of " + torch.typename(storage))


def default_restore_location(storage, location):
    """Moves a loaded storage to the location that a file names.

    Args:
        storage (UntypedStorage): the storage, on the CPU.
        location (str): such as ``"cpu"``.

    Returns:
        UntypedStorage: the storage there.

    Raises:
        RuntimeError: when no registered device type matches the location.

    Example:
        >>> storage = torch.ones(1).untyped_storage()
        >>> torch.serialization.default_restore_location(storage, "cpu") is storage
        True
    """
    for _, _, deserialize in _package_registry:
        moved = deserialize(storage, location)
        if moved is not None:
            return moved
    raise RuntimeError(
        "don't know how to restore data location of " + torch.typename(storage) + f" (tagged with {location})"
    )
