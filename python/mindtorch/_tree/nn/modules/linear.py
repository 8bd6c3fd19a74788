"""Linear layers."""

import math
from typing import Any

from ..._root import torch
from .. import functional as F
from .. import init
from ..parameter import UninitializedParameter
from ._optional import initialize_bias, register_optional_parameter
from .lazy import LazyModuleMixin
from .module import Module

__all__ = ["Bilinear", "Identity", "LazyLinear", "Linear"]


class Identity(Module):
    """Returns its input unchanged: a placeholder where a layer is required.

    Args:
        *args: ignored, so that `Identity` can stand for a layer with any arguments.
        **kwargs: ignored.

    Shape:
        - input: any.
        - output: the input itself, not a copy.

    Example:
        >>> nn.Identity("anything", size=7)(torch.ones(2, 3)).shape
        torch.Size([2, 3])
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the layer to `input`; the class documents shapes and formula."""
        return input


class Linear(Module):
    """Applies an affine map to the last dimension of its input: ``y = x W^T + b``.

    Args:
        in_features (int): size of the last dimension of the input.
        out_features (int): size of the last dimension of the output.
        bias (bool): whether `b` is added and learned. Default: ``True``.
        device (torch.device, str or int, optional): where the parameters are made. Default: the
            current default device.
        dtype (torch.dtype, optional): dtype of the parameters, floating point or complex. Default:
            ``torch.get_default_dtype()``.

    Shape:
        - input: ``(*, in_features)`` with any number of dimensions before, also none.
        - output: ``(*, out_features)``.

    Attributes:
        weight (Parameter): ``(out_features, in_features)``, uniform in ``+-1 / sqrt(in_features)``.
        bias (Parameter or None): ``(out_features,)``, from the same distribution; ``None`` with
            ``bias=False``.

    Example:
        >>> layer = nn.Linear(6, 4)
        >>> layer(torch.randn(9, 6)).shape
        torch.Size([9, 4])
        >>> sum(p.numel() for p in layer.parameters())  # 4 * 6 + 4
        28
    """

    __constants__ = ["in_features", "out_features"]
    in_features: int
    out_features: int
    weight: torch.Tensor

    def __init__(self, in_features: int, out_features: int, bias: bool = True, device=None, dtype=None) -> None:
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        register_optional_parameter(self, "weight", (out_features, in_features), device=device, dtype=dtype)
        register_optional_parameter(self, "bias", out_features, is_wanted=bias, device=device, dtype=dtype)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Samples new weights and biases, uniformly in ``+-1 / sqrt(in_features)``."""
        # This gain makes the weight uniform in +-1/sqrt(in_features), as the bias is.
        init.kaiming_uniform_(self.weight, math.sqrt(5))
        initialize_bias(self)

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        """Applies the map to `input`, ``(*, in_features)``, and returns ``(*, out_features)``."""
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self):
        return f"in_features={self.in_features}, out_features={self.out_features}, bias={self.bias is not None}"


class NonDynamicallyQuantizableLinear(Linear):
    """Is a Linear that dynamic quantization leaves alone, as the output projection of attention needs.

    Args:
        in_features (int): size of the last dimension of the input.
        out_features (int): size of the last dimension of the output.
        bias (bool): whether a bias is added and learned. Default: ``True``.
        device (torch.device, str or int, optional): where the parameters are made. Default: the
            current default device.
        dtype (torch.dtype, optional): dtype of the parameters, floating point or complex. Default:
            ``torch.get_default_dtype()``.

    Shape:
        - input: ``(*, in_features)``.
        - output: ``(*, out_features)``.

    Example:
        >>> layer = nn.modules.linear.NonDynamicallyQuantizableLinear(2, 3)
        >>> layer(torch.ones(4, 2)).shape
        torch.Size([4, 3])
    """

    def __init__(self, in_features: int, out_features: int, bias: bool = True, device=None, dtype=None) -> None:
        super().__init__(in_features, out_features, bias=bias, device=device, dtype=dtype)


class Bilinear(Module):
    """Applies a bilinear form to two inputs: ``y_k = x1^T A_k x2 + b_k``, with one matrix ``A_k`` per output.

    Args:
        in1_features (int): size of the last dimension of the first input, above zero.
        in2_features (int): size of the last dimension of the second input.
        out_features (int): size of the last dimension of the output.
        bias (bool): whether `b` is added and learned. Default: ``True``.
        device (torch.device, str or int, optional): where the parameters are made. Default: the
            current default device.
        dtype (torch.dtype, optional): dtype of the parameters, floating point or complex. Default:
            ``torch.get_default_dtype()``.

    Shape:
        - input1: ``(*, in1_features)``.
        - input2: ``(*, in2_features)``, with the same leading sizes.
        - output: ``(*, out_features)``.

    Attributes:
        weight (Parameter): ``(out_features, in1_features, in2_features)``, uniform in
            ``+-1 / sqrt(in1_features)``.
        bias (Parameter or None): ``(out_features,)``, from the same distribution.

    Raises:
        ValueError: when `in1_features` is not positive.

    Example:
        >>> nn.Bilinear(3, 5, 2)(torch.randn(8, 3), torch.randn(8, 5)).shape
        torch.Size([8, 2])
    """

    __constants__ = ["in1_features", "in2_features", "out_features"]
    in1_features: int
    in2_features: int
    out_features: int
    weight: torch.Tensor

    def __init__(
        self, in1_features: int, in2_features: int, out_features: int, bias: bool = True, device=None, dtype=None
    ) -> None:
        super().__init__()
        self.in1_features = in1_features
        self.in2_features = in2_features
        self.out_features = out_features
        shape = (out_features, in1_features, in2_features)
        register_optional_parameter(self, "weight", shape, device=device, dtype=dtype)
        register_optional_parameter(self, "bias", out_features, is_wanted=bias, device=device, dtype=dtype)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Samples new weights and biases, uniformly in ``+-1 / sqrt(in1_features)``."""
        if self.in1_features <= 0:
            raise ValueError(f"in1_features must be > 0, but got (in1_features={self.in1_features})")
        limit = 1 / math.sqrt(self.weight.size(1))
        for parameter in (self.weight, self.bias):
            if parameter is not None:
                init.uniform_(parameter, -limit, limit)

    def forward(self, input1: torch.Tensor, input2: torch.Tensor) -> torch.Tensor:
        """Applies the form to `input1`, ``(*, in1_features)``, and `input2`, ``(*, in2_features)``."""
        return F.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self):
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, "
            f"out_features={self.out_features}, bias={self.bias is not None}"
        )


