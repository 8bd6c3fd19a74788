"""Streams and events of NPUs, and which stream is current."""

import ctypes
from typing import Any

from .. import _C
from .._root import torch
from ._backend import backend, has_device
from ._devices import _get_device_index, device
from ._start import _is_in_bad_fork, _lazy_init

__all__ = ["Stream", "ExternalStream", "SyncLaunchStream", "Event"]


class Stream(_C._NPUStreamBase):
    """A queue of a device's work, done in order. priority: 0, or -1 for a high one; numbers beyond are clamped."""

    def __new__(cls, device=None, priority=0, **kwargs):
        if not has_device() and not _is_in_bad_fork():
            raise RuntimeError("torch.npu.Stream requires NPU support")
        _lazy_init()
        if device is None or ("stream_id" in kwargs and "device_index" in kwargs):
            return super().__new__(cls, priority=priority, **kwargs)
        with torch.npu.device(device):
            return super().__new__(cls, priority=priority, **kwargs)

    def wait_event(self, event) -> None:
        """Makes later work of this stream wait for an event."""
        event.wait(self)

    def wait_stream(self, stream) -> None:
        """Makes later work of this stream wait for the present work of another."""
        self.wait_event(stream.record_event())

    def record_event(self, event=None):
        """Records an event, a new one where none is given, and returns it."""
        event = Event() if event is None else event
        event.record(self)
        return event

    @property
    def _as_parameter_(self):
        return ctypes.c_void_p(self.npu_stream)

    def __eq__(self, other) -> bool:
        return isinstance(other, Stream) and super().__eq__(other)

    def __hash__(self):
        return hash((self.npu_stream, self.device))

    def __repr__(self):
        return f"<torch.npu.Stream device={self.device} npu_stream={self.npu_stream:#x}>"


class SyncLaunchStream(Stream):
    """A stream whose work is handed to the device at once; here every stream is one."""


class ExternalStream(Stream):
    """A stream that another library made, by its handle; that library keeps it alive."""

    def __new__(cls, stream_ptr, device=None, **kwargs):
        with torch.npu.device(device):
            return super().__new__(cls, stream_ptr=stream_ptr, **kwargs)


class Event(_C._NPUEventBase):
    """A mark in a stream that can be asked, waited for and timed. Made on the device when first recorded."""

    def __new__(cls, enable_timing=False, blocking=False, interprocess=False, external=False):
        if not has_device():
            raise RuntimeError(f"Tried to instantiate dummy base class {cls.__name__}")
        if interprocess:
            raise NotImplementedError("torch.npu.Event: interprocess=True is not supported")
        return super().__new__(cls, enable_timing=enable_timing, blocking=blocking)

    @property
    def _as_parameter_(self):
        return ctypes.c_void_p(self.npu_event)

    def __repr__(self) -> str:
        return f"<torch.npu.Event {self.npu_event:#x}>" if self.npu_event else "<torch.npu.Event uninitialized>"


class StreamContext:
    """Makes a stream, and its device, current for a block; None leaves the current one."""

    def __init__(self, stream):
        self.stream = stream
        self.idx = -1 if not has_device() else _get_device_index(None, optional=True)
        self.src_prev_stream = self.dst_prev_stream = None

    def __enter__(self):
        if self.stream is None:
            return
        self.src_prev_stream = current_stream(None)
        if self.src_prev_stream.device != self.stream.device:
            with device(self.stream.device):
                self.dst_prev_stream = current_stream(self.stream.device)
        set_stream(self.stream)

    def __exit__(self, type: Any, value: Any, traceback: Any):
        if self.stream is None or self.src_prev_stream is None:
            return
        if self.src_prev_stream.device != self.stream.device:
            set_stream(self.dst_prev_stream)
        set_stream(self.src_prev_stream)


def stream(stream) -> StreamContext:
    """Makes a stream current for a block."""
    return StreamContext(stream)


def set_stream(stream) -> None:
    """Makes a stream, and its device, current; None changes nothing."""
    if stream is None:
        return
    backend._npu_setStream(stream.stream_id, stream.device_index, stream.device_type)


def _set_stream_by_id(stream_id, device_index, device_type) -> None:
    backend._npu_setStream(stream_id, device_index, device_type)


def _stream_of(data) -> Stream:
    stream_id, device_index, device_type = data
    return Stream(stream_id=stream_id, device_index=device_index, device_type=device_type)


def current_stream(device=None) -> Stream:
    """The stream that a device's work goes to in this thread."""
    _lazy_init()
    return _stream_of(backend._npu_getCurrentStream(_get_device_index(device, optional=True)))


def default_stream(device=None) -> Stream:
    """The stream that a device starts with."""
    _lazy_init()
    return _stream_of(backend._npu_getDefaultStream(_get_device_index(device, optional=True)))


def get_stream_from_external(data_ptr: int, device=None) -> Stream:
    """A stream that another library made, by its handle; that library keeps it alive."""
    _lazy_init()
    return _stream_of(backend._npu_getStreamFromExternal(data_ptr, _get_device_index(device, optional=True)))
