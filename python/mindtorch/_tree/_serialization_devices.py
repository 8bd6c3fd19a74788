"""Where the storages of a file lie: the names of places, and moving storages there."""

import re
import sys

from . import _C

torch = sys.modules[__package__]

_package_registry = []


def register_package(priority, tagger, deserializer):
    """Adds a kind of device: `tagger(storage)` names its place, `deserializer(storage, place)` moves it there."""
    _package_registry.append((priority, tagger, deserializer))
    _package_registry.sort(key=lambda entry: entry[0])


def _backend_name(name):
    return _C._get_privateuse1_backend_name() if name == "privateuse1" else name


def _tagger(name):
    def tag(storage):
        device, backend = storage.device, _backend_name(name)
        if device.type != backend:
            return None
        return backend if device.index is None else f"{backend}:{device.index}"  # one str object, so pickled once

    return tag


def _deserializer(name):
    def deserialize(storage, location):
        backend = _backend_name(name)
        if location == backend or re.match(f"{backend}(:|[0-9]+)", location):
            return storage.to(device=_validate_device(location, backend))
        return None

    return deserialize


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
    """The index of a CUDA device, if it can be used."""
    return _validate_device(location, "cuda").index


def validate_hpu_device(location):
    """The index of an HPU device, if it can be used."""
    return _validate_device(location, "hpu").index


register_package(10, _tagger("cpu"), lambda storage, location: storage if location == "cpu" else None)
register_package(
    22,
    _tagger("meta"),
    lambda storage, location: torch.UntypedStorage(storage.nbytes(), device="meta") if location == "meta" else None,
)
register_package(21, _tagger("mps"), lambda storage, location: storage.mps() if location.startswith("mps") else None)
for _priority, _name in ((20, "cuda"), (23, "privateuse1"), (24, "hpu"), (25, "xpu"), (26, "mtia")):
    register_package(_priority, _tagger(_name), _deserializer(_name))


def location_tag(storage):
    """The name of a storage's place, as files have it."""
    for _, tagger, _ in _package_registry:
        location = tagger(storage)
        if location:
            return location
    raise RuntimeError("don't know how to determine data location of " + torch.typename(storage))


def default_restore_location(storage, location):
    """The storage moved to the place that a file names."""
    for _, _, deserialize in _package_registry:
        moved = deserialize(storage, location)
        if moved is not None:
            return moved
    raise RuntimeError(
        "don't know how to restore data location of " + torch.typename(storage) + f" (tagged with {location})"
    )
