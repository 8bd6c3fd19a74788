"""torch.distributed.checkpoint.quantized_hf_storage: names only."""

from .._refusing import refuse

__all__ = ["QuantizedHuggingFaceStorageReader"]

refuse(__name__, "QuantizedHuggingFaceStorageReader")
