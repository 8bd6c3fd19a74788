"""torch.distributed.checkpoint.optimizer: its names exist, but are not supported."""

from .._refusing import refuse

__all__ = ["load_sharded_optimizer_state_dict"]

refuse(__name__, "", "load_sharded_optimizer_state_dict")
