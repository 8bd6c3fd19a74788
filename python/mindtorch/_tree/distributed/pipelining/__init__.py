"""torch.distributed.pipelining: the stages of a model on several ranks, which process micro-batches in turn."""

from .._refusing import define_names_that_raise_when_used
from ._split import SplitPoint, pipe_split
from .schedules import Schedule1F1B, ScheduleGPipe, ScheduleInterleaved1F1B, ScheduleLoopedBFS
from .stage import PipelineStage

__all__ = [
    "Pipe",
    "pipe_split",
    "SplitPoint",
    "pipeline",
    "PipelineStage",
    "build_stage",
    "Schedule1F1B",
    "ScheduleGPipe",
    "ScheduleInterleaved1F1B",
    "ScheduleLoopedBFS",
    "ScheduleInterleavedZeroBubble",
    "ScheduleZBVZeroBubble",
    "ScheduleDualPipeV",
]

define_names_that_raise_when_used(
    __name__, "Pipe ScheduleInterleavedZeroBubble ScheduleZBVZeroBubble ScheduleDualPipeV", "pipeline build_stage"
)
