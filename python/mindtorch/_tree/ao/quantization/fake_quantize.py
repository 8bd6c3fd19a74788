"""Fake quantization: modules that round a tensor as quantization would, while training."""

from __future__ import annotations

from abc import ABC, abstractmethod

from ... import nn
from ..._root import torch
from .observer import _with_args

__all__ = ["FakeQuantizeBase"]


class FakeQuantizeBase(ABC, nn.Module):
    """The base of modules that round a tensor as quantization would, while training.

    Subclasses define forward and calculate_qparams, and look at the two switches.

    Attributes:
        fake_quant_enabled (Tensor): uint8, shape ``(1,)``: 1 where forward rounds. At first 1.
        observer_enabled (Tensor): uint8, shape ``(1,)``: 1 where forward observes. At first 1.
    """

    def __init__(self) -> None:
        super().__init__()
        for name in ("fake_quant_enabled", "observer_enabled"):
            self.register_buffer(name, torch.tensor([1], dtype=torch.uint8))

    @abstractmethod
    def forward(self, x: torch.Tensor):
        """Rounds the tensor `x`; subclasses define it."""
        pass

    @abstractmethod
    def calculate_qparams(self, **kwargs):
        """Computes scale and zero point from the observed values; subclasses define it and `kwargs`."""
        pass

    def enable_fake_quant(self, enabled: bool = True) -> None:
        """Enables rounding, or disables it if `enabled` is False."""
        self.fake_quant_enabled[0] = int(enabled)

    def disable_fake_quant(self) -> None:
        """Disables rounding."""
        self.enable_fake_quant(False)

    def enable_observer(self, enabled: bool = True) -> None:
        """Enables observing, or disables it if `enabled` is False."""
        self.observer_enabled[0] = int(enabled)

    def disable_observer(self) -> None:
        """Disables observing."""
        self.enable_observer(False)

    with_args = classmethod(_with_args)
