"""Streams and events of NPUs, and the current stream."""

import ctypes
from typing import Any

from .. import _C
from .._root import torch
from ._backend import backend, has_device
from ._devices import _get_device_index, device
from ._start import _is_in_bad_fork, _lazy_init

__all__ = ["Stream", "ExternalStream", "SyncLaunchStream", "Event"]


class Stream(_C._NPUStreamBase):
    """A queue of a device's work, which is done in order; work of different streams may overlap.

    `npu_stream` is the vendor's handle, `device` its device, `priority` its priority.

    Args:
        device (torch.device, str or int, optional): the device. Default: the current one.
        priority (int): 0, or -1 for a high one; numbers beyond are clamped. Default: ``0``.
        **kwargs: `stream_id`, `device_index` and `device_type` name a stream that there is.

    Raises:
        RuntimeError: when there is no device.
    """

    def __new__(cls, device=None, priority=0, **kwargs):
        if not has_device() and not _is_in_bad_fork():
            raise RuntimeError("torch.npu.Stream requires NPU support")
        _lazy_init()
        if device is None or ("stream_id" in kwargs and "device_index" in kwargs):
            return super().__new__(cls, priority=priority, **kwargs)
        with torch.npu.device(device):
            return super().__new__(cls, priority=priority, **kwargs)

    def wait_event(self, event) -> None:
        """Makes later work of this stream wait for an event.

        Args:
            event (Event): the event.
        """
        event.wait(self)

    def wait_stream(self, stream) -> None:
        """Makes later work of this stream wait for the work that another has now.

        Args:
            stream (Stream): the other stream.
        """
        self.wait_event(stream.record_event())

    def record_event(self, event=None):
        """Records an event behind the work that this stream has now.

        Args:
            event (Event, optional): the event. Default: a new one.

        Returns:
            Event: the event.
        """
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
    """A Stream that submits its work immediately, as every stream does here.

    Args:
        device (torch.device, str or int, optional): the device. Default: the current one.
        priority (int): 0, or -1 for a high one. Default: ``0``.
    """


class ExternalStream(Stream):
    """A Stream that another library made; that library keeps it alive.

    Args:
        stream_ptr (int): its handle.
        device (torch.device, str or int, optional): its device. Default: the current one.
        **kwargs: as of Stream.
    """

    def __new__(cls, stream_ptr, device=None, **kwargs):
        with torch.npu.device(device):
            return super().__new__(cls, stream_ptr=stream_ptr, **kwargs)


class Event(_C._NPUEventBase):
    """A mark in a stream's work, which can be queried, waited for and timed.

    It is made on the device when it is first recorded.

    Args:
        enable_timing (bool): lets elapsed_time measure between two such events, in milliseconds.
            Default: ``False``.
        blocking (bool): a waiting thread sleeps instead of spinning. Default: ``False``.
        interprocess (bool): only ``False`` is supported; otherwise NotImplementedError.
        external (bool): not looked at. Default: ``False``.

    Raises:
        RuntimeError: when there is no device.
    """

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
    """Makes a stream, and its device, current for a block.

    Args:
        stream (Stream or None): the stream; None leaves the current one.
    """

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
    """Makes a stream, and its device, current for a block.

    Args:
        stream (Stream or None): the stream; None leaves the current one.

    Returns:
        StreamContext: the context manager.
    """
    return StreamContext(stream)


def set_stream(stream) -> None:
    """Makes a stream, and its device, current for this thread.

    Args:
        stream (Stream or None): the stream; None changes nothing.
    """
    if stream is None:
        return
    backend._npu_setStream(stream.stream_id, stream.device_index, stream.device_type)


def _set_stream_by_id(stream_id, device_index, device_type) -> None:
    backend._npu_setStream(stream_id, device_index, device_type)


def _stream_of(data) -> Stream:
    stream_id, device_index, device_type = data
    return Stream(stream_id=stream_id, device_index=device_index, device_type=device_type)


def current_stream(device=None) -> Stream:
    """Returns the current stream of a device in this thread.

    Args:
        device (torch.device, str or int, optional): the device. Default: the current one.

    Returns:
        Stream: the stream.
    """
    _lazy_init()
    return _stream_of(backend._npu_getCurrentStream(_get_device_index(device, optional=True)))


def default_stream(device=None) -> Stream:
    """Returns the default stream of a device, which is current unless another one is set.

    Args:
        device (torch.device, str or int, optional): the device. Default: the current one.

    Returns:
        Stream: the stream.
    """
    _lazy_init()
    return _stream_of(backend._npu_getDefaultStream(_get_device_index(device, optional=True)))


def get_stream_from_external(data_ptr: int, device=None) -> Stream:
    """Returns a Stream for one that another library made; that library keeps it alive.

    Args:
        data_ptr (int): its handle.
        device (torch.device, str or int, optional): its device. Default: the current one.

    Returns:
        Stream: the stream.
    """
    _lazy_init()
    return _stream_of(backend._npu_getStreamFromExternal(data_ptr, _get_device_index(device, optional=True)))
