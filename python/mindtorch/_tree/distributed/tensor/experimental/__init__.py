"""torch.distributed.tensor.experimental: its names exist, but are not supported."""

from ..._refusing import refuse

__all__ = ["context_parallel", "implicit_replication", "local_map", "register_sharding"]

refuse(__name__, "", " ".join(__all__))
