"""torch.nn.quantized: the former home of torch.ao.nn.quantized."""

from ..ao.nn.quantized import FloatFunctional

__all__ = ["FloatFunctional"]
