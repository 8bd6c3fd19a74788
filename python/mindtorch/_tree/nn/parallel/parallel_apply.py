"""Calls modules in parallel, each in its own thread."""

import threading
from collections.abc import Sequence
from typing import Any

from ..._root import torch
from ..._utils import ExceptionWrapper, _get_device_index

__all__ = ["get_a_var", "parallel_apply"]


def get_a_var(obj: torch.Tensor | list[Any] | tuple[Any, ...] | dict[Any, Any]) -> torch.Tensor | None:
    """Returns the first tensor inside nested lists, tuples and dicts.

    Args:
        obj (object): what to search.

    Returns:
        Tensor or None: the tensor.

    Example:
        >>> from torch.nn.parallel.parallel_apply import get_a_var
        >>> get_a_var([None, {"a": torch.tensor(1)}])
        tensor(1)
    """
    if isinstance(obj, torch.Tensor):
        return obj
    if isinstance(obj, dict):
        obj = obj.items()
    elif not isinstance(obj, (list, tuple)):
        return None
    return next((found for found in map(get_a_var, obj) if found is not None), None)


def _check_length(modules, others, name):
    if len(modules) != len(others):
        raise AssertionError(f"The number of modules {len(modules)} is not equal to the number of {name} {len(others)}")


def parallel_apply(
    modules: Sequence[torch.nn.Module],
    inputs: Sequence[Any],
    kwargs_tup: Sequence[dict[str, Any]] | None = None,
    devices: Sequence[int | torch.device | None] | None = None,
) -> list[Any]:
    """Calls modules in parallel, each in a thread of its own.

    Args:
        modules (sequence of Module): the modules.
        inputs (sequence): the arguments of each, a tuple or one value.
        kwargs_tup (sequence of dict, optional): the keyword arguments of each. Default: ``None``.
        devices (sequence, optional): the device of each. Default: ``None``, those of the inputs.

    Returns:
        list: the outputs. An exception in a thread is raised here.

    Example:
        >>> if torch.accelerator.device_count() > 1:
        ...     modules = nn.parallel.replicate(nn.Linear(2, 3).to("cuda:0"), [0, 1])
        ...     outputs = nn.parallel.parallel_apply(modules, [torch.ones(1, 2)] * 2)
    """
    _check_length(modules, inputs, "inputs")
    kwargs_tup = ({},) * len(modules) if kwargs_tup is None else kwargs_tup
    _check_length(modules, kwargs_tup, "kwargs_tup")
    devices = [None] * len(modules) if devices is None else devices
    _check_length(modules, devices, "devices")
    devices = [_get_device_index(x, True) for x in devices]
    if not torch.accelerator.is_available():
        raise AssertionError("No available accelerator found.")
    kind = torch.accelerator.current_accelerator().type
    recording, casting = torch.is_grad_enabled(), torch.is_autocast_enabled()
    results = [None] * len(modules)

    def run_replica(i):
        torch.set_grad_enabled(recording)
        device = devices[i]
        if device is None:
            tensor = get_a_var(inputs[i])
            if tensor is None:
                results[i] = ExceptionWrapper(
                    where=f"in replica {i}, no device was provided and no tensor input was found; "
                    "device cannot be resolved"
                )
                return
            device = tensor.get_device()
        try:
            with torch.accelerator.device_index(device), torch.amp.autocast(kind, enabled=casting):
                args = inputs[i] if isinstance(inputs[i], (list, tuple)) else (inputs[i],)
                results[i] = modules[i](*args, **kwargs_tup[i])
        except Exception:
            results[i] = ExceptionWrapper(where=f"in replica {i} on device {device}")

    if len(modules) == 1:
        run_replica(0)
    else:
        threads = [threading.Thread(target=run_replica, args=(i,)) for i in range(len(modules))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    for result in results:
        if isinstance(result, ExceptionWrapper):
            result.reraise()
    return results
