"""Synchronises the states of all processes, and moves arguments to a process's device."""

from .._root import torch
from . import _reducer

__all__ = []


def _verify_param_shape_across_processes(process_group, tensors, logger=None):
    """Raises if the tensors of the processes differ in number or shape."""
    return _reducer._verify_params_across_processes(process_group, tensors, logger)


def _sync_module_states(
    module, process_group, broadcast_bucket_size, src, params_and_buffers_to_ignore, broadcast_buffers=True
):
    """Copies the parameters and buffers of one process to all."""
    states = [*module.named_parameters(), *(module.named_buffers() if broadcast_buffers else ())]
    states = [tensor.detach() for name, tensor in states if name not in params_and_buffers_to_ignore]
    _sync_params_and_buffers(process_group, states, broadcast_bucket_size, src)


def _sync_params_and_buffers(process_group, module_states, broadcast_bucket_size, src):
    """Copies the tensors of one process to all."""
    _reducer._broadcast_coalesced(process_group, module_states, broadcast_bucket_size, src)


def _move_tensors_to(value, device):
    """Returns nested tuples, lists and dicts with their tensors on a device; other objects are shared."""
    if isinstance(value, (torch.Tensor, torch.nn.utils.rnn.PackedSequence)):
        return value.to(device)
    if isinstance(value, dict):
        return type(value)((key, _move_tensors_to(item, device)) for key, item in value.items()) if value else value
    if not isinstance(value, (tuple, list)):
        return value
    items = [_move_tensors_to(item, device) for item in value]
    if isinstance(value, list):
        return items
    return type(value)(*items) if hasattr(value, "_fields") else tuple(items)


def _replace_by_prefix(state_dict, old_prefix, new_prefix):
    """Renames the keys of a dictionary that begin with a prefix."""
    if old_prefix == new_prefix:
        return
    for key in [key for key in state_dict if key.startswith(old_prefix)]:
        state_dict[new_prefix + key[len(old_prefix) :]] = state_dict.pop(key)
