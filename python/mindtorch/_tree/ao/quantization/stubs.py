"""Where a model's tensors become quantized, and plain again: until it is converted both pass them on as they are."""

from ... import nn

__all__ = ["QuantStub", "DeQuantStub", "QuantWrapper"]


class _Stub(nn.Module):
    def __init__(self, qconfig=None) -> None:
        super().__init__()
        if qconfig:
            self.qconfig = qconfig

    def forward(self, x):
        return x


class QuantStub(_Stub):
    """Before the quantized part of a model."""


class DeQuantStub(_Stub):
    """Behind the quantized part of a model."""


class QuantWrapper(nn.Module):
    """A module between the two stubs."""

    def __init__(self, module) -> None:
        super().__init__()
        qconfig = getattr(module, "qconfig", None)
        self.add_module("quant", QuantStub(qconfig))
        self.add_module("dequant", DeQuantStub(qconfig))
        self.add_module("module", module)
        self.train(module.training)

    def forward(self, X):
        return self.dequant(self.module(self.quant(X)))
