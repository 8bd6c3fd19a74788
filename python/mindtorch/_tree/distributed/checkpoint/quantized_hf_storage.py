"""torch.distributed.checkpoint.quantized_hf_storage: its names exist, but are not supported."""

from .._refusing import define_names_that_raise_when_used

__all__ = ["QuantizedHuggingFaceStorageReader"]

define_names_that_raise_when_used(__name__, "QuantizedHuggingFaceStorageReader")
