"""What can be profiled."""

import enum


class ProfilerActivity(enum.Enum):
    CPU = 0
    XPU = 1
    MTIA = 2
    CUDA = 3
    HPU = 4
    PrivateUse1 = 5


ProfilerActivity.__module__ = "torch._C._profiler"
