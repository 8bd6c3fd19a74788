"""Copies of a module on several devices, whose parameters are differentiable copies of the original's."""

import warnings
from collections import OrderedDict
from collections.abc import Sequence

from ..._root import torch
from ..._utils import _get_device_index
from . import comm
from ._functions import Broadcast

__all__ = ["replicate"]


def _warn_zero_grad_of_replica():
    warnings.warn(
        "Calling .zero_grad() from a module created with nn.DataParallel() has no effect. "
        "The parameters are copied (in a differentiable manner) from the original module. "
        "This means they are not leaf nodes in autograd and so don't accumulate gradients. "
        "If you need gradients in your forward method, consider using autograd.grad instead.",
        stacklevel=3,
    )


def _copy_tensors(tensors, devices, detach):
    """Returns, per device, a dictionary from each tensor to its copy."""
    tensors = list(tensors)
    if not tensors:
        return [{} for _ in devices]
    if detach:
        copied = comm.broadcast_coalesced(tensors, devices)
    else:
        flat = Broadcast.apply(devices, *tensors)
        copied = [flat[i : i + len(tensors)] for i in range(0, len(flat), len(tensors))]
    return [dict(zip(tensors, on_device, strict=True)) for on_device in copied]


def replicate(
    network: torch.nn.Module, devices: Sequence[int | torch.device], detach: bool = False
) -> list[torch.nn.Module]:
    """Copies a module to several devices; gradients of the copies flow back to the original.

    Args:
        network (Module): the module.
        devices (sequence of int or torch.device): the devices.
        detach (bool): whether no gradients flow back. Default: ``False``.

    Returns:
        list of Module: a replica for each device.

    Raises:
        RuntimeError: when it contains scripted modules.

    Example:
        >>> nn.parallel.replicate(nn.Linear(2, 3), [])
        []
    """
    if any(isinstance(m, torch.jit.ScriptModule) for m in network.modules()):
        raise RuntimeError("Cannot replicate network where python modules are children of ScriptModule")
    if not devices:
        return []
    devices = [_get_device_index(x, True) for x in devices]
    buffers = list(network.buffers())
    parameters = _copy_tensors(network.parameters(), devices, detach)
    recorded = _copy_tensors([b for b in buffers if b.requires_grad and not detach], devices, detach)
    plain = _copy_tensors([b for b in buffers if detach or not b.requires_grad], devices, True)

    replicas = []
    for on_device in zip(parameters, recorded, plain, strict=True):
        param_of, recorded_of, plain_of = on_device
        module_of = {}
        for module in network.modules():
            module_of[module] = module._replicate_for_data_parallel()
            module_of[module]._former_parameters = OrderedDict()
        for module, replica in module_of.items():
            for key, child in module._modules.items():
                if child is None:
                    replica._modules[key] = None
                else:
                    setattr(replica, key, module_of[child])
            for key, param in module._parameters.items():
                if param is None:
                    replica._parameters[key] = None
                else:
                    # A plain attribute instead of a Parameter, so that it may have a history.
                    setattr(replica, key, param_of[param])
                    replica._former_parameters[key] = param_of[param]
            for key, buffer in module._buffers.items():
                if buffer is None:
                    replica._buffers[key] = None
                else:
                    setattr(replica, key, recorded_of.get(buffer, plain_of.get(buffer)))
        replicas.append(module_of[network])
    return replicas
