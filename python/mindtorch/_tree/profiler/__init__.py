"""torch.profiler: the profiler with a schedule of steps."""

from ..autograd.profiler import KinetoStepTracker, _ExperimentalConfig, kineto_available, record_function
from ..autograd.profiler_util import DeviceType, ProfilerActivity
from . import itt
from .profiler import (
    ExecutionTraceObserver,
    ProfilerAction,
    _KinetoProfile,
    profile,
    schedule,
    supported_activities,
    tensorboard_trace_handler,
)

__all__ = [
    "profile", "schedule", "supported_activities", "tensorboard_trace_handler", "ProfilerAction", "ProfilerActivity",
    "kineto_available", "DeviceType", "record_function", "ExecutionTraceObserver",
]  # fmt: skip
