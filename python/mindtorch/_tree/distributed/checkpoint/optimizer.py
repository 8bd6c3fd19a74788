"""torch.distributed.checkpoint.optimizer: its names exist, but are not supported."""

from .._refusing import define_refusing_names

__all__ = ["load_sharded_optimizer_state_dict"]

define_refusing_names(__name__, "", "load_sharded_optimizer_state_dict")
