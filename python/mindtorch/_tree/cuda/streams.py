"""Streams and events of CUDA, which a build without it refuses to make."""

from .._absent_device import refusing_class

Stream = refusing_class(__name__, "Stream", RuntimeError, "torch.cuda.Stream requires CUDA support")
Event = refusing_class(__name__, "Event", RuntimeError, "Tried to instantiate dummy base class Event")


class ExternalStream(Stream):
    pass
