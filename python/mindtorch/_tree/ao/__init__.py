"""torch.ao: modules for quantization-aware models; see torch.ao.quantization."""

from .._absent_modules import define_absent_modules
from .._lazy import lazy_attributes

__all__ = ["nn", "quantization"]
__getattr__ = lazy_attributes(__name__, modules=__all__)

define_absent_modules(__name__)
