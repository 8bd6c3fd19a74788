"""torch.distributed.checkpoint.hf_storage: names only."""

from .._refusing import refuse

refuse(__name__, "HuggingFaceStorageReader HuggingFaceStorageWriter")
