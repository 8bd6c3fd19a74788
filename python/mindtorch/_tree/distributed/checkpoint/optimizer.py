"""torch.distributed.checkpoint.optimizer: names only."""

from .._refusing import refuse

__all__ = ["load_sharded_optimizer_state_dict"]

refuse(__name__, "", "load_sharded_optimizer_state_dict")
