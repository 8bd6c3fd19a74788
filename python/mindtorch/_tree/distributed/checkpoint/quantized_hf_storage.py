"""torch.distributed.checkpoint.quantized_hf_storage: its names exist, but are not supported."""

from .._refusing import refuse

__all__ = ["QuantizedHuggingFaceStorageReader"]

refuse(__name__, "QuantizedHuggingFaceStorageReader")
