"""torch.distributed.checkpoint.hf_storage: its names exist, but are not supported."""

from .._refusing import define_names_that_raise_when_used

define_names_that_raise_when_used(__name__, "HuggingFaceStorageReader HuggingFaceStorageWriter")