class LazyLinear(LazyModuleMixin, Linear):
    """Is a Linear that takes `in_features` from the last dimension of its first input.

    Until the first call its parameters have no shape: create the optimizer after a trial call, or
    after `load_state_dict`, which gives the shapes too. The first call changes the class of the
    module to `Linear`. Move it to its device and dtype before that call.

    Args:
        out_features (int): size of the last dimension of the output.
        bias (bool): whether a bias is added and learned. Default: ``True``.
        device (torch.device, str or int, optional): where the parameters are made. Default: the
            current default device.
        dtype (torch.dtype, optional): dtype of the parameters, floating point or complex. Default:
            ``torch.get_default_dtype()``.

    Shape:
        - input: ``(*, in_features)``.
        - output: ``(*, out_features)``.

    Attributes:
        weight (UninitializedParameter): becomes ``(out_features, in_features)``, see `Linear`.
        bias (UninitializedParameter or None): becomes ``(out_features,)``.

    Example:
        >>> layer = nn.LazyLinear(3)
        >>> layer(torch.ones(5, 7)).shape
        torch.Size([5, 3])
        >>> type(layer).__name__, layer.in_features
        ('Linear', 7)
    """

    cls_to_become = Linear
    weight: UninitializedParameter
    bias: UninitializedParameter

    def __init__(self, out_features: int, bias: bool = True, device=None, dtype=None) -> None:
        super().__init__(0, 0, False)
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.out_features = out_features
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self) -> None:
        """Samples new weights and biases; does nothing while they have no shape."""
        if not self.has_uninitialized_params() and self.in_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input) -> None:
        """Gives the parameters their shapes and initial values, from the last dimension of `input`."""
        width = input.shape[-1]
        if self.has_uninitialized_params():
            self.in_features = width
            shapes = {"weight": (self.out_features, width), "bias": (self.out_features,)}
            with torch.no_grad():
                for name, shape in shapes.items():
                    parameter = getattr(self, name)
                    if parameter is not None:
                        parameter.materialize(shape)
                self.reset_parameters()
        elif self.in_features == 0:
            loaded = self.weight.shape[-1]  # from a state_dict
            if loaded != width:
                text = f"The in_features inferred from input: {width} is not equal to in_features from self.weight: "
                raise AssertionError(f"{text}{loaded}")
            self.in_features = width
