"""torch.distributed.checkpoint.quantized_hf_storage: its names exist, but are not supported."""

from .._refusing import define_refusing_names

__all__ = ["QuantizedHuggingFaceStorageReader"]

define_refusing_names(__name__, "QuantizedHuggingFaceStorageReader")
