"""Communication hooks for DistributedDataParallel, and their names."""

from enum import Enum, member
from functools import partial

from . import debugging_hooks as debugging
from . import default_hooks as default

__all__ = ["DDPCommHookType", "register_ddp_comm_hook"]


def _register_comm_hook_of_type(model, state, comm_hook):
    model.register_comm_hook(state, comm_hook)


class DDPCommHookType(Enum):
    """The hooks by the names that `register_ddp_comm_hook` accepts."""

    ALLREDUCE = member(partial(_register_comm_hook_of_type, comm_hook=default.allreduce_hook))
    FP16_COMPRESS = member(partial(_register_comm_hook_of_type, comm_hook=default.fp16_compress_hook))
    BF16_COMPRESS = member(partial(_register_comm_hook_of_type, comm_hook=default.bf16_compress_hook))
    NOOP = member(partial(_register_comm_hook_of_type, comm_hook=debugging.noop_hook))


def register_ddp_comm_hook(comm_hook_type, model, state=None):
    """Registers a communication hook by its name.

    Args:
        comm_hook_type (DDPCommHookType): which.
        model (DistributedDataParallel): the module whose gradients it communicates.
        state (ProcessGroup, optional): the group. Default: the default group.

    Returns:
        None.
    """
    comm_hook_type.value(model=model, state=state)
