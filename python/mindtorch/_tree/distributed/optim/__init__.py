"""Optimizers over several processes."""

from ..._absent_device import refusing_class
from .zero_redundancy_optimizer import ZeroRedundancyOptimizer

__all__ = ["ZeroRedundancyOptimizer", "PostLocalSGDOptimizer", "DistributedOptimizer"]

# Programs ask whether an optimizer is one of these.
PostLocalSGDOptimizer, DistributedOptimizer = (
    refusing_class(__name__, f"{name}(*args, **kwargs)", NotImplementedError, f"{name} is not implemented")
    for name in __all__[1:]
)
