"""torch.distributed.tensor.parallel: its names exist, but are not supported."""

from ..._refusing import refuse

_CLASSES = (
    "ColwiseParallel ParallelStyle PrepareModuleInput PrepareModuleInputOutput PrepareModuleOutput "
    "RowwiseParallel SequenceParallel"
)
_FUNCTIONS = "parallelize_module loss_parallel"
__all__ = [*_CLASSES.split(), *_FUNCTIONS.split()]

refuse(__name__, _CLASSES, _FUNCTIONS)
