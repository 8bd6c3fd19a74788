"""Marks where tensors of a model are quantized and dequantized; both modules are identities until the model is
converted."""

from __future__ import annotations

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
    """Marks where a model's tensors become quantized; passes them on as they are.

    A conversion would replace it; there are no quantized tensors here.

    Args:
        qconfig (QConfig, optional): how; kept as an attribute. Default: none.

    Example:
        >>> torch.ao.quantization.QuantStub()(torch.tensor([1.5]))
        tensor([1.5000])
    """


class DeQuantStub(_Stub):
    """Marks where a model's tensors become plain again; passes them on as they are.

    A conversion would replace it; there are no quantized tensors here.

    Args:
        qconfig (QConfig, optional): how; kept as an attribute. Default: none.

    Example:
        >>> torch.ao.quantization.DeQuantStub()(torch.tensor([1.5]))
        tensor([1.5000])
    """


class QuantWrapper(nn.Module):
    """Puts a module between a QuantStub and a DeQuantStub.

    Args:
        module (Module): the module; its attribute `qconfig`, if any, goes to the stubs.

    Example:
        >>> wrapped = torch.ao.quantization.QuantWrapper(nn.ReLU())
        >>> wrapped(torch.tensor([-1.0, 2.0]))
        tensor([0., 2.])
    """

    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        qconfig = getattr(module, "qconfig", None)
        self.quant, self.dequant, self.module = QuantStub(qconfig), DeQuantStub(qconfig), module
        self.train(module.training)

    def forward(self, X):
        """Passes the tensor `X` through quant stub, module and dequant stub."""
        return self.dequant(self.module(self.quant(X)))
