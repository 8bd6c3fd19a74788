"""torch.distributed.checkpoint: names only."""

from .._refusing import refuse

refuse(__name__, "FileSystemReader FileSystemWriter", "load load_state_dict save save_state_dict")
