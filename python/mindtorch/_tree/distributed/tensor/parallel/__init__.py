"""torch.distributed.tensor.parallel: splits a model's layers over the ranks of a mesh.

`api.py` applies a plan to a module, `style.py` has the ways to split a layer, `loss.py` cross entropy of split classes.
"""

from .api import parallelize_module
from .loss import loss_parallel
from .style import (
    ColwiseParallel,
    ParallelStyle,
    PrepareModuleInput,
    PrepareModuleInputOutput,
    PrepareModuleOutput,
    RowwiseParallel,
    SequenceParallel,
)

__all__ = [
    "ColwiseParallel", "ParallelStyle", "PrepareModuleInput", "PrepareModuleInputOutput", "PrepareModuleOutput",
    "RowwiseParallel", "SequenceParallel", "parallelize_module", "loss_parallel",
]  # fmt: skip
