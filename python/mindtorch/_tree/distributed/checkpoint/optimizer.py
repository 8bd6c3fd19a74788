"""torch.distributed.checkpoint.optimizer: its names exist, but are not supported."""

from .._refusing import define_names_that_raise_when_used

__all__ = ["load_sharded_optimizer_state_dict"]

define_names_that_raise_when_used(__name__, "", "load_sharded_optimizer_state_dict")
