"""torch.ao.nn: modules of quantization-aware models."""

from ..._lazy import lazy_attributes

__all__ = ["quantized"]
__getattr__ = lazy_attributes(__name__, modules=__all__)
