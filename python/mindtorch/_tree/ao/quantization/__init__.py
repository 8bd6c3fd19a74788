"""torch.ao.quantization: stubs, and the bases of observers and fake quantization. There are no quantized tensors."""

from ..._absent_modules import define_absent_modules
from .fake_quantize import FakeQuantizeBase
from .observer import ObserverBase
from .qconfig import QConfig
from .stubs import DeQuantStub, QuantStub, QuantWrapper

__all__ = ["DeQuantStub", "FakeQuantizeBase", "ObserverBase", "QConfig", "QuantStub", "QuantWrapper"]

define_absent_modules(__name__)
