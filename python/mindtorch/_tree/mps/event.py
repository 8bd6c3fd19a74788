"""Metal's events, which a build without Metal refuses to make."""

from .._absent_device import refusing_class

Event = refusing_class(__name__, "Event", RuntimeError, "Cannot execute acquireEvent() without MPS backend.")
