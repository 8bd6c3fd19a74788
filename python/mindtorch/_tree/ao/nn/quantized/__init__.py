"""torch.ao.nn.quantized: its modules that work on floats. There are no quantized tensors."""

from .modules import FloatFunctional

__all__ = ["FloatFunctional"]
