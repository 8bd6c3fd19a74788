"""Copies batches into page-locked memory, on a separate thread when there are worker processes."""

import queue
from collections.abc import Mapping, Sequence

from ...._root import torch
from ...._utils import ExceptionWrapper
from . import MP_STATUS_CHECK_INTERVAL
from ._containers import is_namedtuple, make_mapping_like, make_sequence_like


def _pin_memory_loop(in_queue, out_queue, device_id, done_event, device) -> None:
    torch.set_num_threads(1)
    torch.accelerator.set_device_index(device_id)
    while not done_event.is_set():
        try:
            index, data = in_queue.get(timeout=MP_STATUS_CHECK_INTERVAL)
        except queue.Empty:
            continue
        if not done_event.is_set() and not isinstance(data, ExceptionWrapper):
            try:
                data = pin_memory(data, device)
            except Exception:
                data = ExceptionWrapper(where=f"in pin memory thread for device {device_id}")
        while not done_event.is_set():
            try:
                out_queue.put((index, data), timeout=MP_STATUS_CHECK_INTERVAL)
                break
            except queue.Full:
                continue


def pin_memory(data, device=None):
    """Pins tensors at any depth, and objects with a `pin_memory` method."""
    if isinstance(data, torch.Tensor) or hasattr(data, "pin_memory"):
        return data.pin_memory()
    if isinstance(data, (str, bytes)):
        return data
    if isinstance(data, Mapping):
        return make_mapping_like(data, {key: pin_memory(value, device) for key, value in data.items()})
    if is_namedtuple(data):
        return type(data)(*(pin_memory(value, device) for value in data))
    if isinstance(data, tuple):
        return type(data)(pin_memory(value, device) for value in data)
    if isinstance(data, Sequence):
        return make_sequence_like(data, [pin_memory(value, device) for value in data])
    return data
