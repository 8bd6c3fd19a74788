"""torch.distributed.checkpoint.hf_storage: its names exist, but are not supported."""

from .._refusing import define_refusing_names

define_refusing_names(__name__, "HuggingFaceStorageReader HuggingFaceStorageWriter")
