"""torch.ao: what quantization-aware models are written with; see torch.ao.quantization."""

from .._lazy import lazy_attributes

__all__ = ["nn", "quantization"]
__getattr__ = lazy_attributes(__name__, modules=__all__)
