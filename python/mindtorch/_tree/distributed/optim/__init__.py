"""Optimizers over several processes."""

from ..._absent_device import make_refusing_class
from .zero_redundancy_optimizer import ZeroRedundancyOptimizer

__all__ = ["ZeroRedundancyOptimizer", "PostLocalSGDOptimizer", "DistributedOptimizer"]

# A base class for isinstance checks in programs.
PostLocalSGDOptimizer, DistributedOptimizer = (
    make_refusing_class(
        __name__, f"{name}(*args, **kwargs): {purpose}", NotImplementedError, f"{name} is not implemented"
    )
    for name, purpose in zip(
        __all__[1:],
        ("Averages parameters over all processes every few steps.", "Steps parameters of other processes by RPC."),
        strict=True,
    )
)
