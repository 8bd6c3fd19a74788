"""torch.ao.nn.quantized: what runs on floats of it. There are no quantized tensors."""

from .modules import FloatFunctional

__all__ = ["FloatFunctional"]
