"""torch.distributed.tensor.experimental: names only."""

from ..._refusing import refuse

__all__ = ["context_parallel", "implicit_replication", "local_map", "register_sharding"]

refuse(__name__, "", " ".join(__all__))
