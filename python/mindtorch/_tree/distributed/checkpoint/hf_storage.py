"""torch.distributed.checkpoint.hf_storage: its names exist, but are not supported."""

from .._refusing import refuse

refuse(__name__, "HuggingFaceStorageReader HuggingFaceStorageWriter")
