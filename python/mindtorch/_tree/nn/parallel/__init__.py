"""Modules over several devices or processes."""

from ..._lazy import lazy_attributes
from .data_parallel import DataParallel, data_parallel
from .parallel_apply import parallel_apply
from .replicate import replicate
from .scatter_gather import gather, scatter

__all__ = [
    "replicate",
    "scatter",
    "parallel_apply",
    "gather",
    "data_parallel",
    "DataParallel",
    "DistributedDataParallel",
]

_processes = dict.fromkeys(("DistributedDataParallel", "DistributedDataParallelCPU"), "distributed")
__getattr__ = lazy_attributes(__name__, {"distributed"}, _processes)
