"""Streams and events of CUDA; a build without CUDA cannot create any."""

from .._absent_device import make_refusing_class

_NO_CUDA = "torch.cuda.Stream requires CUDA support"

Stream = make_refusing_class(
    __name__, "Stream(device=None, priority=0, **kwargs): A queue of a device's work.", RuntimeError, _NO_CUDA
)
ExternalStream = make_refusing_class(
    __name__,
    "ExternalStream(stream_ptr, device=None, **kwargs): A Stream that another library made.",
    RuntimeError,
    _NO_CUDA,
    (Stream,),
)
Event = make_refusing_class(
    __name__,
    "Event(enable_timing=False, blocking=False, interprocess=False, external=False): A mark in a stream's work.",
    RuntimeError,
    "Tried to instantiate dummy base class Event",
)
