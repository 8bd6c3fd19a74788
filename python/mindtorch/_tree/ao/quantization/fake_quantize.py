"""Fake quantization: modules that round a tensor as quantization would, while training."""

from abc import ABC, abstractmethod

from ... import nn
from ..._root import torch
from .observer import _with_args

__all__ = ["FakeQuantizeBase"]


class FakeQuantizeBase(ABC, nn.Module):
    """The base of such modules, with switches for rounding and for observing."""

    def __init__(self) -> None:
        super().__init__()
        for name in ("fake_quant_enabled", "observer_enabled"):
            self.register_buffer(name, torch.tensor([1], dtype=torch.uint8))

    @abstractmethod
    def forward(self, x):
        pass

    @abstractmethod
    def calculate_qparams(self, **kwargs):
        pass

    def enable_fake_quant(self, enabled: bool = True) -> None:
        self.fake_quant_enabled[0] = int(enabled)

    def disable_fake_quant(self) -> None:
        self.enable_fake_quant(False)

    def enable_observer(self, enabled: bool = True) -> None:
        self.observer_enabled[0] = int(enabled)

    def disable_observer(self) -> None:
        self.enable_observer(False)

    with_args = classmethod(_with_args)
