"""torch.profiler: the profiler with a schedule of steps."""

from ..autograd.profiler import KinetoStepTracker, record_function
from ._activity import ProfilerActivity
from .profiler import (
    ProfilerAction,
    _KinetoProfile,
    profile,
    schedule,
    supported_activities,
    tensorboard_trace_handler,
)

__all__ = [
    "profile",
    "schedule",
    "supported_activities",
    "tensorboard_trace_handler",
    "ProfilerAction",
    "ProfilerActivity",
    "kineto_available",
    "record_function",
    "KinetoStepTracker",
]


def kineto_available() -> bool:
    return False


_KinetoProfile.__module__ = __name__ + ".profiler"
