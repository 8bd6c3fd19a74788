"""Metal's events; a build without Metal cannot create any."""

from .._absent_device import make_refusing_class

_TEXT = "Cannot execute acquireEvent() without MPS backend."

Event = make_refusing_class(__name__, "Event(enable_timing=False): A mark in the device's work.", RuntimeError, _TEXT)
